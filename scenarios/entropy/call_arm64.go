package main

const sysGetrandom = 278

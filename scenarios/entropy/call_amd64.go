package main

const sysGetrandom = 318 // package syscall has it on newer architectures alone

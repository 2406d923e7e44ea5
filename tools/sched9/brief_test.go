//go:build !full

package main

// full: see full_test.go.
const full = false

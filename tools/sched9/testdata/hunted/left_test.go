package main

import "testing"

// TestLeft leaves a goroutine behind: a program's tests are hunted in, too.
func TestLeft(t *testing.T) {
	go func() { <-make(chan int) }()
}

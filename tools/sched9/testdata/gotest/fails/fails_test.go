// Package fails ends in each way in which a test can fail.
package fails

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"testing"
)

// kept keeps memory in use.
var kept [][]byte

// eat allocates without end. Not inlined: a write barrier just before the endless loop of forever would make that a place where
// nothing is preempted.
//
//go:noinline
func eat() {
	for block := 1; ; block *= 2 {
		kept = append(kept, bytes.Repeat([]byte{1}, block))
	}
}

// TestFails does what HOW says.
func TestFails(t *testing.T) {
	switch os.Getenv("HOW") {
	case "error":
		t.Error("as it should")
	case "exit":
		os.Exit(0)
	case "exit from below":
		syscall.Exit(3)
	case "close":
		os.Stdout.Close()
	case "close and error":
		os.Stdout.Close()
		t.Error("nobody reads this")
	case "fill":
		f, err := os.Create("large")
		for block := make([]byte, 1<<20); err == nil; {
			_, err = f.Write(block)
		}
		t.Fatal(err)
	case "memory":
		eat()
	case "wait":
		fmt.Println("waiting")
		select {} // not dead: testing's timer will go off
	case "forever":
		for {
		}
	}
}

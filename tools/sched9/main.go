// Sched9 boots ordinary Go programs on bare metal in QEMU, where their goroutines run on a
// scheduler that you can read, change and watch.
//
//	sched9 run -smp 4 ./scenarios/steal
//
// Exit statuses of `sched9 run`:
//
//	the guest's own, or
//
//	124        the time limit ended the run
//	125        sched9 or QEMU failed, or something is missing on this machine
//	126        the guest's kernel could not go on
//	127        the guest was lost: a triple fault, or QEMU was killed
//	130        interrupted (Ctrl-C)
//	131        ended by Ctrl-\, after the guest showed what it did
//	141        the reader of the program's output has gone away
//
// and before there is a guest
//
//	1          the program does not compile, or cannot be booted
//	2          the command line is wrong
//
// A guest may have any of these too. A status that did not come from the guest comes with a line
// "sched9: ..." on standard error; if a program exits with one of the first seven itself, a line
// "the program exited with status N" says so.
package main

import (
	"context"
	"os"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	go cancelled(cancel)
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

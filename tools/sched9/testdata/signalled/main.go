// Signalled waits for signals, and for nothing else. With the argument "deaf" it does not ask for any, and computes.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "deaf" {
		fmt.Println("ready")
		for {
		}
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGWINCH)
	fmt.Println("ready")
	for s := range c {
		fmt.Println("got", s)
	}
}

// Command huntednet uses the network, whose goroutines wait for packets when it ends, and while others look for goroutines that can never run again: no leak.
package main

import (
	"crypto/subtle"
	"net"
	"time"
)

// meet has one goroutine dial another one.
func meet() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		if c, err := l.Accept(); err == nil {
			c.Close()
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	c.Close()
	l.Close()
}

func main() {
	if subtle.ConstantTimeByteEq(7, 7) != 1 { // a function that is the compiler's own
		panic("7 is not 7")
	}
	for range 3 {
		meet()
		time.Sleep(4 * time.Second)  // the hunter is about to look for leaks
		time.Sleep(time.Millisecond) // and does
	}
}

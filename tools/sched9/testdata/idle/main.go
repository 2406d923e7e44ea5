// Idle opens as much as its arguments say, and then nothing happens: idle files opens files until there is no memory for more; idle N opens N
// connections over loopback, each with a goroutine that reads, and then tries a hundredth of them. It prints what one of them takes.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
)

func main() {
	if os.Args[1] == "files" {
		files()
		return
	}
	n, err := strconv.Atoi(os.Args[1])
	check(err)
	connections(n)
}

func check(err error) {
	if err != nil {
		fmt.Println("idle: wrong:", err)
		os.Exit(1)
	}
}

// files opens one file until the kernel has no memory for more, twice: the second time there is as much as the first.
func files() {
	var most int
	for range 2 {
		var all []int
		for {
			n, err := syscall.Open("/dev/null", os.O_RDONLY, 0)
			if err != nil {
				if !errors.Is(err, syscall.ENFILE) {
					check(fmt.Errorf("file %d: %w", len(all), err))
				}
				break
			}
			all = append(all, n)
		}
		if most != 0 && len(all) != most {
			check(fmt.Errorf("%d files, and before %d", len(all), most))
		}
		most = len(all)
		_, err := os.ReadFile("/etc/hosts")
		if !errors.Is(err, syscall.ENFILE) {
			check(fmt.Errorf("one file more: %w", err))
		}
		for _, n := range all {
			check(syscall.Close(n))
		}
	}
	var i syscall.Sysinfo_t
	check(syscall.Sysinfo(&i))
	fmt.Printf("idle: %d files, memory %d, free %d\n", most, i.Totalram*uint64(i.Unit), i.Freeram*uint64(i.Unit))
}

// used returns how many bytes of memory are in use, without what the collector would find.
func used() uint64 {
	debug.FreeOSMemory()
	var i syscall.Sysinfo_t
	check(syscall.Sysinfo(&i))
	return (i.Totalram - i.Freeram) * uint64(i.Unit)
}

// connections makes n of them and keeps them, without keepalive: nothing goes over them.
func connections(n int) {
	const servers = 8 // a client's 28,000 ports are for each of them
	ctx := context.Background()
	listen := net.ListenConfig{KeepAlive: -1}
	dial := net.Dialer{KeepAlive: -1}
	var addresses [servers]string
	for i := range addresses {
		ln, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
		check(err)
		addresses[i] = ln.Addr().String()
		go func() {
			for {
				c, err := ln.Accept()
				check(err)
				go echo(c)
			}
		}()
	}
	one := func(i int) net.Conn {
		c, err := dial.DialContext(ctx, "tcp", addresses[i%servers])
		if err != nil {
			check(fmt.Errorf("connection %d: %w", i, err))
		}
		try(c, i)
		return c
	}
	all := []net.Conn{one(0)} // whatever there is once is there
	before := used()
	for i := 1; i <= n; i++ {
		all = append(all, one(i))
	}
	each := int64(used()-before) / int64(n)
	for i := 0; i < len(all); i += 100 {
		try(all[i], i)
	}
	fmt.Printf("idle: %d connections, %d bytes each, %d goroutines\n", n, each, runtime.NumGoroutine())
}

// echo answers on a connection. What it reads to is no more than it needs.
func echo(c net.Conn) {
	var b [8]byte
	for {
		n, err := c.Read(b[:])
		if err != nil {
			return
		}
		_, err = c.Write(b[:n])
		check(err)
	}
}

// try has connection i answer.
func try(c net.Conn, i int) {
	text := fmt.Sprintf("%8d", i)
	_, err := c.Write([]byte(text))
	check(err)
	got := make([]byte, len(text))
	for n := 0; n < len(got); {
		more, err := c.Read(got[n:])
		check(err)
		n += more
	}
	if string(got) != text {
		check(fmt.Errorf("connection %d answered %q", i, got))
	}
}

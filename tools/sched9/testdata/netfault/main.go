// Netfault serves who tries what a network does to those on it: at port 7 an echo; at 8 nothing, until the other side is gone, when it
// looks for another; at 9 the work of a goroutine that computes, while datagrams to port 5 flood the network card.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "sched9/names" // the files
)

// frames are what a flood is measured over.
const frames = 3000

func main() {
	for port, serve := range map[string]func(net.Conn){":7": func(c net.Conn) { io.Copy(c, c) }, ":8": watch, ":9": flood} {
		ln, err := net.Listen("tcp", port)
		check(err)
		go func() {
			for {
				c, err := ln.Accept()
				check(err)
				go func() {
					serve(c)
					c.Close()
				}()
			}
		}()
	}
	_, err := net.ListenPacket("udp", ":5")
	check(err)
	fmt.Println("netfault: serves")
	select {}
}

func check(err error) {
	if err != nil {
		fmt.Println("netfault: wrong:", err)
		os.Exit(1)
	}
}

// watch prints what becomes of a connection whose other end says nothing, and then of one to an address that nobody has.
func watch(c net.Conn) {
	check(c.(*net.TCPConn).SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: time.Second, Interval: time.Second, Count: 2}))
	_, err := c.Read(make([]byte, 1))
	check(err)
	fmt.Println("netfault: watches")
	_, err = c.Read(make([]byte, 1))
	fmt.Println("netfault: lost:", err)
	_, err = net.Dial("tcp", "10.9.0.9:80")
	fmt.Println("netfault: dial:", err)
}

// flood computes while so many frames come, and then says what happened meanwhile.
func flood(c net.Conn) {
	quit := make(chan struct{})
	go compute(quit)
	receiver, computer := "", ""
	for receiver == "" || computer == "" {
		time.Sleep(time.Millisecond)
		receiver, computer = goroutine("(*link).run "), goroutine("main.compute ")
	}
	fromFrames, fromReceiver, fromComputer := count("received"), turns(receiver), turns(computer)
	c.Write([]byte("begins\n"))
	for count("received") < fromFrames+frames {
		time.Sleep(10 * time.Millisecond)
	}
	// In this order, so that what happens between two looks makes neither the frames nor the receiver's turns more.
	n, r := count("received"), turns(receiver)
	computed := turns(computer)
	close(quit)
	fmt.Fprintf(c, "frames %d receiver %d computer %d dropped %d\n", n-fromFrames, r-fromReceiver, computed-fromComputer, count("dropped-socket"))
}

// compute computes until quit is closed.
func compute(quit chan struct{}) {
	for {
		select {
		case <-quit:
			return
		default:
		}
	}
}

// goroutine returns the directory of the goroutine in whose stack a function is; "": there is none.
func goroutine(function string) string {
	all, _ := filepath.Glob("/proc/[0-9]*/stack")
	for _, name := range all {
		if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), function) {
			return filepath.Dir(name)
		}
	}
	return ""
}

// turns is how often a goroutine was dispatched.
func turns(dir string) (n int) {
	text, err := os.ReadFile(dir + "/status")
	check(err)
	_, err = fmt.Sscan(strings.Fields(string(text))[8], &n)
	check(err)
	return n
}

// count is a number of /sched/net.
func count(name string) (n int) {
	f, err := os.Open("/sched/net")
	check(err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if text, is := strings.CutPrefix(lines.Text(), name+" "); is {
			_, err := fmt.Sscan(text, &n)
			check(err)
			return n
		}
	}
	check(fmt.Errorf("/sched/net has no %s", name))
	return 0
}

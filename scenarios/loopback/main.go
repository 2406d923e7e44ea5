// Loopback is a program with a network that goes no further than itself: a web server and its clients, datagrams, unix
// sockets.
//
// Shows that package net works as on Linux: the goroutines of the network stack, of the server and of the clients are
// on one schedule. A call that waits parks its goroutine, also on one processor; what is on its stack stays right though
// the stack moves during the call.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	clients  = 8
	requests = 10
	large    = 1 << 20
)

// wrong ends the program.
func wrong(format string, args ...any) {
	fmt.Printf("loopback: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// must is for errors that cannot be.
func must(err error) {
	if err != nil {
		wrong("%v", err)
	}
}

func main() {
	web()
	for _, network := range []string{"tcp4", "tcp6", "unix"} {
		stream(network)
	}
	datagrams()
	refused()
	interfaces()
	stacks()
	left()
	own()
	fmt.Println("loopback: done")
}

// own finds the program's own goroutines alone where a program looks for them, though the network's run: Linux has those in its kernel.
func own() {
	// Counted first: the goroutine that spoke last may end while the stacks are written, and none begins.
	most := runtime.NumGoroutine()
	text := make([]byte, 1<<20)
	text = text[:runtime.Stack(text, true)]
	var profile bytes.Buffer
	must(pprof.Lookup("goroutine").WriteTo(&profile, 2))
	for _, s := range []string{string(text), profile.String()} {
		n := strings.Count("\n"+s, "\ngoroutine ")
		if n == 0 || n > most || strings.Contains(s, "created by zsched9/") {
			wrong("%d goroutines are counted, and these are shown:\n%s", most, s)
		}
	}
	fmt.Println("loopback: no goroutine is the network's")
}

// interfaces finds the loopback interface and its addresses.
func interfaces() {
	lo, err := net.InterfaceByName("lo")
	must(err)
	addresses, err := lo.Addrs()
	must(err)
	const flags = net.FlagUp | net.FlagLoopback
	if lo.Index != 1 || lo.Flags&flags != flags || len(addresses) == 0 || addresses[0].String() != "127.0.0.1/8" {
		wrong("%+v has %v", lo, addresses)
	}
}

// web has clients at once ask a server that reads what they send.
func web() {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		must(err)
		fmt.Fprintf(w, "%s %s %d", r.Method, r.URL.Path, len(body))
	}))
	var wait sync.WaitGroup
	for c := range clients {
		wait.Go(func() {
			for i := range requests {
				path := fmt.Sprintf("/%d/%d", c, i)
				r, err := s.Client().Post(s.URL+path, "text/plain", bytes.NewReader(make([]byte, 1000*i)))
				must(err)
				answer, err := io.ReadAll(r.Body)
				must(err)
				must(r.Body.Close())
				if want := fmt.Sprintf("POST %s %d", path, 1000*i); string(answer) != want {
					wrong("%q for %q", answer, want)
				}
			}
		})
	}
	wait.Wait()
	s.Close()
	fmt.Printf("loopback: %d requests of %d clients\n", clients*requests, clients)
}

// stream sends much through a connection, closes one direction, and gets it back.
func stream(network string) {
	at := map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0", "unix": "/tmp/loopback.sock"}[network]
	os.Remove("/tmp/loopback.sock")
	l, err := net.Listen(network, at)
	must(err)
	go func() {
		c, err := l.Accept()
		must(err)
		data, err := io.ReadAll(c)
		must(err)
		_, err = c.Write(data)
		must(err)
		must(c.Close())
	}()
	c, err := net.Dial(network, l.Addr().String())
	must(err)
	data := bytes.Repeat([]byte("loopback"), large/8)
	_, err = c.Write(data)
	must(err)
	must(c.(interface{ CloseWrite() error }).CloseWrite())
	back, err := io.ReadAll(c)
	must(err)
	if !bytes.Equal(back, data) {
		wrong("%s brought %d bytes back, not the %d", network, len(back), len(data))
	}
	must(c.Close())
	must(l.Close())
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		wrong("a closed listener accepts: %v", err)
	}
	fmt.Printf("loopback: %s brought it back\n", network)
}

// datagrams sends some, and waits for one that does not come.
func datagrams() {
	p, err := net.ListenPacket("udp", "localhost:0")
	must(err)
	c, err := net.Dial("udp", p.LocalAddr().String())
	must(err)
	var b [100]byte
	for _, text := range []string{"a datagram", ""} {
		_, err = c.Write([]byte(text))
		must(err)
		n, from, err := p.ReadFrom(b[:])
		must(err)
		if string(b[:n]) != text || from.String() != c.LocalAddr().String() {
			wrong("%q from %v, not %q from %v", b[:n], from, text, c.LocalAddr())
		}
	}
	must(p.SetReadDeadline(time.Now().Add(10 * time.Millisecond)))
	if _, _, err := p.ReadFrom(b[:]); !errors.Is(err, os.ErrDeadlineExceeded) {
		wrong("a read after its deadline: %v", err)
	}
	must(p.Close())
	must(c.Close())
	fmt.Println("loopback: datagrams")
}

// refused has nobody at the other end.
func refused() {
	for _, at := range []string{"127.0.0.1:1", "[::1]:1", "localhost:1"} {
		if _, err := net.Dial("tcp", at); !errors.Is(err, syscall.ECONNREFUSED) {
			wrong("%s: %v", at, err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	if _, err := net.Listen("tcp", l.Addr().String()); !errors.Is(err, syscall.EADDRINUSE) {
		wrong("a port that is taken: %v", err)
	}
	f, err := l.(*net.TCPListener).File()
	must(err)
	must(l.Close())
	if l, err = net.FileListener(f); err != nil { // a duplicate, of a duplicate
		wrong("a listener's file: %v", err)
	}
	must(f.Close())
	must(l.Close())
	fmt.Println("loopback: refused")
}

// stacks makes calls on goroutines whose stacks are new, and so are grown by what carries the calls out. Arguments and what they
// point at are on those stacks.
func stacks() {
	two, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	must(err)
	pair := [2]int(two)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	to := l.Addr().(*net.TCPAddr)
	for range 20 {
		done := make(chan bool)
		go func() {
			defer close(done)
			var b, got [32]byte
			copy(b[:], "on a stack that moves")
			must(syscall.Sendmsg(pair[0], b[:], nil, nil, 0))
			n, _, _, _, err := syscall.Recvmsg(pair[1], got[:], nil, 0)
			must(err)
			if n != len(b) || got != b {
				wrong("%q for %q", got, b)
			}
		}()
		<-done
		done = make(chan bool)
		go func() {
			defer close(done)
			n, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
			must(err)
			name := syscall.SockaddrInet4{Port: to.Port, Addr: [4]byte(to.IP.To4())}
			must(syscall.Connect(n, &name)) // waits
			var b [32]byte
			copy(b[:], "so does this")
			_, err = syscall.Write(n, b[:])
			must(err)
			c, err := l.Accept()
			must(err)
			var got [32]byte
			if _, err := io.ReadFull(c, got[:]); err != nil || got != b {
				wrong("%q for %q: %v", got, b, err)
			}
			must(c.Close())
			if k, err := syscall.Read(n, b[:]); k != 0 || err != nil { // waits
				wrong("%d bytes after the end, %v", k, err)
			}
			must(syscall.Close(n))
		}()
		<-done
	}
	must(l.Close())
	fmt.Println("loopback: stacks")
}

// left makes calls that are the kernel's, not the network's, with memory on the stack, at each depth of new stacks: one of them has
// no room left for looking at the call, so that the stack moves before the kernel gets it.
func left() {
	done := make(chan bool)
	for depth := range 120 {
		go sunk(depth, done)
		if !<-done {
			wrong("a pipe made at depth %d has no numbers", depth)
		}
	}
	fmt.Println("loopback: calls of the kernel's from stacks that move")
}

// sunk makes a pipe from a stack that is deeper by depth calls, and reports whether it got two files.
//
//go:noinline
func sunk(depth int, done chan bool) {
	if depth > 0 {
		sunk(depth-1, done)
		return
	}
	var p [2]int
	must(syscall.Pipe2(p[:], 0))
	ok := p[0] != p[1]
	if ok {
		must(syscall.Close(p[0]))
		must(syscall.Close(p[1]))
	}
	done <- ok
}

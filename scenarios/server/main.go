// Server is like a program that serves for weeks: clients connect, ask, and go, again and again.
//
// Shows that nothing is used up: a connection is two pipes, a goroutine that serves it, a deadline for each line and
// memory; a request may write to a log, which is restarted when it is long. Each client knows its data and compares
// the answers. After the last round as much memory is free, and as many goroutines exist, as after the second. Open
// files are given back too, because there are fewer of them than connections.
//
//	server [ROUNDS|DURATION]    10 rounds unless it is given; a duration is as in 10m
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	clients  = 16
	requests = 30
	maxLog   = 64 << 10
	maxKeys  = 200
	idle     = time.Minute // a connection that is silent for this long is closed
)

func wrong(format string, args ...any) {
	fmt.Printf("server: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// store is what the server keeps.
var store = struct {
	sync.Mutex
	values map[string]string
	log    *os.File
	logged int
}{values: map[string]string{}}

// note writes a line to the log.
func note(line string) {
	const name = "/tmp/server.log"
	if store.log == nil || store.logged > maxLog {
		if store.log != nil {
			store.log.Close()
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
		if err != nil {
			wrong("%v", err)
		}
		store.log, store.logged = f, 0
	}
	n, err := fmt.Fprintln(store.log, line)
	if err != nil {
		wrong("the log: %v", err)
	}
	store.logged += n
}

// answer carries out a request.
func answer(line string) string {
	store.Lock()
	defer store.Unlock()
	verb, rest, _ := strings.Cut(line, " ")
	key, value, _ := strings.Cut(rest, " ")
	switch verb {
	case "set":
		if len(store.values) >= maxKeys {
			wrong("%d keys are there", len(store.values))
		}
		store.values[key] = value
		note(line)
		return "ok"
	case "del":
		delete(store.values, key)
		return "ok"
	}
	return store.values[key]
}

// serve serves a connection until its other end is closed.
func serve(in, out *os.File) {
	defer in.Close()
	defer out.Close()
	w := bufio.NewWriter(out)
	lines := bufio.NewScanner(in)
	for in.SetReadDeadline(time.Now().Add(idle)); lines.Scan(); in.SetReadDeadline(time.Now().Add(idle)) {
		fmt.Fprintln(w, answer(lines.Text()))
		if err := w.Flush(); err != nil {
			wrong("an answer: %v", err)
		}
	}
	if err := lines.Err(); err != nil {
		wrong("a request: %v", err)
	}
}

// client connects, asks, and goes.
func client(id, round int) {
	in, toServer, err := os.Pipe()
	if err != nil {
		wrong("%v", err)
	}
	fromServer, out, err := os.Pipe()
	if err != nil {
		wrong("%v", err)
	}
	go serve(in, out)
	answers := bufio.NewReader(fromServer)
	ask := func(want, format string, args ...any) {
		fromServer.SetReadDeadline(time.Now().Add(idle))
		if _, err := fmt.Fprintf(toServer, format+"\n", args...); err != nil {
			wrong("client %d: %v", id, err)
		}
		got, err := answers.ReadString('\n')
		if err != nil || got != want+"\n" {
			wrong("client %d, round %d: %q, %v; not %q", id, round, got, err, want)
		}
	}
	for i := range requests {
		key, value := fmt.Sprint(id, "-", i%5), strings.Repeat(strconv.Itoa(round%10), 1+(id+i)*37%2000)
		ask("ok", "set %s %s", key, value)
		ask(value, "get %s", key)
		if i%5 == 4 || i >= requests-5 {
			ask("ok", "del %s", key)
			ask("", "get %s", key)
		}
	}
	for i := range 5 {
		ask("ok", "del %d-%d", id, i)
	}
	toServer.Close()
	if _, err := answers.ReadString('\n'); err == nil {
		wrong("client %d is told more", id)
	}
	fromServer.Close()
}

// free is how much memory the machine has free; on a machine with other programs it says nothing.
func free() uint64 {
	var name syscall.Utsname
	var s syscall.Sysinfo_t
	if syscall.Uname(&name) != nil || name.Sysname[0] != 's' || syscall.Sysinfo(&s) != nil {
		return 0
	}
	return s.Freeram * uint64(s.Unit)
}

func main() {
	long := "10"
	if len(os.Args) > 1 {
		long = os.Args[1]
	}
	rounds, err := strconv.Atoi(long)
	var until time.Time
	if d, err2 := time.ParseDuration(long); err != nil && err2 == nil {
		until, err = time.Now().Add(d), nil
	}
	if err != nil {
		wrong("how long: %v", err)
	}
	begin := runtime.NumGoroutine()
	var first, now uint64
	n := 0
	for ; n < rounds || time.Now().Before(until); n++ {
		var wg sync.WaitGroup
		for id := range clients {
			wg.Go(func() { client(id, n) })
		}
		wg.Wait()
		if n > 1 && n%50 != 0 && n+1 < rounds {
			continue
		}
		for i := 0; runtime.NumGoroutine() > begin; i++ {
			if i == 5000 {
				wrong("%d goroutines are left, %d were there at first", runtime.NumGoroutine(), begin)
			}
			time.Sleep(time.Millisecond)
		}
		debug.FreeOSMemory()
		if now = free(); n == 1 {
			first = now
		}
	}
	const slack = 6 << 20 // the heap's spans lie now here, now there
	if now+slack < first {
		wrong("%d KiB were free after round 2, now %d", first>>10, now>>10)
	}
	fmt.Printf("server: done, %d rounds, %d keys\n", n, len(store.values))
}

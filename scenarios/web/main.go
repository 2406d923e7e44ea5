// Web is a web server whose page shows the scheduler that runs it, live: its files (docs/names.md), net/http/pprof and expvar.
//
//	sched9 run -smp 4 -p 8080:80 -timeout 1h ./scenarios/web :80
//
// and then http://localhost:8080 in a browser. Without an address it asks itself for each page, over loopback, and ends.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sched9/names" // the files, too
)

//go:embed page.html
var page []byte

// loops are the endless loops that run.
var loops struct {
	sync.Mutex
	quit []chan struct{}
}

// most is how many there may be.
const most = 64

func main() {
	expvar.Publish("loops", expvar.Func(func() any {
		loops.Lock()
		defer loops.Unlock()
		return len(loops.quit)
	}))
	http.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) { w.Write(page) })
	http.HandleFunc("/state", state)
	http.HandleFunc("/spin", startLoop)
	http.HandleFunc("/calm", endLoops)
	for _, tree := range []string{"/sched/", "/proc/"} {
		http.Handle(tree, http.StripPrefix(tree, http.FileServerFS(os.DirFS(tree))))
	}
	address := "127.0.0.1:0"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	ln, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
	if len(os.Args) > 1 {
		fmt.Println("web: listens at", ln.Addr())
		fmt.Fprintln(os.Stderr, "web:", http.Serve(ln, nil))
		os.Exit(1)
	}
	go http.Serve(ln, nil)
	ask("http://" + ln.Addr().String())
	share("http://" + ln.Addr().String())
	overload("http://" + ln.Addr().String())
	fmt.Println("web: done")
}

// startLoop starts a loop, unless there are too many.
func startLoop(w http.ResponseWriter, r *http.Request) {
	loops.Lock()
	if len(loops.quit) < most {
		quit := make(chan struct{})
		loops.quit = append(loops.quit, quit)
		go spin(quit)
	}
	loops.Unlock()
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// endLoops ends all loops.
func endLoops(w http.ResponseWriter, r *http.Request) {
	loops.Lock()
	for _, q := range loops.quit {
		close(q)
	}
	loops.quit = nil
	loops.Unlock()
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// spin computes until quit is closed.
func spin(quit chan struct{}) {
	for {
		select {
		case <-quit:
			return
		default:
		}
	}
}

// state sends what the page shows: all goroutines, the fields of all processors, and the scheduler's own.
func state(w http.ResponseWriter, r *http.Request) {
	var s struct {
		Goroutines []names.Goroutine `json:"goroutines"`
		Processors [][]string        `json:"processors"`
		Status     string            `json:"status"`
	}
	all, _ := os.ReadDir("/proc")
	var ids []int
	for _, d := range all {
		if id, err := strconv.Atoi(d.Name()); err == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		text, err := os.ReadFile(path.Join("/proc", strconv.Itoa(id), "status"))
		if g, ok := names.Parse(string(text), ""); err == nil && ok { // it may have ended; Linux has other files there
			s.Goroutines = append(s.Goroutines, g)
		}
	}
	text, _ := os.ReadFile("/dev/sysstat")
	for line := range strings.Lines(string(text)) {
		s.Processors = append(s.Processors, strings.Fields(line))
	}
	text, err := os.ReadFile("/sched/status")
	network, _ := os.ReadFile("/sched/net")
	if s.Status = string(text) + string(network); errors.Is(err, fs.ErrNotExist) {
		s.Status = "no /sched here: this is not sched9"
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(s)
}

// share has loops run and asks for a page again and again. A request passes from goroutine to goroutine: the client's, the network's,
// the server's. Each may find all loops before it in the queue, and waits for a slice of each then, but for no more.
func share(server string) {
	const (
		endless  = 2
		requests = 10
		slice    = 10 * time.Millisecond
		turns    = 4 // of all loops during one request
	)
	var most time.Duration
	for range endless {
		get(server + "/spin")
	}
	for range requests {
		from := time.Now()
		get(server + "/debug/vars")
		most = max(most, time.Since(from))
	}
	get(server + "/calm")
	fmt.Printf("web: the slowest of %d requests beside %d loops took %v\n", requests, endless, most)
	if most <= turns*endless*slice {
		fmt.Println("web: within the slices of the loops")
	}
}

// overload sends more to a socket that nobody reads than it holds. The network drops the rest, and says so.
func overload(server string) {
	sink, err := net.ListenPacket("udp", "127.0.0.1:0")
	var from net.Conn
	if err == nil {
		defer sink.Close()
		from, err = net.Dial("udp", sink.LocalAddr().String())
	}
	if err != nil {
		fmt.Println("web: wrong:", err)
		os.Exit(1)
	}
	defer from.Close()
	for range 100 {
		from.Write(make([]byte, 60000))
	}
	for line := range strings.Lines(string(get(server + "/sched/net"))) {
		if n, err := fmt.Sscanf(line, "dropped-socket %d", new(uint)); n == 1 && err == nil && strings.Fields(line)[1] != "0" {
			fmt.Println("web: the network says what it has dropped:", strings.TrimSpace(line))
		}
	}
}

// get returns a page.
func get(url string) []byte {
	r, err := http.Get(url)
	var body []byte
	if err == nil {
		body, err = io.ReadAll(r.Body)
		r.Body.Close()
	}
	if err != nil || r.StatusCode != http.StatusOK || len(body) == 0 {
		fmt.Printf("web: wrong: %s: %v, %d bytes\n", url, err, len(body))
		os.Exit(1)
	}
	return body
}

// ask asks the server for each page.
func ask(server string) {
	for _, p := range []string{"/", "/spin", "/state", "/calm", "/debug/vars", "/debug/pprof/", "/debug/pprof/goroutine?debug=1"} {
		body := get(server + p)
		fmt.Printf("web: %s has %d bytes\n", p, len(body))
		if bytes.Contains(body, []byte(`"zsched9/gvisor.dev/`)) {
			fmt.Printf("web: %s shows the network's goroutines\n", p)
		}
	}
}

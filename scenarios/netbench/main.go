// Netbench is the web server that sched9 bench -net asks, on sched9 and on Linux. Without an address it asks itself over loopback, and says
// how long a request takes: where instructions are counted, how many it takes.
package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

var (
	address  = flag.String("listen", "", "serve at `ADDRESS`, for ever")
	requests = flag.Int("n", 200, "over loopback: `N` requests of each number of clients, after as many to warm up")
	endless  = flag.Int("loops", 0, "over loopback: also beside `N` endless loops")
)

// block is what large answers are made of.
var block [64 << 10]byte

func main() {
	flag.Parse()
	if err := system(); err != nil {
		fail(err)
	}
	http.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello, world\n") })
	http.HandleFunc("/bytes/{n}", large)
	http.HandleFunc("/loops/{n}", compute)
	at := *address
	if at == "" {
		at = "127.0.0.1:0"
	}
	ln, err := net.Listen("tcp", at)
	if err != nil {
		fail(err)
	}
	if *address != "" {
		fmt.Println("netbench: serves")
		fail(http.Serve(ln, nil))
	}
	go http.Serve(ln, nil)
	for _, clients := range []int{1, 8, 64} {
		if clients <= *requests {
			each := measure("http://"+ln.Addr().String(), clients)
			fmt.Printf("netbench: loopback %d clients %d ns\n", clients, each.Nanoseconds())
		}
	}
	if *endless > 0 {
		for _, clients := range []int{1, 8} {
			if clients <= *requests {
				beside("http://"+ln.Addr().String(), clients, 0)
				beside("http://"+ln.Addr().String(), clients, 25*time.Millisecond)
			}
		}
	}
	fmt.Println("netbench: done")
	end(0)
}

// fail prints what is wrong and ends the machine.
func fail(err error) {
	fmt.Println("netbench: wrong:", err)
	end(1)
}

// measure returns the time of a request when so many clients, with a connection each, make all requests together. They have made as
// many before.
func measure(url string, clients int) time.Duration {
	client := http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	ask(&client, url, clients)
	runtime.GC()
	from := time.Now()
	ask(&client, url, clients)
	return time.Since(from) / time.Duration(*requests)
}

// ask has so many clients make all requests together.
func ask(client *http.Client, url string, clients int) {
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			for range (*requests + i) / clients { // all of them together
				r, err := client.Get(url)
				if err == nil {
					_, err = io.Copy(io.Discard, r.Body)
					r.Body.Close()
				}
				if err != nil {
					fail(err)
				}
			}
		})
	}
	all.Wait()
}

// large sends as many bytes as the path says.
func large(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(n))
	for n > 0 {
		m, err := w.Write(block[:min(n, len(block))])
		if err != nil {
			return
		}
		n -= m
	}
}

// loops ends those that run.
var loops struct {
	sync.Mutex
	quit chan struct{}
}

// compute has as many endless loops run as the path says, instead of those that run.
func compute(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 0 || n > 64 {
		http.Error(w, "0 to 64 loops", http.StatusBadRequest)
		return
	}
	loops.Lock()
	defer loops.Unlock()
	if loops.quit != nil {
		close(loops.quit)
	}
	loops.quit = make(chan struct{})
	for quit := loops.quit; n > 0; n-- {
		go func() {
			for {
				select {
				case <-quit:
					return
				default:
				}
			}
		}()
	}
}

// end ends the program, and the machine if this is all that there is on it.
func end(status int) {
	powerOff()
	os.Exit(status)
}

// Fetch asks web servers for pages, each until it answers, and a name server for what is no address of a page. As "fetch serve" it is
// such servers: its page is four bytes, at /servers it tells its own name servers, and it knows no name.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// get asks for a page until there is an answer.
func get(url string) {
	client := http.Client{Timeout: 5 * time.Second}
	for {
		r, err := client.Get(url)
		if err != nil {
			fmt.Println("fetch:", err)
			time.Sleep(100 * time.Millisecond)
			continue
		}
		body, err := io.ReadAll(r.Body)
		fmt.Println("fetch:", r.Status, len(body), err)
		return
	}
}

// serve answers for ever.
func serve() error {
	names, err := net.ListenPacket("udp", ":53")
	if err != nil {
		return err
	}
	go func() {
		const answer, noName = 1 << 7, 3 // RFC 1035, 4.1.1
		var b [512]byte
		for {
			n, from, err := names.ReadFrom(b[:])
			if err != nil || n < 12 {
				continue
			}
			b[2] |= answer
			b[3] = noName
			names.WriteTo(b[:n], from)
		}
	}()
	pages, err := net.Listen("tcp", ":80")
	if err != nil {
		return err
	}
	fmt.Println("fetch: serves")
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "four") })
	http.HandleFunc("/servers", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "/etc/resolv.conf") })
	return http.Serve(pages, nil)
}

func main() {
	for _, what := range os.Args[1:] {
		switch {
		case what == "serve":
			fmt.Println("fetch:", serve())
		case strings.HasPrefix(what, "http:"):
			get(what)
		default:
			_, err := net.LookupHost(what)
			fmt.Println("fetch:", err)
		}
	}
}

// Fetch asks a web server for a page, until it answers, and looks a name up that no name server knows.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	client := http.Client{Timeout: 5 * time.Second}
	for {
		r, err := client.Get(os.Args[1])
		if err != nil {
			fmt.Println("fetch:", err)
			time.Sleep(100 * time.Millisecond)
			continue
		}
		body, err := io.ReadAll(r.Body)
		fmt.Println("fetch:", r.Status, len(body), err)
		break
	}
	if len(os.Args) > 2 {
		_, err := net.LookupHost(os.Args[2])
		fmt.Println("fetch:", err)
	}
}

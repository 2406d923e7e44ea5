// Pages that are made in buffers from a pool. render gives its buffer back and returns what is in it.
package main

import (
	"bytes"
	"fmt"
	"os"
	"sync"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func render(name string) []byte {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	b.WriteString("hello, ")
	b.WriteString(name)
	return b.Bytes()
}

func main() {
	var wg sync.WaitGroup
	for _, name := range []string{"ann", "bob", "cat"} {
		wg.Go(func() {
			page := render(name)
			if string(page) != "hello, "+name {
				fmt.Fprintf(os.Stderr, "wrong: %s got %q\n", name, page)
				os.Exit(1)
			}
		})
	}
	wg.Wait()
	fmt.Println("3 pages")
}

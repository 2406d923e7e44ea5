// A crawler. A page that two others link to is followed twice when both look before it is marked, and the second visit
// returns without Done.
package main

import (
	"fmt"
	"sync"
)

var links = map[string][]string{"/": {"/a", "/b"}, "/a": {"/c"}, "/b": {"/c"}}

type crawler struct {
	wg   sync.WaitGroup
	mu   sync.Mutex
	seen map[string]bool
}

func (c *crawler) follow(page string) {
	c.mu.Lock()
	known := c.seen[page]
	c.mu.Unlock()
	if known {
		return
	}
	c.wg.Add(1)
	go c.visit(page)
}

func (c *crawler) visit(page string) {
	c.mu.Lock()
	if c.seen[page] {
		c.mu.Unlock()
		return
	}
	c.seen[page] = true
	c.mu.Unlock()
	for _, link := range links[page] {
		c.follow(link)
	}
	c.wg.Done()
}

func main() {
	c := &crawler{seen: map[string]bool{}}
	c.follow("/")
	c.wg.Wait()
	fmt.Println(len(c.seen), "pages")
}

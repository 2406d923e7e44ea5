// A configuration under a RWMutex: url reads under the one read lock that it holds.
package main

import (
	"fmt"
	"sync"
)

type config struct {
	mu     sync.RWMutex
	values map[string]string
}

func (c *config) get(key string) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.values[key]
}

func (c *config) set(key, value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values[key] = value
}

func (c *config) url() string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return "http://" + c.values["host"] + "/"
}

func main() {
	c := &config{values: map[string]string{"host": "localhost"}}
	var wg sync.WaitGroup
	wg.Go(func() {
		c.set("host", "example.org")
	})
	wg.Go(func() {
		c.url()
	})
	wg.Wait()
	fmt.Println(c.url())
}

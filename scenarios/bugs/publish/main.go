// A table of sessions. A new one is put into the table, under the lock, and completed afterwards.
package main

import (
	"fmt"
	"sync"
)

type user struct{ name string }

type session struct{ user *user }

type table struct {
	mu       sync.Mutex
	sessions map[int]*session
}

func (t *table) open(id int, name string) {
	s := &session{}
	t.mu.Lock()
	t.sessions[id] = s
	t.mu.Unlock()
	s.user = &user{name}
}

func (t *table) find(id int) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sessions[id]
}

func main() {
	t := &table{sessions: map[int]*session{}}
	var wg sync.WaitGroup
	wg.Go(func() {
		if s := t.find(7); s != nil && s.user.name != "gopher" {
			panic("another user")
		}
	})
	wg.Go(func() { t.open(7, "gopher") })
	wg.Wait()
	fmt.Println(t.find(7).user.name)
}

// A walk through a tree of directories, by a group of two goroutines at most. A task that finds no place for another one
// does it itself.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type group struct {
	wg     sync.WaitGroup
	places chan struct{}
}

func (g *group) run(task func()) {
	select {
	case g.places <- struct{}{}:
	default:
		task()
		return
	}
	g.wg.Go(func() {
		defer func() { <-g.places }()
		task()
	})
}

type dir struct {
	depth int
	dirs  []dir
}

func (g *group) walk(d dir, found *atomic.Int32) {
	found.Add(1)
	for _, sub := range d.dirs {
		g.run(func() { g.walk(sub, found) })
	}
}

func main() {
	leaf := dir{depth: 2}
	tree := dir{dirs: []dir{{1, []dir{leaf}}, {1, []dir{leaf}}}}
	g := &group{places: make(chan struct{}, 2)}
	var found atomic.Int32
	g.walk(tree, &found)
	g.wg.Wait()
	fmt.Println(found.Load(), "directories")
}

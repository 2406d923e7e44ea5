// A logger whose channel is there before anybody can log.
package main

import (
	"fmt"
	"sync"
)

type logger struct {
	lines chan string
	done  chan struct{}
}

func (l *logger) start() {
	l.lines = make(chan string)
	l.done = make(chan struct{})
	go l.run()
}

func (l *logger) run() {
	for line := range l.lines {
		fmt.Println(line)
	}
	close(l.done)
}

func main() {
	l := &logger{}
	var wg sync.WaitGroup
	l.start()
	wg.Go(func() {
		l.lines <- "worker: ready"
	})
	wg.Wait()
	close(l.lines)
	<-l.done
}

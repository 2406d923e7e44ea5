// A logger whose channel is made when it is started. A worker that logs before that sends to a nil channel, for ever.
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
	wg.Go(func() {
		l.lines <- "worker: ready"
	})
	l.start()
	wg.Wait()
	close(l.lines)
	<-l.done
}

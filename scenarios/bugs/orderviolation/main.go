// A server that starts in its constructor, before its maker has set the handler.
package main

import (
	"fmt"
	"strings"
)

type server struct {
	handler  func(string) string
	requests chan string
	replies  chan string
}

func newServer() *server {
	s := &server{requests: make(chan string), replies: make(chan string)}
	go s.serve()
	return s
}

func (s *server) serve() {
	handle := s.handler
	for r := range s.requests {
		s.replies <- handle(r)
	}
}

func main() {
	s := newServer()
	s.handler = strings.ToUpper
	s.requests <- "hello"
	fmt.Println(<-s.replies)
	close(s.requests)
}

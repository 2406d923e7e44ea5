// A server that is given its handler before it starts.
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

func newServer(handler func(string) string) *server {
	s := &server{handler: handler, requests: make(chan string), replies: make(chan string)}
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
	s := newServer(strings.ToUpper)
	s.requests <- "hello"
	fmt.Println(<-s.replies)
	close(s.requests)
}

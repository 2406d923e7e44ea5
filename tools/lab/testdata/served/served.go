// Package served serves requests from a queue, each in a goroutine of its own.
package served

import "sync"

// Server answers requests.
type Server struct{ wg sync.WaitGroup }

// Do has a goroutine answer with the number that follows n.
func (s *Server) Do(n int, answer chan<- int) {
	s.wg.Add(1)
	go s.handle(n, answer)
}

// handle is a request's goroutine.
func (s *Server) handle(n int, answer chan<- int) {
	defer s.wg.Done()
	answer <- n + 1
}

// Wait waits until all requests are answered.
func (s *Server) Wait() { s.wg.Wait() }

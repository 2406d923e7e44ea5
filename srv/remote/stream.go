package remote

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"
)

// stream is a Line over a stream of bytes.
type stream struct {
	conn  io.ReadWriteCloser
	limit time.Duration
	out   sync.Mutex // guards writing

	lock    sync.Mutex
	waiting map[uint16]chan []byte // nil in it: nobody waits any more, but the answer has not come
	tag     uint16
	err     error // why there will be no more answers
}

// streamSize is how long messages are at most.
const streamSize = 64 << 10

// NewStream returns a line over conn, which from then on is the line's. limit bounds how long an answer may take; 0: a server may make calls
// wait for ever, as a file that one waits for does.
func NewStream(conn io.ReadWriteCloser, limit time.Duration) Line {
	s := &stream{conn: conn, limit: limit, waiting: map[uint16]chan []byte{}}
	go s.receive()
	return s
}

// Size implements Line.
func (s *stream) Size() int { return streamSize }

// receive gives each answer to the call that waits for it. A message whose length cannot be, or that nobody asked for, ends the line: what follows would be garbage.
func (s *stream) receive() {
	var err error
	for err == nil {
		var length [4]byte
		if _, err = io.ReadFull(s.conn, length[:]); err != nil {
			break
		}
		n := binary.LittleEndian.Uint32(length[:])
		if n < headerSize || n > streamSize {
			err = fmt.Errorf("%w: a message of %d bytes", errGarbage, n)
			break
		}
		b := make([]byte, n)
		copy(b, length[:])
		if _, err = io.ReadFull(s.conn, b[4:]); err != nil {
			break
		}
		tag := binary.LittleEndian.Uint16(b[5:])
		s.lock.Lock()
		to, ok := s.waiting[tag]
		delete(s.waiting, tag)
		s.lock.Unlock()
		switch {
		case !ok:
			err = fmt.Errorf("%w: an answer that nobody waits for", errGarbage)
		case to != nil:
			to <- b
		}
	}
	s.fail(err)
}

// fail ends the line, and all calls: err is why.
func (s *stream) fail(err error) {
	s.conn.Close()
	s.lock.Lock()
	if s.err == nil {
		s.err = err
	}
	for tag, to := range s.waiting {
		if delete(s.waiting, tag); to != nil {
			close(to)
		}
	}
	s.lock.Unlock()
}

// errLate is what an answer that does not come in time comes to.
var errLate = errors.New("the file server does not answer")

// Call implements Line.
func (s *stream) Call(m []byte) ([]byte, error) {
	answer := make(chan []byte, 1)
	s.lock.Lock()
	if s.err != nil || len(s.waiting) >= 1<<15 {
		defer s.lock.Unlock()
		if s.err == nil {
			return nil, syscall.ENOBUFS
		}
		return nil, fmt.Errorf("the file server is gone: %w", s.err)
	}
	for _, taken := s.waiting[s.tag]; taken || s.tag == noTag; _, taken = s.waiting[s.tag] {
		s.tag++
	}
	tag := s.tag
	s.tag++
	if m[4] == typeVersion {
		tag = noTag
	}
	s.waiting[tag] = answer
	s.lock.Unlock()
	binary.LittleEndian.PutUint16(m[5:], tag)
	go s.send(m)
	var late <-chan time.Time
	if s.limit > 0 {
		t := time.NewTimer(s.limit)
		defer t.Stop()
		late = t.C
	}
	select {
	case b, ok := <-answer:
		if !ok {
			return nil, io.ErrUnexpectedEOF
		}
		return b, nil
	case <-late:
	}
	s.lock.Lock()
	if _, ok := s.waiting[tag]; ok {
		s.waiting[tag] = nil
	}
	s.lock.Unlock()
	return nil, errLate
}

// send writes a message. It is a goroutine of its own, because a server that reads nothing must not hold the caller up for longer than its limit.
func (s *stream) send(m []byte) {
	s.out.Lock()
	defer s.out.Unlock()
	if _, err := s.conn.Write(m); err != nil {
		s.fail(err) // the connection may be one whose two halves end apart
	}
}

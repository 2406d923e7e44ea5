// Package nine serves a tree of files by 9P2000, the protocol of Plan 9 (intro(5) of its manual): in an image, the
// program's name space to the host.
//
// A request that may wait, such as a read of a pipe, has a goroutine of its own. The rest is done in the order of arrival.
// There are no users: who can send requests may do what the program may.
package nine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"9fans.net/go/plan9"
)

const (
	// MaxMessage is the longest message.
	MaxMessage = 32 << 10

	version     = "9P2000"
	maxFids     = 512 // of a session
	maxRequests = 64  // at once
	minMessage  = 256
)

// Read reads a message of at most limit bytes.
func Read(r io.Reader, limit uint32) (*plan9.Fcall, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n < 7 || n > limit {
		return nil, fmt.Errorf("a message of %d bytes, and 7 to %d are possible", n, limit)
	}
	b := make([]byte, n)
	copy(b, size[:])
	if _, err := io.ReadFull(r, b[4:]); err != nil {
		return nil, err
	}
	return plan9.UnmarshalFcall(b)
}

// session is a connection's state.
type session struct {
	conn io.ReadWriter
	tree Tree

	out sync.Mutex // guards writing to conn, and comes before lock

	lock     sync.Mutex
	msize    uint32 // 0: there was no Tversion yet
	fids     map[uint32]*fid
	requests map[uint16]*request
}

// request is one that is not answered yet.
type request struct{ flushed bool } // it must not be answered any more; session.lock guards it

// Serve serves the tree to the other end of conn until that is gone or sends no 9P, and returns why. All files are closed then,
// which ends requests that wait in one. The caller has to close conn.
func Serve(conn io.ReadWriter, tree Tree) error {
	s := &session{conn: conn, tree: tree}
	s.reset()
	defer s.reset()
	return s.loop()
}

// reset ends all requests and closes all files.
func (s *session) reset() {
	s.lock.Lock()
	for _, r := range s.requests {
		r.flushed = true
	}
	old := s.fids
	s.fids, s.requests = map[uint32]*fid{}, map[uint16]*request{}
	s.lock.Unlock()
	for _, f := range old {
		f.close()
	}
}

// loop reads requests.
func (s *session) loop() error {
	for {
		s.lock.Lock()
		limit := s.msize
		s.lock.Unlock()
		if limit == 0 {
			limit = MaxMessage
		}
		t, err := Read(s.conn, limit)
		if err != nil {
			return err
		}
		if err := s.begin(t); err != nil {
			return err
		}
	}
}

// begin carries a request out, or has a goroutine do so. The error is one of the connection.
func (s *session) begin(t *plan9.Fcall) error {
	if t.Type%2 != 0 || t.Type == plan9.Terror {
		return fmt.Errorf("a message of type %d, which is no request", t.Type)
	}
	if t.Type == plan9.Tversion {
		return s.write(s.version(t))
	}
	s.lock.Lock()
	ready, twice, many := s.msize != 0, s.requests[t.Tag] != nil, len(s.requests) >= maxRequests
	r := &request{}
	if ready && !twice && !many {
		s.requests[t.Tag] = r
	}
	s.lock.Unlock()
	switch {
	case !ready:
		return errors.New("a request before Tversion")
	case twice:
		return fmt.Errorf("two requests with the tag %d", t.Tag)
	case many:
		return s.write(&plan9.Fcall{Type: plan9.Rerror, Tag: t.Tag, Ename: fmt.Sprintf("more than %d requests at once", maxRequests)})
	}
	switch t.Type {
	case plan9.Topen, plan9.Tcreate, plan9.Tread, plan9.Twrite:
		f, err := s.fid(t.Fid)
		if err != nil {
			return s.answer(r, t, nil, err)
		}
		go func() {
			answer, err := s.file(r, f, t)
			s.answer(r, t, answer, err) // if that fails, so does the next Read
		}()
		return nil
	}
	answer, err := s.do(t)
	return s.answer(r, t, answer, err)
}

// version begins the session anew.
func (s *session) version(t *plan9.Fcall) *plan9.Fcall {
	s.reset()
	r := &plan9.Fcall{Type: plan9.Rversion, Tag: t.Tag, Msize: min(t.Msize, MaxMessage), Version: version}
	if t.Msize < minMessage {
		return &plan9.Fcall{Type: plan9.Rerror, Tag: t.Tag, Ename: fmt.Sprintf("messages of %d bytes are too short, %d are wanted", t.Msize, minMessage)}
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.msize = r.Msize
	if len(t.Version) < len(version) || t.Version[:len(version)] != version {
		r.Version, s.msize = "unknown", 0
	}
	return r
}

// answer answers request r, which was t, unless it was flushed.
//
// No answer follows that of its Tflush: whether r is flushed is asked, and the answer written, with out held, and
// flush takes out when it has marked r.
func (s *session) answer(r *request, t, answer *plan9.Fcall, err error) error {
	if err != nil {
		answer = &plan9.Fcall{Type: plan9.Rerror, Ename: sentence(err)}
	}
	answer.Tag = t.Tag
	b, err := answer.Bytes()
	if err != nil {
		return err
	}
	s.out.Lock()
	defer s.out.Unlock()
	s.lock.Lock()
	flushed := r.flushed
	if !flushed {
		delete(s.requests, t.Tag)
	}
	s.lock.Unlock()
	if flushed {
		return nil
	}
	_, err = s.conn.Write(b)
	return err
}

// write writes an answer that no flush can be about.
func (s *session) write(answer *plan9.Fcall) error {
	b, err := answer.Bytes()
	if err != nil {
		return err
	}
	s.out.Lock()
	defer s.out.Unlock()
	_, err = s.conn.Write(b)
	return err
}

// flush ends the request with that tag, if there is one: it is not answered, and an open that was not over does not
// open.
func (s *session) flush(tag uint16) {
	s.lock.Lock()
	if r := s.requests[tag]; r != nil {
		r.flushed = true
		delete(s.requests, tag)
	}
	s.lock.Unlock()
}

// fid returns the fid of a number.
func (s *session) fid(n uint32) (*fid, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if f := s.fids[n]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("fid %d is not known", n)
}

// setFid gives f a number. old is what may have it now: nil, or the fid that walks to itself.
func (s *session) setFid(n uint32, f, old *fid) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case n == plan9.NOFID || s.fids[n] != nil && s.fids[n] != old:
		return fmt.Errorf("fid %d is in use", n)
	case s.fids[n] == nil && len(s.fids) >= maxFids:
		return fmt.Errorf("more than %d fids", maxFids)
	}
	s.fids[n] = f
	return nil
}

// clunk takes a number away.
func (s *session) clunk(n uint32) (*fid, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	f := s.fids[n]
	if f == nil {
		return nil, fmt.Errorf("fid %d is not known", n)
	}
	delete(s.fids, n)
	return f, nil
}

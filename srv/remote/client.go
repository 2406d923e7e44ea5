package remote

import (
	"encoding/binary"
	"io/fs"
	"sync"
	"syscall"

	"sched9/srv/mount"
)

// A Line carries messages to a server and its answers back.
type Line interface {
	// Call sends a message of at most Size bytes, with a tag that it gives it and no other that is under way has, waits for the answer, and
	// returns that: the caller's, whole as far as the line knows. It gives up after a while. Any goroutines may call at a time.
	Call(message []byte) (answer []byte, err error)
	// Size is the longest message that it carries in either direction.
	Size() int
}

// client is a session with a server.
type client struct {
	line  Line
	size  int // the longest message
	linux bool

	lock sync.Mutex
	free []uint32 // fids that were in use
	next uint32   // the first that never was
}

// Attach begins a session over a line that nobody else uses, and returns the root of the server's tree.
func Attach(line Line) (mount.Node, error) {
	c := &client{line: line, size: line.Size()}
	a, err := c.call(newRequest(typeVersion).u32(uint32(c.size)).text("9P2000.L"))
	if err != nil {
		return nil, err
	}
	size, version := a.u32(), a.text()
	if err := a.end(); err != nil || size < minMessage || (version != "9P2000.L" && version != "9P2000") {
		return nil, errGarbage
	}
	c.size, c.linux = min(c.size, int(size)), version == "9P2000.L"
	fid := c.fid()
	r := newRequest(typeAttach).u32(fid).u32(noFid).text("root").text("")
	if c.linux {
		r.u32(0) // the user's number
	}
	if a, err = c.call(r); err != nil {
		return nil, err
	}
	q := a.qid()
	return c.node(fid, q), a.end()
}

// call sends a request and returns the answer, without its header.
func (c *client) call(r *request) (*answer, error) {
	m := r.message()
	if len(m) > c.size {
		return nil, syscall.ENAMETOOLONG // only names make it so long
	}
	kind := m[4]
	b, err := c.line.Call(m)
	switch {
	case err != nil:
		return nil, err
	case len(b) < headerSize || len(b) > c.size || int(binary.LittleEndian.Uint32(b)) != len(b) || [2]byte(b[5:]) != [2]byte(m[5:]):
		return nil, errGarbage
	}
	a := &answer{b: b[headerSize:]}
	switch b[4] {
	case kind + 1:
		return a, nil
	case answerLerror, answerError:
		return nil, a.failure(b[4])
	}
	return nil, errGarbage
}

// do is a call whose answer has nothing of interest.
func (c *client) do(r *request) error {
	_, err := c.call(r)
	return err
}

// fid returns a number for a file.
func (c *client) fid() uint32 {
	c.lock.Lock()
	defer c.lock.Unlock()
	if n := len(c.free); n > 0 {
		f := c.free[n-1]
		c.free = c.free[:n-1]
		return f
	}
	c.next++
	return c.next - 1
}

// forget has a number be given to other files, unless the server may have it still: err is of the call by which it would have got it, or lost it.
func (c *client) forget(fid uint32, err error) {
	switch err.(type) {
	case nil, syscall.Errno, sentence:
	default:
		return
	}
	c.lock.Lock()
	c.free = append(c.free, fid)
	c.lock.Unlock()
}

// walk returns a new file of the server's: that of a name in the directory fid, or without names, the same file again.
func (c *client) walk(fid uint32, names ...string) (uint32, qid, error) {
	to := c.fid()
	r := newRequest(typeWalk).u32(fid).u32(to).u16(uint16(len(names)))
	for _, name := range names {
		r.text(name)
	}
	a, err := c.call(r)
	var q qid
	if err == nil {
		if n := int(a.u16()); n != len(names) {
			err = errGarbage
			if n < len(names) && !a.bad { // it went as far as it could, so there is none
				err = syscall.ENOENT
			}
		}
		for range names {
			if err == nil {
				q = a.qid()
				err = a.end()
			}
		}
	}
	if err != nil {
		c.forget(to, err)
		return 0, q, err
	}
	return to, q, nil
}

// file is what nodes of both kinds of servers have.
type file struct {
	c    *client
	fid  uint32
	kind uint8
	room int // of data in a message, as an open has said; 0: as much as fits
}

// Type implements mount.Typer.
func (f *file) Type() fs.FileMode {
	switch {
	case f.kind&qidDir != 0:
		return fs.ModeDir
	case f.kind&qidLink != 0:
		return fs.ModeSymlink
	}
	return 0
}

// Close tells the server that the file is not used any more.
func (f *file) Close() error {
	err := f.c.do(newRequest(typeClunk).u32(f.fid))
	f.c.forget(f.fid, err)
	return err
}

// most is how many bytes a message has room for.
func (f *file) most() int {
	n := f.c.size - ioHeader
	if f.room > 0 {
		n = min(n, f.room)
	}
	return n
}

// setRoom heeds what an open says of the room in messages.
func (f *file) setRoom(n uint32) { f.room = int(min(n, uint32(f.c.size))) }

// readSome reads as much as one message holds.
func (f *file) readSome(kind uint8, b []byte, at uint64) ([]byte, error) {
	n := min(len(b), f.most())
	a, err := f.c.call(newRequest(kind).u32(f.fid).u64(at).u32(uint32(n)))
	if err != nil {
		return nil, err
	}
	got := a.take(int(a.u32()))
	if err := a.end(); err != nil || len(got) > n {
		return nil, errGarbage
	}
	return got, nil
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(b []byte, at int64) (done int, err error) {
	for done < len(b) {
		got, err := f.readSome(typeRead, b[done:], uint64(at)+uint64(done))
		if err != nil {
			return done, err
		}
		n := copy(b[done:], got)
		if done += n; n < min(len(b), f.most()) {
			break
		}
	}
	return done, nil
}

// WriteAt implements io.WriterAt.
func (f *file) WriteAt(b []byte, at int64) (done int, err error) {
	for done < len(b) {
		piece := b[done:]
		piece = piece[:min(len(piece), f.most())]
		a, err := f.c.call(newRequest(typeWrite).u32(f.fid).u64(uint64(at) + uint64(done)).data(piece))
		if err != nil {
			return done, err
		}
		n := a.u32()
		if err := a.end(); err != nil || int64(n) > int64(len(piece)) {
			return done, errGarbage
		}
		if done += int(n); int(n) < len(piece) {
			break
		}
	}
	return done, nil
}

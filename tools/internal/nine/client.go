// Package nine is the host's side of a guest's files: a client of 9P2000 (client.go), the way from an address of the host to the
// guest's wire (relay.go), and where the addresses of guests that run are noted (place.go).
package nine

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"path"
	"slices"
	"strings"
	"time"

	"9fans.net/go/plan9"

	"sched9/srv/nine"
)

// Client is a session with a guest. It believes nothing that the guest says: an answer that does not fit is an error, and so
// is one that does not come in time. It is for one goroutine.
type Client struct {
	conn  net.Conn
	limit time.Duration
	msize uint32
	next  uint32 // fid
}

// batch is how many requests are sent before their answers are read. They are short, so both ends' buffers hold them.
const batch = 32

// rootFid is the fid of the root.
const rootFid = 0

// ErrGarbage is what an answer is that does not fit its request.
var ErrGarbage = errors.New("the guest's answer makes no sense")

// Error is an error that the guest reports.
type Error string

// Error implements error.
func (e Error) Error() string { return string(e) }

// Dial begins a session with the guest at address (see Address). limit is how long each answer may take, 0: for ever.
func Dial(address string, limit time.Duration) (*Client, error) {
	network, at, err := Address(address)
	if err != nil {
		return nil, err
	}
	conn, err := net.DialTimeout(network, at, dialLimit)
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, fmt.Errorf("no guest serves its files at %s: %w", address, err)
	}
	c, err := New(conn, limit)
	if err != nil {
		conn.Close()
	}
	return c, err
}

// dialLimit is for a connection to a process of this host, mostly.
const dialLimit = 10 * time.Second

// New begins a session on conn.
func New(conn net.Conn, limit time.Duration) (*Client, error) {
	c := &Client{conn: conn, limit: limit, msize: nine.MaxMessage, next: rootFid + 1}
	r, err := c.ask(&plan9.Fcall{Type: plan9.Tversion, Tag: plan9.NOTAG, Msize: c.msize, Version: "9P2000"})
	if err != nil {
		return nil, err
	}
	if r.Version != "9P2000" || r.Msize > c.msize || r.Msize < 256 {
		return nil, fmt.Errorf("%w: it speaks %q in messages of %d bytes", ErrGarbage, r.Version, r.Msize)
	}
	c.msize = r.Msize
	_, err = c.ask(&plan9.Fcall{Type: plan9.Tattach, Fid: rootFid, Afid: plan9.NOFID, Uname: "sched9"})
	return c, err
}

// Close ends the session.
func (c *Client) Close() error { return c.conn.Close() }

// room is how many bytes of data a message holds.
func (c *Client) room() int { return int(c.msize) - plan9.IOHDRSIZE }

// ask sends a request and returns the answer.
func (c *Client) ask(t *plan9.Fcall) (*plan9.Fcall, error) {
	tag := t.Tag
	all, err := c.send([]*plan9.Fcall{t}, tag)
	if err != nil {
		return nil, err
	}
	if all[0].Type == plan9.Rerror {
		return nil, Error(all[0].Ename)
	}
	return all[0], nil
}

// send sends requests, with tags from first on, and returns their answers, each of the right type or an Rerror. Any error ends
// the session.
func (c *Client) send(all []*plan9.Fcall, first uint16) ([]*plan9.Fcall, error) {
	var out []byte
	for i, t := range all {
		t.Tag = first + uint16(i)
		b, err := t.Bytes()
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
	}
	if c.limit > 0 {
		c.conn.SetDeadline(time.Now().Add(c.limit))
	}
	if _, err := c.conn.Write(out); err != nil {
		return nil, c.gone(err)
	}
	answers := make([]*plan9.Fcall, len(all))
	for range all {
		r, err := nine.Read(c.conn, c.msize)
		if err != nil {
			return nil, c.gone(err)
		}
		if c.limit > 0 {
			c.conn.SetDeadline(time.Now().Add(c.limit))
		}
		i := int(r.Tag - first)
		if i >= len(all) || answers[i] != nil || r.Type != all[i].Type+1 && r.Type != plan9.Rerror {
			return nil, fmt.Errorf("%w: type %d, tag %d", ErrGarbage, r.Type, r.Tag)
		}
		answers[i] = r
	}
	return answers, nil
}

// gone says what it means that the connection failed.
func (c *Client) gone(err error) error {
	var timeout net.Error
	var protocol plan9.ProtocolError
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("the guest did not answer within %v", c.limit)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &timeout):
		return errors.New("the guest is gone")
	case errors.As(err, &protocol):
		return fmt.Errorf("%w: %v", ErrGarbage, err)
	}
	return fmt.Errorf("%w: %v", ErrGarbage, err)
}

// File is one of several files that are read at once.
type File struct {
	Name string
	Data []byte
	Err  error // an Error

	fid uint32 // 0: it has none
	end bool
}

// each sends a request for each of at most batch files for which want returns one, and gives the answers to got.
func (c *Client) each(files []*File, want func(*File) *plan9.Fcall, got func(*File, *plan9.Fcall) error) error {
	var of []*File
	var requests []*plan9.Fcall
	for _, f := range files {
		if t := want(f); t != nil {
			of, requests = append(of, f), append(requests, t)
		}
	}
	answers, err := c.send(requests, 1)
	for i, r := range answers {
		if r.Type == plan9.Rerror {
			of[i].Err = Error(r.Ename)
		} else if err == nil {
			err = got(of[i], r)
		}
	}
	return err
}

// walk gives each file a fid, unless that is an error.
func (c *Client) walk(files []*File) error {
	err := c.each(files, func(f *File) *plan9.Fcall {
		elems := elements(f.Name)
		if len(elems) > plan9.MAXWELEM {
			f.Err = Error(fmt.Sprintf("a name of more than %d elements", plan9.MAXWELEM))
			return nil
		}
		f.fid = c.next
		c.next++
		return &plan9.Fcall{Type: plan9.Twalk, Fid: rootFid, Newfid: f.fid, Wname: elems}
	}, func(f *File, r *plan9.Fcall) error {
		switch n := len(elements(f.Name)); {
		case len(r.Wqid) > n:
			return fmt.Errorf("%w: a walk of %d steps", ErrGarbage, len(r.Wqid))
		case len(r.Wqid) < n:
			f.Err = Error("no such file or directory")
		}
		return nil
	})
	for _, f := range files {
		if f.Err != nil {
			f.fid = 0
		}
	}
	return err
}

// open walks to each file and opens it, unless that is an error.
func (c *Client) open(files []*File, mode uint8) error {
	if err := c.walk(files); err != nil {
		return err
	}
	return c.each(files, func(f *File) *plan9.Fcall {
		if f.fid == 0 {
			return nil
		}
		return &plan9.Fcall{Type: plan9.Topen, Fid: f.fid, Mode: mode}
	}, nothing)
}

// nothing takes an answer that says no more than that the request succeeded.
func nothing(*File, *plan9.Fcall) error { return nil }

// close takes the files' fids away.
func (c *Client) close(files []*File) error {
	return c.each(files, func(f *File) *plan9.Fcall {
		if f.fid == 0 {
			return nil
		}
		return &plan9.Fcall{Type: plan9.Tclunk, Fid: f.fid}
	}, nothing)
}

// elements are those of a name.
func elements(name string) []string {
	return strings.FieldsFunc(path.Clean("/"+name), func(r rune) bool { return r == '/' })
}

// maxSmall is how much ReadFiles reads of a file.
const maxSmall = 64 << 10

// ReadFiles reads files that are small. What is wrong with one is in its Err; the error is the session's.
func (c *Client) ReadFiles(files []*File) error {
	for some := range slices.Chunk(files, batch) {
		if err := c.open(some, plan9.OREAD); err != nil {
			return err
		}
		for more := true; more; {
			more = false
			err := c.each(some, func(f *File) *plan9.Fcall {
				if f.Err != nil || f.end {
					return nil
				}
				more = true
				return &plan9.Fcall{Type: plan9.Tread, Fid: f.fid, Offset: uint64(len(f.Data)), Count: uint32(c.room())}
			}, func(f *File, r *plan9.Fcall) error {
				f.Data = append(f.Data, r.Data...)
				f.end = len(r.Data) == 0 || len(f.Data) >= maxSmall
				return nil
			})
			if err != nil {
				return err
			}
		}
		if err := c.close(some); err != nil {
			return err
		}
	}
	return nil
}

// Handle is an open file.
type Handle struct {
	c   *Client
	fid uint32
}

// one walks to a file, by which it gets a fid.
func (c *Client) one(name string) (*File, error) {
	f := &File{Name: name}
	err := c.walk([]*File{f})
	if err == nil {
		err = f.Err
	}
	return f, err
}

// fail takes a fid away after an error, which it returns.
func (c *Client) fail(fid uint32, err error) error {
	var reported Error
	if errors.As(err, &reported) { // else there is no session any more
		c.ask(&plan9.Fcall{Type: plan9.Tclunk, Fid: fid})
	}
	return err
}

// Open opens a file. mode is Plan 9's.
func (c *Client) Open(name string, mode uint8) (*Handle, error) {
	f, err := c.one(name)
	if err != nil {
		return nil, err
	}
	if _, err := c.ask(&plan9.Fcall{Type: plan9.Topen, Fid: f.fid, Mode: mode}); err != nil {
		return nil, c.fail(f.fid, err)
	}
	return &Handle{c, f.fid}, nil
}

// Create makes a file, or with DMDIR in perm a directory, that there is not, and opens it.
func (c *Client) Create(name string, mode uint8, perm plan9.Perm) (*Handle, error) {
	f, err := c.one(path.Dir(path.Clean("/" + name)))
	if err != nil {
		return nil, err
	}
	if _, err := c.ask(&plan9.Fcall{Type: plan9.Tcreate, Fid: f.fid, Name: path.Base(name), Mode: mode, Perm: perm}); err != nil {
		return nil, c.fail(f.fid, err)
	}
	return &Handle{c, f.fid}, nil
}

// Close closes the file.
func (h *Handle) Close() error {
	_, err := h.c.ask(&plan9.Fcall{Type: plan9.Tclunk, Fid: h.fid})
	return err
}

// Read reads what there is at offset, up to as much as a message holds; 0 bytes: the end.
func (h *Handle) Read(b []byte, offset uint64) (n int, err error) {
	r, err := h.c.ask(&plan9.Fcall{Type: plan9.Tread, Fid: h.fid, Offset: offset, Count: uint32(min(len(b), h.c.room()))})
	if err != nil {
		return 0, err
	}
	if len(r.Data) > len(b) {
		return 0, fmt.Errorf("%w: it read %d bytes for %d", ErrGarbage, len(r.Data), len(b))
	}
	return copy(b, r.Data), nil
}

// Write writes all of b at offset.
func (h *Handle) Write(b []byte, offset uint64) (n int, err error) {
	for n < len(b) {
		part := b[n:min(len(b), n+h.c.room())]
		r, err := h.c.ask(&plan9.Fcall{Type: plan9.Twrite, Fid: h.fid, Offset: offset + uint64(n), Data: part})
		if err != nil {
			return n, err
		}
		if r.Count == 0 || int(r.Count) > len(part) {
			return n, fmt.Errorf("%w: it wrote %d of %d bytes", ErrGarbage, r.Count, len(part))
		}
		n += int(r.Count)
	}
	return n, nil
}

// Copy writes what is in a file to w, as it comes.
func (c *Client) Copy(w io.Writer, name string) error {
	h, err := c.Open(name, plan9.OREAD)
	if err != nil {
		return err
	}
	b := make([]byte, c.room())
	for offset := uint64(0); ; {
		n, err := h.Read(b, offset)
		if err == nil && n == 0 {
			return h.Close()
		}
		if err == nil {
			_, err = w.Write(b[:n])
		}
		if err != nil {
			return c.fail(h.fid, err)
		}
		offset += uint64(n)
	}
}

// Write makes what r has the contents of a file that exists; or it is a command, for a ctl file.
func (c *Client) Write(name string, r io.Reader) error {
	h, err := c.Open(name, plan9.OWRITE|plan9.OTRUNC)
	if err != nil {
		return err
	}
	b := make([]byte, c.room())
	for offset := uint64(0); ; {
		n, err := io.ReadFull(r, b)
		if n == 0 && err == io.EOF {
			return h.Close()
		}
		if err == nil || err == io.ErrUnexpectedEOF {
			_, err = h.Write(b[:n], offset)
		}
		if err != nil {
			return c.fail(h.fid, err)
		}
		offset += uint64(n)
	}
}

// Remove removes a file, or a directory that is empty.
func (c *Client) Remove(name string) error {
	f, err := c.one(name)
	if err == nil {
		_, err = c.ask(&plan9.Fcall{Type: plan9.Tremove, Fid: f.fid})
	}
	return err
}

// Change changes what fn sets in a file's attributes.
func (c *Client) Change(name string, fn func(*plan9.Dir)) error {
	f, err := c.one(name)
	if err != nil {
		return err
	}
	var d plan9.Dir
	d.Null()
	fn(&d)
	b, err := d.Bytes()
	if err == nil {
		_, err = c.ask(&plan9.Fcall{Type: plan9.Twstat, Fid: f.fid, Stat: b})
	}
	if err != nil {
		return c.fail(f.fid, err)
	}
	return c.close([]*File{f})
}

// listing is what a directory holds: at most maxListing bytes.
type listing []byte

// maxListing is more than a guest's 100,000 goroutines take.
const maxListing = 32 << 20

// Write implements io.Writer.
func (l *listing) Write(b []byte) (int, error) {
	if len(*l)+len(b) > maxListing {
		return 0, fmt.Errorf("%w: a directory without end", ErrGarbage)
	}
	*l = append(*l, b...)
	return len(b), nil
}

// ReadDir returns what is in a directory, by name.
func (c *Client) ReadDir(name string) (all []*plan9.Dir, err error) {
	var data listing
	if err := c.Copy(&data, name); err != nil {
		return nil, err
	}
	for b := []byte(data); len(b) > 0; {
		if len(b) < 2 {
			return nil, fmt.Errorf("%w: %s is no directory", ErrGarbage, name)
		}
		n := 2 + int(binary.LittleEndian.Uint16(b))
		if n > len(b) {
			return nil, fmt.Errorf("%w: %s is no directory", ErrGarbage, name)
		}
		d, err := plan9.UnmarshalDir(b[:n])
		if err != nil {
			return nil, fmt.Errorf("%w: %v", ErrGarbage, err)
		}
		all, b = append(all, d), b[n:]
	}
	slices.SortFunc(all, func(a, b *plan9.Dir) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// Stat returns what there is to say of a file.
func (c *Client) Stat(name string) (*plan9.Dir, error) {
	f, err := c.one(name)
	if err != nil {
		return nil, err
	}
	r, err := c.ask(&plan9.Fcall{Type: plan9.Tstat, Fid: f.fid})
	if err != nil {
		return nil, c.fail(f.fid, err)
	}
	d, err := plan9.UnmarshalDir(r.Stat)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrGarbage, err)
	}
	return d, c.close([]*File{f})
}

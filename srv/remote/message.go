// Package remote is a file server at the other end of a line that speaks 9P: 9P2000.L, as Linux and QEMU have it, or 9P2000, Plan 9's. Its files are
// nodes of package mount, whose methods may be called by any goroutines at a time.
//
// Nothing that comes over the line is believed. An answer that does not come in time, or is no answer to what was asked, is EIO, and touches nothing but
// the call that waits for it.
package remote

import (
	"encoding/binary"
	"errors"
	"syscall"
)

// Types of messages: a request's, whose answer's is one more (Linux's include/net/9p/9p.h, and intro(5) of Plan 9's manual).
const (
	typeStatfs    = 8
	typeLopen     = 12
	typeLcreate   = 14
	typeSymlink   = 16
	typeMknod     = 18
	typeReadlink  = 22
	typeGetattr   = 24
	typeSetattr   = 26
	typeReaddir   = 40
	typeFsync     = 50
	typeLink      = 70
	typeMkdir     = 72
	typeRenameat  = 74
	typeUnlinkat  = 76
	typeVersion   = 100
	typeAttach    = 104
	typeWalk      = 110
	typeOpen      = 112
	typeCreate    = 114
	typeRead      = 116
	typeWrite     = 118
	typeClunk     = 120
	typeRemove    = 122
	typeStat      = 124
	typeWstat     = 126
	answerLerror  = 7
	answerError   = 107
	noTag, noFid  = ^uint16(0), ^uint32(0)
	headerSize    = 7  // length, type, tag
	ioHeader      = 24 // of a read or write, at most
	qidSize       = 13
	maxName       = 255
	minMessage    = 4096 // shorter ones are not worth the trouble
	maxText       = 1<<16 - 1
	qidDir        = 0x80
	qidLink       = 0x02
	directoryMode = 1 << 31 // DMDIR
)

// errGarbage is what an answer that makes no sense comes to.
var errGarbage = errors.New("the file server's answer makes no sense")

// request is a message on its way out.
type request struct {
	b []byte
}

// newRequest begins a message.
func newRequest(kind uint8) *request {
	return &request{b: append(make([]byte, 4, 64), kind, byte(noTag&0xff), byte(noTag>>8))}
}

// The fields of a message, one after the other.

func (r *request) u8(v uint8) *request   { r.b = append(r.b, v); return r }
func (r *request) u16(v uint16) *request { r.b = binary.LittleEndian.AppendUint16(r.b, v); return r }
func (r *request) u32(v uint32) *request { r.b = binary.LittleEndian.AppendUint32(r.b, v); return r }
func (r *request) u64(v uint64) *request { r.b = binary.LittleEndian.AppendUint64(r.b, v); return r }
func (r *request) text(s string) *request {
	s = s[:min(len(s), maxText)]
	r.u16(uint16(len(s)))
	r.b = append(r.b, s...)
	return r
}
func (r *request) data(b []byte) *request {
	r.u32(uint32(len(b)))
	r.b = append(r.b, b...)
	return r
}

// message is the whole message.
func (r *request) message() []byte {
	binary.LittleEndian.PutUint32(r.b, uint32(len(r.b)))
	return r.b
}

// answer is what has come, without the header. A field that is not there makes it bad, and is zero, as are all that follow.
type answer struct {
	b   []byte
	bad bool
}

// take returns the next n bytes.
func (a *answer) take(n int) []byte {
	if a.bad || n < 0 || n > len(a.b) {
		a.bad, a.b = true, nil
		return nil
	}
	b := a.b[:n:n]
	a.b = a.b[n:]
	return b
}

func (a *answer) u8() (v uint8) {
	if b := a.take(1); b != nil {
		v = b[0]
	}
	return v
}

func (a *answer) u16() (v uint16) {
	if b := a.take(2); b != nil {
		v = binary.LittleEndian.Uint16(b)
	}
	return v
}

func (a *answer) u32() (v uint32) {
	if b := a.take(4); b != nil {
		v = binary.LittleEndian.Uint32(b)
	}
	return v
}

func (a *answer) u64() (v uint64) {
	if b := a.take(8); b != nil {
		v = binary.LittleEndian.Uint64(b)
	}
	return v
}

func (a *answer) text() string { return string(a.take(int(a.u16()))) }

// qid is what a server calls a file: its kind, and a number.
type qid struct {
	kind uint8
	path uint64
}

func (a *answer) qid() (q qid) {
	q.kind = a.u8()
	a.u32() // version
	q.path = a.u64()
	return q
}

// end is the error of an answer whose fields have been read.
func (a *answer) end() error {
	if a.bad {
		return errGarbage
	}
	return nil
}

// failure is the error that an answer of an error's type tells: Linux's number, or in 9P2000 a sentence.
func (a *answer) failure(kind uint8) error {
	if kind == answerLerror {
		e := syscall.Errno(a.u32())
		if a.bad || e == 0 || e >= 4096 {
			return errGarbage
		}
		return e
	}
	text := a.text()
	if a.bad {
		return errGarbage
	}
	if e, ok := sentences[text]; ok {
		return e
	}
	return sentence(text)
}

// sentence is an error of a server's that has no number.
type sentence string

// Error implements error.
func (s sentence) Error() string { return string(s) }

// sentences are errors of Linux's by what servers of 9P2000 say: Linux's own words, as srv/nine has them, and Plan 9's.
var sentences = func() map[string]syscall.Errno {
	m := map[string]syscall.Errno{
		"file does not exist": syscall.ENOENT, "file not found": syscall.ENOENT, "directory entry not found": syscall.ENOENT, "no such file": syscall.ENOENT,
		"file already exists": syscall.EEXIST, "create prohibited": syscall.EPERM, "remove prohibited": syscall.EPERM, "wstat prohibited": syscall.EPERM,
		"not a directory": syscall.ENOTDIR, "directory not empty": syscall.ENOTEMPTY, "file in use": syscall.EBUSY, "file or directory is read only": syscall.EROFS,
	}
	for e := syscall.Errno(1); e < 134; e++ {
		m[e.Error()] = e
	}
	return m
}()

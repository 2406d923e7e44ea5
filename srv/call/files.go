package call

import (
	"sync"
	"sync/atomic"
	"syscall"
)

// File is an open file of a server's. One that has several numbers (dup) is one file still.
type File interface {
	// Gone is called when the file has lost its last number. Calls may still be under way.
	Gone()
}

// MaxFiles is above all numbers of files (kernel/fd).
const MaxFiles = 1 << 18

// files are the servers' files by number. A number's entry is set before the number is known to the program, and cleared
// before the kernel may give it to another file. lock guards changes.
var files struct {
	lock  sync.Mutex
	parts [MaxFiles / partFiles]atomic.Pointer[part] // one is made when a number in it is first used, and kept
}

const partFiles = 512

// part is the entries of partFiles numbers.
type part [partFiles]atomic.Pointer[entry]

// entry is a file in the table.
type entry struct {
	file File
	refs int // its numbers; files.lock
}

// At returns the servers' file of a number, or nil.
func At(n uintptr) File {
	if e := entryAt(n); e != nil {
		return e.file
	}
	return nil
}

// entryAt is At's.
func entryAt(n uintptr) *entry {
	if n >= MaxFiles {
		return nil
	}
	if p := files.parts[n/partFiles].Load(); p != nil {
		return p[n%partFiles].Load()
	}
	return nil
}

// setEntry makes e the entry of a number, nil: it has none. files.lock is held.
func setEntry(n uintptr, e *entry) {
	at := &files.parts[n/partFiles]
	if at.Load() == nil {
		if e == nil {
			return
		}
		at.Store(new(part))
	}
	at.Load()[n%partFiles].Store(e)
}

// Open gives a file a number, which it returns, Fail's for an error. flags may have O_NONBLOCK. fn makes the file, whose place is what
// Ready is told.
func Open(flags uintptr, fn func(place int) File) uintptr {
	files.lock.Lock()
	defer files.lock.Unlock()
	n, place, errno := open(flags)
	if errno != 0 {
		return Fail(errno)
	}
	setEntry(uintptr(n), &entry{file: fn(place), refs: 1})
	return uintptr(n)
}

// Close is close of any file's number.
func Close(n uintptr) uintptr {
	if n >= MaxFiles {
		return Fail(syscall.EBADF)
	}
	files.lock.Lock()
	e := entryAt(n)
	setEntry(n, nil)
	r := Kernel(syscall.SYS_CLOSE, n, 0, 0)
	files.lock.Unlock()
	drop(e)
	return r
}

// drop ends a number's use of e, if there is one.
func drop(e *entry) {
	if e == nil {
		return
	}
	files.lock.Lock()
	e.refs--
	last := e.refs == 0
	files.lock.Unlock()
	if last {
		e.file.Gone()
	}
}

// Duplicate is dup and its kin of any file: num, a, b and c are a call that returns another number of file a.
func Duplicate(num, a, b, c uintptr) uintptr {
	replaced := uintptr(MaxFiles) // the number that the call may take from another file
	if num == syscall.SYS_DUP3 || num == sysDup2 {
		replaced = b
	}
	files.lock.Lock()
	e, old := entryAt(a), entryAt(replaced)
	if replaced == a {
		old = nil
	}
	if old != nil {
		setEntry(replaced, nil)
	}
	r := Kernel(num, a, b, c)
	switch {
	case Failed(r):
		if old != nil { // it is what it was
			setEntry(replaced, old)
			old = nil
		}
	case e != nil && entryAt(r) != e:
		e.refs++
		setEntry(r, e)
	}
	files.lock.Unlock()
	drop(old)
	return r
}

// servers are those of the image, in the order of their packages' init functions. Only these change it.
var servers []Server

// Serve adds a server. It is called by init functions.
func Serve(s Server) {
	if servers = append(servers, s); len(servers) == 1 {
		install()
	}
}

// dispatch carries out what is about numbers alone, for all servers, and asks them about the rest.
func dispatch(c Call) (r uintptr, served bool) {
	switch c.Num {
	case syscall.SYS_CLOSE:
		if At(c.A) != nil {
			return Close(c.A), true
		}
		return 0, false
	case syscall.SYS_DUP:
		if At(c.A) != nil {
			return Duplicate(c.Num, c.A, 0, 0), true
		}
		return 0, false
	case syscall.SYS_DUP3, sysDup2:
		if At(c.A) != nil || At(c.B) != nil {
			return Duplicate(c.Num, c.A, c.B, c.C), true
		}
		return 0, false
	case syscall.SYS_FCNTL:
		if (c.B == syscall.F_DUPFD || c.B == syscall.F_DUPFD_CLOEXEC) && At(c.A) != nil {
			return Duplicate(c.Num, c.A, c.B, c.C), true
		}
	}
	for _, s := range servers {
		if r, served = s(c); served {
			return r, true
		}
	}
	return 0, false
}

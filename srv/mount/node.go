// Package mount gives file servers places in the program's tree of names. A server is Go code of the image: what a call of the program's
// names below such a place, it carries out, on the goroutine that calls (package call). While it waits, that goroutine is parked
// as by any channel, and no processor is held: so one processor is enough for a server that is another goroutine.
package mount

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
	"time"
)

// Node is a file or a directory of a server. Its other methods are what it can do: each interface below is asked for when a call
// wants it, and the call fails if it is not there. Methods are called by any goroutines at a time. Errors are numbers of Linux's
// (syscall.Errno), or one of package fs's that has one; any other is EIO for the program.
//
// A node that is an io.Closer is closed when the last use of it is over. So Lookup and Open return new ones or such that may be
// closed again and again.
type Node interface {
	Stat() (Attr, error)
}

// Attr is what is known of a node.
type Attr struct {
	Mode                fs.FileMode // kind and permissions
	Size                int64
	ID                  uint64 // its number, the same for the same file; 0: one is made of the name
	Links               uint64
	UID, GID            uint32
	Rdev                uint64
	Blocks              int64 // of 512 bytes
	Atime, Mtime, Ctime time.Time
}

// Typer is a node that knows what kind it is without Stat.
type Typer interface {
	Type() fs.FileMode
}

// Directory is a directory.
type Directory interface {
	Node
	// Lookup returns the node of that name: ENOENT if there is none. name is never "." nor "..", and has no slash.
	Lookup(name string) (Node, error)
	// List returns what there is.
	List() ([]Entry, error)
}

// Entry is one of List's. ID is as in Attr.
type Entry struct {
	Name string
	Type fs.FileMode
	ID   uint64
}

// Opener is a node that is told of each open; what it returns is what is read and written then. flags are those of open, apart from O_CREATE
// and O_EXCL.
type Opener interface {
	Open(flags int) (Node, error)
}

// Files are read by io.ReaderAt, and written by io.WriterAt. A read that is short ends the program's; one may wait. io.EOF, and no bytes,
// mean the end.
var (
	_ io.ReaderAt
	_ io.WriterAt
)

// Syncer is a file that is told of fsync.
type Syncer interface {
	Sync() error
}

// Readlinker is a symbolic link.
type Readlinker interface {
	Readlink() (string, error)
}

// Change is what is to be changed of a node: what is not nil. A time that is zero means now.
type Change struct {
	Mode         *fs.FileMode // permissions
	UID, GID     *uint32
	Size         *int64
	Atime, Mtime *time.Time
}

// Setter is a node whose attributes can be changed. A file that is none may be truncated by open, which then does nothing.
type Setter interface {
	Set(Change) error
}

// Changer is a directory whose entries can be changed. Names are as Lookup's. Without it a directory is read-only.
type Changer interface {
	Directory
	// Create makes a file and opens it, or opens the one that somebody else has just made.
	Create(name string, flags int, mode fs.FileMode) (Node, error)
	Mkdir(name string, mode fs.FileMode) error
	Mknod(name string, mode fs.FileMode) error
	Symlink(name, target string) error
	Link(name string, old Node) error
	Remove(name string, dir bool) error
	// Rename gives the entry that name in the directory to, of the same server, and replaces what is there.
	Rename(old string, to Node, name string) error
}

// errnoOf is Linux's number of a server's error.
func errnoOf(err error) syscall.Errno {
	var errno syscall.Errno
	switch {
	case err == nil:
		return 0
	case errors.As(err, &errno) && errno != 0 && errno < 4096:
		return errno
	case errors.Is(err, fs.ErrNotExist):
		return syscall.ENOENT
	case errors.Is(err, fs.ErrExist):
		return syscall.EEXIST
	case errors.Is(err, fs.ErrPermission):
		return syscall.EACCES
	case errors.Is(err, fs.ErrInvalid):
		return syscall.EINVAL
	}
	return syscall.EIO
}

// modeBits pairs bits of Linux's modes with package fs's.
type modeBits struct {
	linux uint32
	mode  fs.FileMode
}

// kinds and special are what a mode has beside permissions.
var (
	kinds = []modeBits{
		{syscall.S_IFDIR, fs.ModeDir}, {syscall.S_IFLNK, fs.ModeSymlink}, {syscall.S_IFIFO, fs.ModeNamedPipe}, {syscall.S_IFSOCK, fs.ModeSocket},
		{syscall.S_IFCHR, fs.ModeDevice | fs.ModeCharDevice}, {syscall.S_IFBLK, fs.ModeDevice}, {syscall.S_IFREG, 0},
	}
	special = []modeBits{{syscall.S_ISUID, fs.ModeSetuid}, {syscall.S_ISGID, fs.ModeSetgid}, {syscall.S_ISVTX, fs.ModeSticky}}
)

// ToLinux is a mode as Linux has it.
func ToLinux(m fs.FileMode) uint32 {
	l := uint32(m.Perm())
	for _, k := range kinds {
		if m.Type() == k.mode {
			l |= k.linux
		}
	}
	for _, s := range special {
		if m&s.mode != 0 {
			l |= s.linux
		}
	}
	return l
}

// FromLinux is a mode of Linux's. One whose kind is none is a file's.
func FromLinux(l uint32) fs.FileMode {
	m := fs.FileMode(l) & fs.ModePerm
	for _, k := range kinds {
		if l&syscall.S_IFMT == k.linux {
			m |= k.mode
		}
	}
	for _, s := range special {
		if l&s.linux != 0 {
			m |= s.mode
		}
	}
	return m
}

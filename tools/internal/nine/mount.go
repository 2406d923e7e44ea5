package nine

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"
	"syscall"
	"time"

	"9fans.net/go/plan9"
	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// Mount is a guest's files in a directory of the host's, by FUSE.
//
// Names and attributes go by one session. Each open file has a session of its own, so that a read that waits keeps nothing
// else waiting. Nothing is cached: the guest's files change without notice.
type Mount struct {
	address string
	limit   time.Duration
	dir     string
	server  *fuse.Server
	watch   *Client // on which nothing is asked: it ends when the guest does

	lock   sync.Mutex
	common *Client // for names; nil: the last one failed
}

// MountAt shows the files of the guest at address in dir. limit is how long each of its answers may take; 0: for ever.
func MountAt(dir, address string, limit time.Duration) (*Mount, error) {
	watch, err := Dial(address, limit)
	if err != nil {
		return nil, err
	}
	watch.conn.SetDeadline(time.Time{})
	m := &Mount{address: address, limit: limit, dir: dir, watch: watch}
	m.server, err = fs.Mount(dir, &node{m: m}, &fs.Options{MountOptions: fuse.MountOptions{
		DirectMount: true, FsName: "sched9:" + address, Name: "9p", DisableXAttrs: true, MaxWrite: 128 << 10,
	}})
	if err != nil {
		watch.Close()
		return nil, fmt.Errorf("mount %s by FUSE: %w", dir, err)
	}
	return m, nil
}

// Wait returns when the directory is the host's again: because ctx is done or somebody unmounted it, nil, or because the guest has
// ended, an error. A directory in use goes out of sight at once, and its files answer EIO.
func (m *Mount) Wait(ctx context.Context) error {
	unmounted, gone := make(chan struct{}), make(chan struct{})
	go func() {
		m.server.Wait()
		close(unmounted)
	}()
	go func() {
		m.watch.conn.Read(make([]byte, 1))
		close(gone)
	}()
	var err error
	select {
	case <-unmounted:
	case <-ctx.Done():
		err = m.unmount()
	case <-gone:
		if err = m.unmount(); err == nil {
			err = errors.New("the guest is gone")
		}
	}
	m.watch.Close()
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.common != nil {
		m.common.Close()
	}
	return err
}

// unmount unmounts the directory, even if it is in use.
func (m *Mount) unmount() error {
	err := m.server.Unmount()
	if err != nil && syscall.Unmount(m.dir, syscall.MNT_DETACH) == nil {
		err = nil
	}
	return err
}

// do calls fn with the session for names, and makes an errno of its error.
func (m *Mount) do(fn func(*Client) error) syscall.Errno {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.common == nil {
		c, err := Dial(m.address, m.limit)
		if err != nil {
			return syscall.EIO
		}
		m.common = c
	}
	err := fn(m.common)
	var reported Error
	if err != nil && !errors.As(err, &reported) {
		m.common.Close()
		m.common = nil
	}
	return errno(err)
}

// errnos are the errors of Linux by what it says of them.
var errnos = func() map[string]syscall.Errno {
	all := map[string]syscall.Errno{}
	for e := syscall.Errno(1); e < 134; e++ {
		all[e.Error()] = e
	}
	return all
}()

// errno is the host's number of an error. A sentence that is none of Linux's is EINVAL: mostly it is about a wrong word for a ctl
// file. What goes wrong with the session is EIO.
func errno(err error) syscall.Errno {
	var reported Error
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &reported):
		return syscall.EIO
	case errnos[string(reported)] != 0:
		return errnos[string(reported)]
	}
	return syscall.EINVAL
}

// node is a file or a directory that the host knows of. It is asked for by its name.
type node struct {
	fs.Inode
	m *Mount
}

// What the library may ask of a node.
var _ interface {
	fs.NodeLookuper
	fs.NodeGetattrer
	fs.NodeSetattrer
	fs.NodeReaddirer
	fs.NodeOpener
	fs.NodeCreater
	fs.NodeMkdirer
	fs.NodeUnlinker
	fs.NodeRmdirer
	fs.NodeRenamer
} = (*node)(nil)

// path is the file's name in the guest.
func (n *node) path(elem ...string) string {
	return "/" + path.Join(append([]string{n.Path(nil)}, elem...)...)
}

// mode is a file's mode as the host has it.
func mode(d *plan9.Dir) uint32 {
	if d.Mode&plan9.DMDIR != 0 {
		return fuse.S_IFDIR | uint32(d.Mode&0o777)
	}
	return fuse.S_IFREG | uint32(d.Mode&0o777)
}

// fill stores attributes.
func fill(a *fuse.Attr, d *plan9.Dir) {
	a.Mode, a.Size = mode(d), d.Length
	a.Mtime, a.Atime, a.Ctime, a.Nlink = uint64(d.Mtime), uint64(d.Atime), uint64(d.Mtime), 1
	a.Owner = *fuse.CurrentOwner()
}

// child returns the node of an entry with those attributes: the one that is known, if it is of that kind.
func (n *node) child(ctx context.Context, name string, d *plan9.Dir, out *fuse.EntryOut) *fs.Inode {
	fill(&out.Attr, d)
	kind := mode(d) & syscall.S_IFMT
	if is := n.GetChild(name); is != nil && is.Mode() == kind {
		return is
	}
	return n.NewInode(ctx, &node{m: n.m}, fs.StableAttr{Mode: kind})
}

// stat asks for the attributes of an entry, and returns its node.
func (n *node) stat(ctx context.Context, name string, out *fuse.EntryOut) (is *fs.Inode, errno syscall.Errno) {
	errno = n.m.do(func(c *Client) error {
		d, err := c.Stat(n.path(name))
		if err == nil {
			is = n.child(ctx, name, d, out)
		}
		return err
	})
	return is, errno
}

// Lookup implements fs.NodeLookuper.
func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.stat(ctx, name, out)
}

// Getattr implements fs.NodeGetattrer.
func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	return n.m.do(func(c *Client) error {
		d, err := c.Stat(n.path())
		if err == nil {
			fill(&out.Attr, d)
		}
		return err
	})
}

// Setattr implements fs.NodeSetattrer. Files have no owner to be changed.
func (n *node) Setattr(ctx context.Context, f fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	errno := n.m.do(func(c *Client) error {
		return c.Change(n.path(), func(d *plan9.Dir) {
			if size, ok := in.GetSize(); ok {
				d.Length = size
			}
			if mode, ok := in.GetMode(); ok {
				d.Mode = plan9.Perm(mode & 0o777)
			}
			if at, ok := in.GetMTime(); ok {
				d.Mtime = uint32(at.Unix())
			}
		})
	})
	if errno != 0 {
		return errno
	}
	return n.Getattr(ctx, f, out)
}

// Readdir implements fs.NodeReaddirer.
func (n *node) Readdir(context.Context) (fs.DirStream, syscall.Errno) {
	var all []fuse.DirEntry
	errno := n.m.do(func(c *Client) error {
		dirs, err := c.ReadDir(n.path())
		for _, d := range dirs {
			all = append(all, fuse.DirEntry{Name: d.Name, Mode: mode(d)})
		}
		return err
	})
	return fs.NewListDirStream(all), errno
}

// Open implements fs.NodeOpener.
func (n *node) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return n.open(flags, func(c *Client, mode uint8) (*Handle, error) { return c.Open(n.path(), mode) })
}

// open opens a file by how, on a session of its own.
func (n *node) open(flags uint32, how func(*Client, uint8) (*Handle, error)) (fs.FileHandle, uint32, syscall.Errno) {
	mode := [4]uint8{plan9.OREAD, plan9.OWRITE, plan9.ORDWR, plan9.OREAD}[flags&syscall.O_ACCMODE]
	if flags&syscall.O_TRUNC != 0 {
		mode |= plan9.OTRUNC
	}
	c, err := Dial(n.m.address, n.m.limit)
	if err != nil {
		return nil, 0, syscall.EIO
	}
	h, err := how(c, mode)
	if err != nil {
		c.Close()
		return nil, 0, errno(err)
	}
	// Direct: the size of a file that is made when it is opened is not known before.
	return &file{c: c, h: h}, fuse.FOPEN_DIRECT_IO, 0
}

// Create implements fs.NodeCreater.
func (n *node) Create(ctx context.Context, name string, flags, perm uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	f, how, errno := n.open(flags&^syscall.O_TRUNC, func(c *Client, mode uint8) (*Handle, error) {
		return c.Create(n.path(name), mode, plan9.Perm(perm&0o777))
	})
	if errno != 0 {
		return nil, nil, 0, errno
	}
	is, errno := n.stat(ctx, name, out)
	if errno != 0 {
		f.(*file).Release(ctx)
	}
	return is, f, how, errno
}

// Mkdir implements fs.NodeMkdirer.
func (n *node) Mkdir(ctx context.Context, name string, perm uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	errno := n.m.do(func(c *Client) error {
		h, err := c.Create(n.path(name), plan9.OREAD, plan9.DMDIR|plan9.Perm(perm&0o777))
		if err != nil {
			return err
		}
		return h.Close()
	})
	if errno != 0 {
		return nil, errno
	}
	return n.stat(ctx, name, out)
}

// Unlink implements fs.NodeUnlinker.
func (n *node) Unlink(_ context.Context, name string) syscall.Errno {
	return n.m.do(func(c *Client) error { return c.Remove(n.path(name)) })
}

// Rmdir implements fs.NodeRmdirer.
func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno { return n.Unlink(ctx, name) }

// Rename implements fs.NodeRenamer, inside a directory. 9P knows no rename to a name that there is: that file is removed before.
func (n *node) Rename(_ context.Context, name string, to fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	const noReplace = 1
	switch {
	case to.EmbeddedInode() != n.EmbeddedInode():
		return syscall.EXDEV // programs then copy
	case flags&^noReplace != 0:
		return syscall.EINVAL
	}
	from, into := n.path(name), n.path(newName)
	return n.m.do(func(c *Client) error {
		is, err := c.Stat(from)
		if err != nil {
			return err
		}
		old, err := c.Stat(into)
		switch {
		case err != nil && errno(err) != syscall.ENOENT:
			return err
		case err != nil:
		case flags&noReplace != 0:
			return Error(syscall.EEXIST.Error())
		case is.Mode&plan9.DMDIR != old.Mode&plan9.DMDIR:
			return Error(syscall.EISDIR.Error())
		default:
			if err := c.Remove(into); err != nil {
				return err
			}
		}
		return c.Change(from, func(d *plan9.Dir) { d.Name = newName })
	})
}

// file is an open file.
type file struct {
	lock sync.Mutex
	c    *Client
	h    *Handle
}

// Read implements fs.FileReader.
func (f *file) Read(_ context.Context, b []byte, offset int64) (fuse.ReadResult, syscall.Errno) {
	f.lock.Lock()
	defer f.lock.Unlock()
	n, err := f.h.Read(b, uint64(offset))
	return fuse.ReadResultData(b[:n]), errno(err)
}

// Write implements fs.FileWriter.
func (f *file) Write(_ context.Context, b []byte, offset int64) (uint32, syscall.Errno) {
	f.lock.Lock()
	defer f.lock.Unlock()
	n, err := f.h.Write(b, uint64(offset))
	if n > 0 {
		err = nil // the rest is tried again
	}
	return uint32(n), errno(err)
}

// Release implements fs.FileReleaser. The session's end closes the file.
func (f *file) Release(context.Context) syscall.Errno {
	f.c.Close()
	return 0
}

package remote

import (
	"io/fs"
	"syscall"
	"time"

	"sched9/kernel/ramfs"
	"sched9/srv/mount"
)

// linuxNode is a file of a server of 9P2000.L: each request is one system call of Linux's.
type linuxNode struct{ file }

// node makes a node of a file of the server's.
func (c *client) node(fid uint32, q qid) mount.Node {
	f := file{c: c, fid: fid, kind: q.kind}
	if c.linux {
		return &linuxNode{f}
	}
	return &plainNode{f}
}

// Stat implements mount.Node.
func (n *linuxNode) Stat() (at mount.Attr, err error) {
	const basic = 0x7ff
	a, err := n.c.call(newRequest(typeGetattr).u32(n.fid).u64(basic))
	if err != nil {
		return at, err
	}
	a.u64() // which of them are valid: all
	q := a.qid()
	at.ID = q.path
	at.Mode = mount.FromLinux(a.u32())
	at.UID, at.GID = a.u32(), a.u32()
	at.Links, at.Rdev = a.u64(), a.u64()
	at.Size = int64(a.u64())
	a.u64() // block size
	at.Blocks = int64(a.u64())
	for _, t := range []*time.Time{&at.Atime, &at.Mtime, &at.Ctime} {
		sec, nsec := int64(a.u64()), a.u64()
		*t = time.Unix(sec, int64(nsec%1e9))
	}
	if at.Size < 0 || at.Blocks < 0 {
		return at, errGarbage
	}
	return at, a.end()
}

// Lookup implements mount.Directory.
func (f *file) Lookup(name string) (mount.Node, error) {
	fid, q, err := f.c.walk(f.fid, name)
	if err != nil {
		return nil, err
	}
	return f.c.node(fid, q), nil
}

// maxEntries bounds what is believed of a directory.
const maxEntries = 1 << 20

// List implements mount.Directory, of a node that was opened.
func (n *linuxNode) List() (all []mount.Entry, err error) {
	for at := uint64(0); ; {
		got, err := n.readSome(typeReaddir, make([]byte, n.most()), at)
		if err != nil || len(got) == 0 {
			return all, err
		}
		for a := (&answer{b: got}); len(a.b) > 0; {
			q := a.qid()
			at = a.u64()
			kind, name := a.u8(), a.text()
			if a.end() != nil || len(name) > maxName || len(all) >= maxEntries {
				return nil, errGarbage
			}
			if name != "." && name != ".." {
				all = append(all, mount.Entry{Name: name, Type: mount.FromLinux(uint32(kind) << 12).Type(), ID: q.path})
			}
		}
	}
}

// The protocol has Linux's numbers of x86 for flags of open; architectures differ in these.
var openFlags = []struct{ ours, theirs int }{{syscall.O_DIRECTORY, 0o200000}, {syscall.O_NOFOLLOW, 0o400000}}

// openFlag translates flags of open. The server's files are never waited for.
func openFlag(flags int) uint32 {
	const same = syscall.O_ACCMODE | syscall.O_TRUNC | syscall.O_APPEND
	to := flags & same
	for _, f := range openFlags {
		if flags&f.ours != 0 {
			to |= f.theirs
		}
	}
	return uint32(to)
}

// Open implements mount.Opener.
func (n *linuxNode) Open(flags int) (mount.Node, error) {
	fid, _, err := n.c.walk(n.fid)
	if err != nil {
		return nil, err
	}
	return n.c.opened(fid, newRequest(typeLopen).u32(fid).u32(openFlag(flags)))
}

// opened is the node that an open makes of fid.
func (c *client) opened(fid uint32, r *request) (mount.Node, error) {
	a, err := c.call(r)
	var q qid
	var room uint32
	if err == nil {
		q, room = a.qid(), a.u32()
		err = a.end()
	}
	n := &linuxNode{file{c: c, fid: fid, kind: q.kind}}
	if err != nil {
		n.Close()
		return nil, err
	}
	n.setRoom(room)
	return n, nil
}

// permissions are a mode as the protocol has it, without the kind.
func permissions(m fs.FileMode) uint32 { return mount.ToLinux(m) & ramfs.ModeAllowed }

// Create implements mount.Changer.
func (n *linuxNode) Create(name string, flags int, mode fs.FileMode) (mount.Node, error) {
	fid, _, err := n.c.walk(n.fid)
	if err != nil {
		return nil, err
	}
	return n.c.opened(fid, newRequest(typeLcreate).u32(fid).text(name).u32(openFlag(flags)|syscall.O_CREAT).u32(permissions(mode)).u32(0))
}

// Mkdir implements mount.Changer.
func (n *linuxNode) Mkdir(name string, mode fs.FileMode) error {
	return n.c.do(newRequest(typeMkdir).u32(n.fid).text(name).u32(permissions(mode)).u32(0))
}

// Mknod implements mount.Changer.
func (n *linuxNode) Mknod(name string, mode fs.FileMode) error {
	return n.c.do(newRequest(typeMknod).u32(n.fid).text(name).u32(mount.ToLinux(mode)).u32(0).u32(0).u32(0))
}

// Symlink implements mount.Changer.
func (n *linuxNode) Symlink(name, target string) error {
	return n.c.do(newRequest(typeSymlink).u32(n.fid).text(name).text(target).u32(0))
}

// Link implements mount.Changer.
func (n *linuxNode) Link(name string, old mount.Node) error {
	o, ok := old.(*linuxNode)
	if !ok || o.c != n.c {
		return syscall.EXDEV
	}
	return n.c.do(newRequest(typeLink).u32(n.fid).u32(o.fid).text(name))
}

// Remove implements mount.Changer.
func (n *linuxNode) Remove(name string, dir bool) error {
	flags := uint32(0)
	if dir {
		flags = 0x200 // AT_REMOVEDIR
	}
	return n.c.do(newRequest(typeUnlinkat).u32(n.fid).text(name).u32(flags))
}

// Rename implements mount.Changer.
func (n *linuxNode) Rename(old string, to mount.Node, name string) error {
	d, ok := to.(*linuxNode)
	if !ok || d.c != n.c {
		return syscall.EXDEV
	}
	return n.c.do(newRequest(typeRenameat).u32(n.fid).text(old).u32(d.fid).text(name))
}

// Readlink implements mount.Readlinker.
func (n *linuxNode) Readlink() (string, error) {
	a, err := n.c.call(newRequest(typeReadlink).u32(n.fid))
	if err != nil {
		return "", err
	}
	target := a.text()
	return target, a.end()
}

// Sync implements mount.Syncer.
func (n *linuxNode) Sync() error { return n.c.do(newRequest(typeFsync).u32(n.fid).u32(0)) }

// Set implements mount.Setter.
func (n *linuxNode) Set(change mount.Change) error {
	// Which there are (P9_SETATTR).
	const (
		setMode = 1 << iota
		setUID
		setGID
		setSize
		setAtime
		setMtime
		_
		setAtimeTo
		setMtimeTo
	)
	var which, mode, uid, gid uint32
	var size uint64
	var times [2]time.Time
	if change.Mode != nil {
		which, mode = which|setMode, permissions(*change.Mode)
	}
	if change.UID != nil {
		which, uid = which|setUID, *change.UID
	}
	if change.GID != nil {
		which, gid = which|setGID, *change.GID
	}
	if change.Size != nil {
		which, size = which|setSize, uint64(*change.Size)
	}
	for i, t := range []*time.Time{change.Atime, change.Mtime} {
		if t == nil {
			continue
		}
		which |= setAtime << i
		if !t.IsZero() {
			which |= setAtimeTo << i
			times[i] = *t
		}
	}
	r := newRequest(typeSetattr).u32(n.fid).u32(which).u32(mode).u32(uid).u32(gid).u64(size)
	for _, t := range times {
		if t.IsZero() {
			r.u64(0).u64(0)
			continue
		}
		r.u64(uint64(t.Unix())).u64(uint64(t.Nanosecond()))
	}
	return n.c.do(r)
}

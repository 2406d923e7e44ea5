package remote

import (
	"io/fs"
	"syscall"
	"time"

	"sched9/srv/mount"
)

// plainNode is a file of a server of 9P2000, Plan 9's protocol. It has no links of either kind, and no owners that are numbers.
type plainNode struct{ file }

// Bits of a directory entry's mode (stat(5) of Plan 9's manual), and of the mode of an open.
const (
	plainAppend = 1 << 30
	plainOpen   = 3 // reading, writing, both
	plainTrunc  = 0x10
)

// plainStat is a directory's entry.
type plainStat struct {
	q            qid
	mode         uint32
	atime, mtime uint32
	size         uint64
	name         string
}

// stat reads an entry.
func (a *answer) stat() (s plainStat) {
	in := &answer{b: a.take(int(a.u16()))}
	in.u16() // type
	in.u32() // dev
	s.q = in.qid()
	s.mode, s.atime, s.mtime = in.u32(), in.u32(), in.u32()
	s.size = in.u64()
	s.name = in.text()
	for range 3 { // owners
		in.text()
	}
	a.bad = a.bad || in.bad || int64(s.size) < 0
	return s
}

// fileMode is a mode as package fs has it.
func (s *plainStat) fileMode() fs.FileMode {
	m := fs.FileMode(s.mode) & fs.ModePerm
	if s.mode&directoryMode != 0 {
		m |= fs.ModeDir
	}
	return m
}

// Stat implements mount.Node.
func (n *plainNode) Stat() (at mount.Attr, err error) {
	a, err := n.c.call(newRequest(typeStat).u32(n.fid))
	if err != nil {
		return at, err
	}
	a.u16() // the entry's length, which is there twice
	s := a.stat()
	return mount.Attr{Mode: s.fileMode(), Size: int64(s.size), ID: s.q.path, Atime: time.Unix(int64(s.atime), 0), Mtime: time.Unix(int64(s.mtime), 0),
		Ctime: time.Unix(int64(s.mtime), 0)}, a.end()
}

// List implements mount.Directory, of a node that was opened.
func (n *plainNode) List() (all []mount.Entry, err error) {
	for at := uint64(0); ; {
		got, err := n.readSome(typeRead, make([]byte, n.most()), at)
		if err != nil || len(got) == 0 {
			return all, err
		}
		at += uint64(len(got))
		for a := (&answer{b: got}); len(a.b) > 0; {
			s := a.stat()
			if a.end() != nil || len(s.name) > maxName || len(all) >= maxEntries {
				return nil, errGarbage
			}
			all = append(all, mount.Entry{Name: s.name, Type: s.fileMode().Type(), ID: s.q.path})
		}
	}
}

// openMode translates flags of open.
func openMode(flags int) uint8 {
	m := uint8(flags & plainOpen)
	if flags&syscall.O_TRUNC != 0 {
		m |= plainTrunc
	}
	return m
}

// Open implements mount.Opener.
func (n *plainNode) Open(flags int) (mount.Node, error) {
	fid, _, err := n.c.walk(n.fid)
	if err != nil {
		return nil, err
	}
	return n.c.openedPlain(fid, newRequest(typeOpen).u32(fid).u8(openMode(flags)))
}

// openedPlain is opened.
func (c *client) openedPlain(fid uint32, r *request) (mount.Node, error) {
	n, err := c.opened(fid, r)
	if err != nil {
		return nil, err
	}
	return &plainNode{n.(*linuxNode).file}, nil
}

// create is Create and Mkdir.
func (n *plainNode) create(name string, mode uint32, open uint8) (mount.Node, error) {
	fid, _, err := n.c.walk(n.fid)
	if err != nil {
		return nil, err
	}
	return n.c.openedPlain(fid, newRequest(typeCreate).u32(fid).text(name).u32(mode).u8(open))
}

// Create implements mount.Changer.
func (n *plainNode) Create(name string, flags int, mode fs.FileMode) (mount.Node, error) {
	return n.create(name, uint32(mode.Perm()), openMode(flags))
}

// Mkdir implements mount.Changer.
func (n *plainNode) Mkdir(name string, mode fs.FileMode) error {
	d, err := n.create(name, uint32(mode.Perm())|directoryMode, 0)
	if err == nil {
		d.(*plainNode).Close()
	}
	return err
}

// Mknod implements mount.Changer: only files are there.
func (n *plainNode) Mknod(name string, mode fs.FileMode) error {
	if !mode.IsRegular() {
		return syscall.EPERM
	}
	f, err := n.Create(name, 0, mode)
	if err == nil {
		f.(*plainNode).Close()
	}
	return err
}

// Symlink implements mount.Changer: there are none.
func (n *plainNode) Symlink(string, string) error { return syscall.EPERM }

// Link implements mount.Changer: there are none.
func (n *plainNode) Link(string, mount.Node) error { return syscall.EPERM }

// Remove implements mount.Changer.
func (n *plainNode) Remove(name string, _ bool) error {
	fid, _, err := n.c.walk(n.fid, name)
	if err != nil {
		return err
	}
	err = n.c.do(newRequest(typeRemove).u32(fid)) // which ends the fid in any case
	n.c.forget(fid, err)
	return err
}

// Rename implements mount.Changer: within a directory. The protocol replaces nothing, so what is there is removed before.
func (n *plainNode) Rename(old string, to mount.Node, name string) error {
	d, ok := to.(*plainNode)
	if !ok || d.c != n.c {
		return syscall.EXDEV
	}
	a, err := n.Stat()
	if err != nil {
		return err
	}
	if b, err := d.Stat(); err != nil || a.ID != b.ID {
		return syscall.EXDEV // upon which programs copy
	}
	fid, _, err := n.c.walk(n.fid, old)
	if err != nil {
		return err
	}
	f := file{c: n.c, fid: fid}
	defer f.Close()
	if old == name {
		return nil
	}
	if err := n.Remove(name, false); err != nil && err != syscall.ENOENT {
		return err
	}
	return f.wstat(nil, nil, nil, name)
}

// Set implements mount.Setter.
func (n *plainNode) Set(change mount.Change) error {
	if change.UID != nil || change.GID != nil {
		return syscall.EPERM
	}
	if change.Mode == nil && change.Size == nil && change.Mtime == nil {
		return nil // there is no setting the time of access
	}
	return n.wstat(change.Mode, change.Size, change.Mtime, "")
}

// wstat changes what is given: the rest is all ones, or an empty text.
func (f *file) wstat(mode *fs.FileMode, size *int64, mtime *time.Time, name string) error {
	m, s, t := ^uint32(0), ^uint64(0), ^uint32(0)
	if mode != nil {
		m = uint32(mode.Perm()) | uint32(f.kind&qidDir)<<24
	}
	if size != nil {
		s = uint64(*size)
	}
	if mtime != nil {
		when := *mtime
		if when.IsZero() {
			when = time.Now()
		}
		t = uint32(when.Unix())
	}
	e := newRequest(0)
	e.b = e.b[:0]
	e.u16(^uint16(0)).u32(^uint32(0)).u8(^uint8(0)).u32(^uint32(0)).u64(^uint64(0)).u32(m).u32(^uint32(0)).u32(t).u64(s).text(name).text("").text("").text("")
	r := newRequest(typeWstat).u32(f.fid).u16(uint16(len(e.b) + 2)).u16(uint16(len(e.b)))
	r.b = append(r.b, e.b...)
	return f.c.do(r)
}

package nine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"

	"9fans.net/go/plan9"
)

// Tree is a directory whose files are served: "/" for all there are. Symbolic links are followed, wherever they lead.
type Tree string

// path is the tree's file of that name, which begins with a slash and is clean.
func (t Tree) path(name string) string { return path.Join(string(t), name) }

// stat is os.Stat; a symbolic link that leads nowhere is itself.
func (t Tree) stat(name string) (os.FileInfo, error) {
	i, err := os.Stat(t.path(name))
	if err != nil {
		if l, e := os.Lstat(t.path(name)); e == nil {
			return l, nil
		}
	}
	return i, err
}

// fid is a file that the other end has a number for.
type fid struct {
	tree Tree

	lock    sync.Mutex
	name    string // in the tree
	opening bool   // an open is under way
	open    *os.File
	dir     bool // what is open is a directory
	steady  bool // what is open has positions
	mode    uint8
	gone    bool // the number was taken away

	// Of an open directory: entries not read yet, and the offset of the next read.
	entries [][]byte
	at      uint64
}

// close closes what is open, and returns the file's path. Calls that wait in it end.
func (f *fid) close() string {
	f.lock.Lock()
	open, remove := f.open, f.open != nil && f.mode&plan9.ORCLOSE != 0
	f.gone, f.open = true, nil
	name := f.tree.path(f.name)
	f.lock.Unlock()
	if open != nil {
		open.Close()
	}
	if remove {
		os.Remove(name)
	}
	return name
}

// do carries out a request that does not wait.
func (s *session) do(t *plan9.Fcall) (*plan9.Fcall, error) {
	r := &plan9.Fcall{Type: t.Type + 1}
	switch t.Type {
	case plan9.Tauth:
		return nil, errors.New("no authentication is needed")
	case plan9.Tflush:
		s.flush(t.Oldtag)
		return r, nil
	case plan9.Tattach:
		return r, s.attach(t, r)
	case plan9.Tclunk, plan9.Tremove:
		f, err := s.clunk(t.Fid)
		if err != nil {
			return nil, err
		}
		if name := f.close(); t.Type == plan9.Tremove {
			err = os.Remove(name)
		}
		return r, err
	}
	f, err := s.fid(t.Fid)
	if err != nil {
		return nil, err
	}
	switch t.Type {
	case plan9.Twalk:
		err = s.walk(f, t, r)
	case plan9.Tstat:
		f.lock.Lock()
		name := f.name
		f.lock.Unlock()
		var i os.FileInfo
		if i, err = f.tree.stat(name); err == nil {
			r.Stat, err = dirOf(i, path.Base(name)).Bytes()
		}
	case plan9.Twstat:
		err = f.wstat(t.Stat)
	default:
		err = fmt.Errorf("requests of type %d are not known", t.Type)
	}
	return r, err
}

// attach is Tattach.
func (s *session) attach(t, r *plan9.Fcall) error {
	if t.Afid != plan9.NOFID {
		return errors.New("no authentication is needed")
	}
	if t.Aname != "" && t.Aname != "/" {
		return fmt.Errorf("there is no tree %q", t.Aname)
	}
	i, err := s.tree.stat("/")
	if err != nil {
		return err
	}
	r.Qid = qidOf(i)
	return s.setFid(t.Fid, &fid{tree: s.tree, name: "/"}, nil)
}

// walk is Twalk.
func (s *session) walk(f *fid, t, r *plan9.Fcall) error {
	f.lock.Lock()
	name, busy := f.name, f.open != nil || f.opening
	f.lock.Unlock()
	if busy {
		return errors.New("an open file cannot be walked from")
	}
	for _, elem := range t.Wname {
		err := error(syscall.ENOENT)
		next := path.Join(name, elem)
		if elem != "" && !strings.Contains(elem, "/") && len(next) < syscall.PathMax {
			var i os.FileInfo
			if i, err = f.tree.stat(next); err == nil {
				r.Wqid = append(r.Wqid, qidOf(i))
				name = next
				continue
			}
		}
		if len(r.Wqid) == 0 {
			return err
		}
		return nil // as far as it went: there is no new fid
	}
	old := (*fid)(nil)
	if t.Newfid == t.Fid {
		old = f
	}
	return s.setFid(t.Newfid, &fid{tree: f.tree, name: name}, old)
}

// wstat is Twstat: length, mode, time of change and name may be changed, in that order, as far as that succeeds.
func (f *fid) wstat(stat []byte) error {
	d, err := plan9.UnmarshalDir(stat)
	if err != nil {
		return err
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	name := f.tree.path(f.name)
	none := plan9.Dir{}
	none.Null()
	if d.Uid != "" || d.Gid != "" || d.Muid != "" || d.Type != none.Type || d.Dev != none.Dev || d.Qid != none.Qid || d.Atime != none.Atime {
		return errors.New("only length, mode, mtime and name can be changed")
	}
	base := path.Base(f.name)
	if d.Name != "" && d.Name != base && (strings.Contains(d.Name, "/") || d.Name == "." || d.Name == ".." || f.name == "/") {
		return errors.New("no such name is possible")
	}
	if d.Length != none.Length {
		if int64(d.Length) < 0 {
			return syscall.EFBIG
		}
		err = os.Truncate(name, int64(d.Length))
	}
	if err == nil && d.Mode != none.Mode {
		err = os.Chmod(name, fs.FileMode(d.Mode)&fs.ModePerm)
	}
	if err == nil && d.Mtime != none.Mtime {
		when := time.Unix(int64(d.Mtime), 0)
		err = os.Chtimes(name, when, when)
	}
	if err == nil && d.Name != "" && d.Name != base {
		to := path.Join(path.Dir(f.name), d.Name)
		if _, e := f.tree.stat(to); e == nil {
			return syscall.EEXIST
		}
		if err = os.Rename(name, f.tree.path(to)); err == nil {
			f.name = to
		}
	}
	return err
}

// file carries out a request that may wait.
func (s *session) file(r *request, f *fid, t *plan9.Fcall) (*plan9.Fcall, error) {
	switch t.Type {
	case plan9.Tread:
		return f.read(t, s.room())
	case plan9.Twrite:
		return f.write(t)
	}
	a := &plan9.Fcall{Type: t.Type + 1, Iounit: s.room()}
	f.lock.Lock()
	name, busy := f.name, f.open != nil || f.opening
	f.opening = true
	f.lock.Unlock()
	if busy {
		return nil, errors.New("it is open already")
	}
	file, info, name, err := f.tree.open(t, name)
	s.lock.Lock()
	flushed := r.flushed
	s.lock.Unlock()
	f.lock.Lock()
	defer f.lock.Unlock()
	f.opening = false
	if err != nil {
		return nil, err
	}
	if flushed || f.gone {
		file.Close()
		return nil, fs.ErrClosed
	}
	a.Qid = qidOf(info)
	f.open, f.mode, f.name = file, t.Mode, name
	f.dir, f.steady = info.IsDir(), info.Mode().IsRegular()
	return a, nil
}

// room is how many bytes fit into a message.
func (s *session) room() uint32 {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.msize - plan9.IOHDRSIZE
}

// open is Topen, and Tcreate in the directory of that name. It returns the name of what it opened.
func (tree Tree) open(t *plan9.Fcall, name string) (f *os.File, i os.FileInfo, opened string, err error) {
	const known = 3 | plan9.OTRUNC | plan9.ORCLOSE
	if t.Mode&^known != 0 {
		return nil, nil, "", fmt.Errorf("mode %#x is not known", t.Mode)
	}
	flags := [4]int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDONLY}[t.Mode&3]
	if t.Mode&plan9.OTRUNC != 0 {
		flags |= os.O_TRUNC
	}
	if t.Type == plan9.Tcreate {
		if t.Name == "" || t.Name == "." || t.Name == ".." || strings.Contains(t.Name, "/") {
			return nil, nil, "", errors.New("no such name is possible")
		}
		if t.Perm&^(plan9.DMDIR|0o777) != 0 {
			return nil, nil, "", errors.New("only files and directories can be made")
		}
		name = path.Join(name, t.Name)
		if t.Perm&plan9.DMDIR != 0 {
			if t.Mode != plan9.OREAD {
				return nil, nil, "", syscall.EISDIR
			}
			if err := os.Mkdir(tree.path(name), fs.FileMode(t.Perm&0o777)); err != nil {
				return nil, nil, "", err
			}
		} else {
			flags |= os.O_CREATE | os.O_EXCL
		}
	}
	if f, err = os.OpenFile(tree.path(name), flags, fs.FileMode(t.Perm&0o777)); err != nil {
		return nil, nil, "", err
	}
	if i, err = f.Stat(); err != nil {
		f.Close()
	}
	return f, i, name, err
}

// opened returns the file that is open, for reading or for writing.
func (f *fid) opened(write bool) (*os.File, error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	how := f.mode & 3
	switch {
	case f.open == nil:
		return nil, errors.New("it is not open")
	case write && how != plan9.OWRITE && how != plan9.ORDWR:
		return nil, errors.New("it is not open for writing")
	case !write && how == plan9.OWRITE:
		return nil, errors.New("it is not open for reading")
	}
	return f.open, nil
}

// read is Tread, with an answer of at most room bytes of data.
func (f *fid) read(t *plan9.Fcall, room uint32) (*plan9.Fcall, error) {
	file, err := f.opened(false)
	if err != nil {
		return nil, err
	}
	r := &plan9.Fcall{Type: plan9.Rread}
	if f.dir {
		r.Data, err = f.readDir(file, t.Offset, min(t.Count, room))
		return r, err
	}
	r.Data = make([]byte, min(t.Count, room))
	n := 0
	switch {
	case int64(t.Offset) < 0:
		return nil, syscall.EINVAL
	case f.steady:
		n, err = file.ReadAt(r.Data, int64(t.Offset))
	default:
		n, err = file.Read(r.Data)
	}
	r.Data = r.Data[:n]
	if err == io.EOF || n > 0 {
		err = nil
	}
	return r, err
}

// readDir reads entries: from the first at offset 0, else where the last read ended.
func (f *fid) readDir(file *os.File, offset uint64, room uint32) (data []byte, err error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if offset == 0 {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		names, err := file.Readdirnames(-1)
		if err != nil {
			return nil, err
		}
		f.at, f.entries = 0, nil
		for _, name := range names {
			i, err := f.tree.stat(path.Join(f.name, name))
			if err != nil {
				continue // it is gone
			}
			if b, err := dirOf(i, name).Bytes(); err == nil {
				f.entries = append(f.entries, b)
			}
		}
	}
	if offset != f.at {
		return nil, errors.New("a directory is read from where the last read ended")
	}
	for len(f.entries) > 0 && len(data)+len(f.entries[0]) <= int(room) {
		data = append(data, f.entries[0]...)
		f.entries = f.entries[1:]
	}
	if len(data) == 0 && len(f.entries) > 0 {
		return nil, errors.New("an entry does not fit")
	}
	f.at += uint64(len(data))
	return data, nil
}

// write is Twrite.
func (f *fid) write(t *plan9.Fcall) (*plan9.Fcall, error) {
	file, err := f.opened(true)
	if err != nil {
		return nil, err
	}
	n := 0
	switch {
	case int64(t.Offset) < 0:
		return nil, syscall.EINVAL
	case f.steady:
		n, err = file.WriteAt(t.Data, int64(t.Offset))
	default:
		n, err = file.Write(t.Data)
	}
	if n > 0 {
		err = nil
	}
	return &plan9.Fcall{Type: plan9.Rwrite, Count: uint32(n)}, err
}

// qidOf is a file's qid.
func qidOf(i os.FileInfo) plan9.Qid {
	q := plan9.Qid{Vers: uint32(i.ModTime().UnixNano())}
	if i.IsDir() {
		q.Type = plan9.QTDIR
	}
	if st, ok := i.Sys().(*syscall.Stat_t); ok {
		q.Path = st.Ino
	}
	return q
}

// dirOf is what Tstat says of a file.
func dirOf(i os.FileInfo, name string) *plan9.Dir {
	d := &plan9.Dir{Qid: qidOf(i), Mode: plan9.Perm(i.Mode().Perm()), Name: name, Uid: "sched9", Gid: "sched9", Muid: "sched9"}
	if d.Mtime = uint32(i.ModTime().Unix()); i.IsDir() {
		d.Mode |= plan9.DMDIR
	} else {
		d.Length = uint64(i.Size())
	}
	d.Atime = d.Mtime
	return d
}

// sentence is what an Rerror says.
func sentence(err error) string {
	var (
		p *fs.PathError
		l *os.LinkError
		s *os.SyscallError
	)
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	case errors.As(err, &s):
		err = s.Err
	}
	text := err.Error()
	return text[:min(len(text), minMessage-16)]
}

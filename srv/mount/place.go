package mount

import (
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"sched9/kernel/ramfs"
	"sched9/srv/call"
)

// mounted is something that stands in the place of a directory.
type mounted struct {
	mark uint16
	path string // where it is, if that is a directory of the kernel's

	// What stands there: the tree below root, or else the kernel's directory target.
	root   *place
	target string

	// What is mounted on directories of this, by their paths from root on; "": on root itself. table.lock.
	over map[string]*mounted
}

// table is what is mounted.
var table struct {
	lock  sync.RWMutex
	marks map[uint16]*mounted
	last  uint16
	cwd   *place // the working directory, held; nil: it is the kernel's
}

// active is true once something was mounted: until then paths are the kernel's affair alone.
var active atomic.Bool

// place is a directory or file of a server's, and the way that led there. One that is held does not go away.
type place struct {
	m    *mounted
	up   *place // nil: the root of what is mounted on a directory of the kernel's
	name string
	node Node
	kind fs.FileMode
	from *place // whose node it is, if it is another's
	refs atomic.Int32
}

// newPlace makes a held place of node in up. The node is closed if its kind cannot be told.
func newPlace(m *mounted, up *place, name string, node Node) (*place, syscall.Errno) {
	p := &place{m: m, name: name, node: node}
	if t, ok := node.(Typer); ok {
		p.kind = t.Type().Type()
	} else {
		attr, err := node.Stat()
		if err != nil {
			closeNode(node)
			return nil, errnoOf(err)
		}
		p.kind = attr.Mode.Type()
	}
	if up != nil {
		p.up = up.hold()
	}
	p.refs.Store(1)
	return p, 0
}

// closeNode tells a node that it is not used any more.
func closeNode(n Node) {
	if c, ok := n.(io.Closer); ok {
		c.Close()
	}
}

// hold returns p, held once more.
func (p *place) hold() *place {
	p.refs.Add(1)
	return p
}

// drop ends a hold of p, which may be nil.
func (p *place) drop() {
	for p != nil && p.refs.Add(-1) == 0 {
		if p.from == nil {
			closeNode(p.node)
		}
		p.from.drop()
		p = p.up
	}
}

// isDir reports whether p is a directory.
func (p *place) isDir() bool { return p.kind == fs.ModeDir }

// isLink reports whether p is a symbolic link.
func (p *place) isLink() bool { return p.kind == fs.ModeSymlink }

// isRoot reports whether something is mounted at p.
func (p *place) isRoot() bool { return p.up == nil || p.up.m != p.m }

// below is p's path from the root of its mount on.
func (p *place) below() string {
	var names []string
	for ; !p.isRoot(); p = p.up {
		names = append(names, p.name)
	}
	for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
		names[i], names[j] = names[j], names[i]
	}
	return strings.Join(names, "/")
}

// path is p's, from the root of all.
func (p *place) path() string {
	rest := ""
	for ; p.up != nil; p = p.up {
		rest = "/" + p.name + rest
	}
	return p.m.path + rest
}

// covered returns what is seen at p: the root of what is mounted there, if anything is, or the path of a directory of the kernel's. It ends the hold of p.
func (p *place) covered() (seen *place, elsewhere string) {
	for {
		table.lock.RLock()
		var m *mounted
		if len(p.m.over) > 0 {
			m = p.m.over[p.below()]
		}
		var r *place
		if m != nil && m.root != nil {
			r = &place{m: m, up: p.up, name: p.name, node: m.root.node, kind: m.root.kind, from: m.root.hold()}
			r.refs.Store(1)
			if r.up != nil {
				r.up.hold()
			}
		}
		table.lock.RUnlock()
		switch {
		case m == nil:
			return p, ""
		case r == nil:
			p.drop()
			return nil, m.target
		}
		p.drop()
		p = r
	}
}

// child returns what has that name in p, held: nil if there is none, or elsewhere, where it is the kernel's.
func (p *place) child(name string) (c *place, elsewhere string, errno syscall.Errno) {
	dir, ok := p.node.(Directory)
	if !ok {
		return nil, "", syscall.ENOTDIR
	}
	node, err := dir.Lookup(name)
	if errno := errnoOf(err); errno != 0 {
		if errno == syscall.ENOENT {
			errno = 0
		}
		return nil, "", errno
	}
	if node == nil {
		return nil, "", syscall.EIO
	}
	if c, errno = newPlace(p.m, p, name, node); errno != 0 {
		return nil, "", errno
	}
	c, elsewhere = c.covered()
	return c, elsewhere, 0
}

// found is where a path ends.
type found struct {
	// A path of the kernel's: path, which differs from the program's if changed is true.
	kernel, changed bool
	path            string

	// Or one of a server's: the last name, in dir, and what has it. Both are held until done.
	dir   *place
	name  string
	last  ramfs.Last
	slash bool // behind the last name: it must be a directory
	at    *place
}

// done ends the holds.
func (f *found) done() {
	f.dir.drop()
	f.at.drop()
	f.dir, f.at = nil, nil
}

// Bounds on a path's way, as Linux has them for links.
const maxLinks = 40

// resolve follows a path from the directory of file number dir on. With create a name that a slash follows cannot be made.
func resolve(dir uintptr, name string, end ramfs.End, create bool) (found, syscall.Errno) {
	links := 0
	var from *place
	if !strings.HasPrefix(name, "/") {
		if dir == atCWD {
			table.lock.RLock()
			if from = table.cwd; from != nil {
				from.hold()
			}
			table.lock.RUnlock()
		} else if f := fileAt(dir); f != nil {
			if f.place == nil || !f.place.isDir() || !f.hold() {
				return found{}, syscall.ENOTDIR
			}
			from = f.place.hold()
			f.drop()
		}
		if from != nil && name == "" {
			from.drop()
			return found{}, syscall.ENOENT
		}
	}
	last, changed := ramfs.LastDot, false
	for {
		if from == nil {
			mark, rest, errno := call.Cross(dir, name, end)
			if mark == 0 {
				return found{kernel: true, path: name, changed: changed}, 0
			}
			if links++; errno == 0 && links > maxLinks {
				errno = syscall.ELOOP
			}
			if errno != 0 {
				return found{}, errno
			}
			table.lock.RLock()
			m := table.marks[mark]
			if m != nil && m.root != nil {
				from = m.root.hold()
			}
			table.lock.RUnlock()
			elsewhere := ""
			switch {
			case m == nil: // it has just been unmounted
				continue
			case from != nil:
				from, elsewhere = from.covered()
			default:
				elsewhere = m.target
			}
			if last = ramfs.LastRoot; from == nil {
				if rest == "" && end == ramfs.Entry {
					return found{}, syscall.EBUSY
				}
				dir, name, changed = atCWD, path.Join(elsewhere, "/")+"/"+rest, true
				continue
			}
			name = rest
		}
		f, elsewhere, errno := walk(from, name, last, end, create, &links)
		if elsewhere == "" || errno != 0 {
			return f, errno
		}
		from, dir, name, changed = nil, atCWD, elsewhere, true
	}
}

// walk follows a path from a server's directory on, whose hold it ends. elsewhere is the path by which it goes on if it leaves the servers.
func walk(from *place, name string, last ramfs.Last, end ramfs.End, create bool, links *int) (f found, elsewhere string, errno syscall.Errno) {
	f = found{dir: from, at: from.hold(), last: last}
	defer func() {
		if elsewhere != "" || errno != 0 {
			f.done()
		}
	}()
	for {
		elem, rest, slash := part(name)
		if elem == "" {
			return f, "", 0
		}
		isLast := rest == ""
		kind := ramfs.LastName
		switch elem {
		case ".":
			kind = ramfs.LastDot
		case "..":
			kind = ramfs.LastDotDot
		}
		switch {
		case f.at == nil:
			return f, "", syscall.ENOENT
		case !f.at.isDir():
			return f, "", syscall.ENOTDIR
		case isLast && slash && create && kind == ramfs.LastName:
			return f, "", syscall.EISDIR
		case len(elem) > ramfs.MaxName && !(end == ramfs.Entry && isLast):
			return f, "", syscall.ENAMETOOLONG
		}
		dir := f.at
		f.dir.drop()
		f = found{dir: dir, name: elem, last: kind, slash: slash}
		name = rest
		switch kind {
		case ramfs.LastDot:
			f.at = dir.hold()
			continue
		case ramfs.LastDotDot:
			if dir.up == nil {
				return f, path.Join(path.Dir(dir.m.path), "/") + "/" + rest, 0
			}
			f.at = dir.up.hold()
			continue
		}
		if len(elem) > ramfs.MaxName {
			continue // the operation on the entry says so
		}
		if f.at, elsewhere, errno = dir.child(elem); errno != 0 {
			return f, "", errno
		}
		if elsewhere != "" {
			if isLast && end == ramfs.Entry {
				return f, "", syscall.EBUSY
			}
			return f, elsewhere + "/" + rest, 0
		}
		if f.at == nil || !f.at.isLink() || isLast && (end == ramfs.Entry || end == ramfs.NoFollow && !slash) {
			continue
		}
		if *links++; *links > maxLinks {
			return f, "", syscall.ELOOP
		}
		target, errno := readlink(f.at.node)
		if errno != 0 {
			return f, "", errno
		}
		if isLast && slash {
			rest = "."
		}
		if rest != "" {
			target += "/" + rest
		}
		if target[0] == '/' {
			return f, target, 0
		}
		f.at.drop()
		f.at, f.name, f.last, f.slash = dir.hold(), "", ramfs.LastDot, false
		name = target
	}
}

// readlink returns where a link leads.
func readlink(n Node) (string, syscall.Errno) {
	r, ok := n.(Readlinker)
	if !ok {
		return "", syscall.EINVAL
	}
	target, err := r.Readlink()
	switch {
	case err != nil:
		return "", errnoOf(err)
	case target == "":
		return "", syscall.ENOENT
	case len(target) >= ramfs.MaxPath:
		return "", syscall.ENAMETOOLONG
	}
	return target, 0
}

// part splits a path at its first name, "" at its end: the name, what is behind it and its slashes, and whether there are any.
func part(name string) (elem, rest string, slash bool) {
	name = strings.TrimLeft(name, "/")
	i := strings.IndexByte(name, '/')
	if i < 0 {
		return name, "", false
	}
	return name[:i], strings.TrimLeft(name[i:], "/"), true
}

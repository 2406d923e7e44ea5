package ramfs

// Place is where a path ends: the entry Name of Dir, and Node, its node now, or nil. Name is part
// of the path or of a symbolic link, and is not copied.
type Place struct {
	Dir   *Node
	Name  []byte
	Node  *Node
	Last  Last
	Slash bool // a slash follows the name: what it names must be a directory
}

// tooLong reports whether no entry can have the place's name.
func (p *Place) tooLong() bool { return len(p.Name) > MaxName }

// Last says what the last part of a path is.
type Last uint8

// What the last part of a path can be: a name, or no name of its own.
const (
	LastName Last = iota
	LastRoot
	LastDot
	LastDotDot
)

// End says what a walk does with a symbolic link that its path ends in.
type End uint8

// What a walk does with a symbolic link at the end: follow it; follow it only if a slash
// comes behind it; never, because the caller is after the entry.
const (
	Follow End = iota
	NoFollow
	Entry
)

// Walk follows path from directory at, or from the root if it begins with a slash. The place need
// not have an entry, but the directory must exist. A last name that is too long is an error of the
// operation on the entry (tooLong).
func (fs *FS) Walk(at *Node, path []byte, end End) (Place, Errno) {
	return fs.walk(at, path, end, false, nil)
}

// Crossing is where a path leads through a directory that has a server's in its place.
type Crossing struct {
	Mount uint16        // that directory's, 0: the path leads through none
	N     int           // length of the rest of the path
	Rest  [MaxPath]byte // behind it; a symbolic link's target may be a part of it
}

// Cross finds the first directory with a Mount that path leads through from directory at on. Where a path begins
// relative to a directory, that one does not count. A path that cannot be followed so far leads through none; the rest may be too long: ENAMETOOLONG.
func (fs *FS) Cross(at *Node, path []byte, end End, c *Crossing) Errno {
	if _, e := fs.walk(at, path, end, false, c); c.Mount != 0 {
		return e
	}
	return 0
}

// cross reports whether n has a Mount, and if so fills c: rest are the rests of a path, the last one first.
func (c *Crossing) cross(n *Node, path []byte, rest [][]byte) (crossed bool, e Errno) {
	if n == nil || n.Mount == 0 {
		return false, 0
	}
	c.Mount = n.Mount
	for i := len(rest); ; i-- {
		if len(path)+1 >= len(c.Rest)-c.N {
			return true, ENAMETOOLONG
		}
		c.N += copy(c.Rest[c.N:], path)
		if i == 0 {
			return true, 0
		}
		c.Rest[c.N] = '/'
		c.N++
		path = rest[i-1]
	}
}

// walk is Walk, or Cross if c is not nil. With create it fails with EISDIR where a slash comes behind the last name,
// because no file can be made there.
func (fs *FS) walk(at *Node, path []byte, end End, create bool, c *Crossing) (Place, Errno) {
	switch {
	case len(path) == 0:
		return Place{}, ENOENT
	case len(path) >= MaxPath:
		return Place{}, ENAMETOOLONG
	}
	// What follows each link that the path led through and that was not its end.
	var rest [maxLinks][]byte
	depth, links := 0, 0
	if path[0] == '/' {
		at = fs.Root()
	}
	p := Place{Dir: at, Node: at, Last: LastRoot}
	if path[0] != '/' {
		p.Last = LastDot
	}
	for {
		if c != nil && p.Last != LastDot {
			if crossed, e := c.cross(p.Node, path, rest[:depth]); crossed {
				return p, e
			}
		}
		var name []byte
		slash := false
		name, path, slash = part(path)
		if len(name) == 0 { // the end of this path
			if depth == 0 {
				return p, 0
			}
			depth--
			path = rest[depth]
			continue
		}
		last := len(path) == 0 && depth == 0
		kind := lastOf(name)
		// What came before must be a directory.
		var e Errno
		switch {
		case p.Node == nil:
			e = ENOENT
		case !p.Node.IsDir():
			e = ENOTDIR
		case last && slash && create && kind == LastName:
			e = EISDIR
		case len(name) > MaxName && !(end == Entry && last):
			e = ENAMETOOLONG
		}
		if e != 0 {
			return p, e
		}
		dir := p.Node
		p = Place{Dir: dir, Name: name, Last: kind, Slash: slash}
		switch kind {
		case LastDot:
			p.Node = dir
			continue
		case LastDotDot:
			p.Node = dir
			if dir.parent != 0 {
				p.Node = dir.parent.node()
			}
			continue
		}
		fs.Renew(dir, name, nil)
		if e := fs.lookup(dir, name); e != nil {
			p.Node = e.node.node()
		}
		if p.Node == nil || !p.Node.IsLink() || last && (end == Entry || end == NoFollow && !slash) {
			continue
		}
		if links++; links > maxLinks {
			return p, ELOOP
		}
		if p.Node.number != 0 {
			p.Node = fs.Behind(p.Node)
			continue
		}
		if len(path) > 0 || slash {
			// A slash alone says that what the link leads to must be a directory.
			if len(path) == 0 {
				path = dots[:1]
			}
			rest[depth] = path
			depth++
		}
		path = p.Node.Target()
		p = Place{Dir: dir, Node: dir, Last: LastDot}
		if path[0] == '/' {
			p = Place{Dir: fs.Root(), Node: fs.Root(), Last: LastRoot}
		}
	}
}

// lastOf tells what a name is.
func lastOf(name []byte) Last {
	switch {
	case len(name) == 1 && name[0] == '.':
		return LastDot
	case len(name) == 2 && name[0] == '.' && name[1] == '.':
		return LastDotDot
	}
	return LastName
}

// part splits path at its first name: the name, the rest without its leading slashes, and whether
// slashes follow the name. The name is empty at the end.
func part(path []byte) (name, rest []byte, slash bool) {
	i := 0
	for i < len(path) && path[i] == '/' {
		i++
	}
	from := i
	for i < len(path) && path[i] != '/' {
		i++
	}
	name = path[from:i]
	for i < len(path) && path[i] == '/' {
		i++
		slash = true
	}
	return name, path[i:], slash
}

// Path stores the path from the root to directory dir at the end of b, and returns where it begins.
// ENOENT: the directory was removed; ENAMETOOLONG: b is too short.
func (fs *FS) Path(dir *Node, b []byte) (begin int, e Errno) {
	begin = len(b)
	for dir.handle() != fs.root {
		if dir.parent == 0 {
			return 0, ENOENT
		}
		up := dir.parent.node()
		entry := up.first.entry()
		for entry.node != dir.handle() {
			entry = entry.next.entry()
		}
		name := entry.name()
		if len(name)+1 > begin {
			return 0, ENAMETOOLONG
		}
		begin -= len(name) + 1
		b[begin] = '/'
		copy(b[begin+1:], name)
		dir = up
	}
	if begin == len(b) {
		if begin == 0 {
			return 0, ENAMETOOLONG
		}
		begin--
		b[begin] = '/'
	}
	return begin, 0
}

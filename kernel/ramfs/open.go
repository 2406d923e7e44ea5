package ramfs

// Flags of Open, by Linux's numbers on amd64 and arm64 alike (O_DIRECTORY and O_NOFOLLOW
// differ between them, so they are the caller's to translate).
const (
	OpenWrite     = 1 << iota // for writing too, or only
	OpenCreate                // make the file if it is not there
	OpenExclusive             // and fail if it is
	OpenTruncate              // begin with no bytes
	OpenDirectory             // only a directory
	OpenNoFollow              // not what a symbolic link at the end points to
	OpenPath                  // only as a place to begin paths at
)

// Open finds or makes the node that path names from directory at on, as open does. mode is for a
// file that it makes, which made reports. The caller holds the node, if it wants to keep it.
func (fs *FS) Open(at *Node, path []byte, flags uint, mode uint32, now int64) (n *Node, made bool, e Errno) {
	if flags&(OpenCreate|OpenDirectory) == OpenCreate|OpenDirectory {
		return nil, false, EINVAL
	}
	exclusive := flags&(OpenCreate|OpenExclusive) == OpenCreate|OpenExclusive
	end := Follow
	create := flags&OpenCreate != 0 && flags&OpenPath == 0
	switch {
	case exclusive:
		end = Entry
	case flags&OpenNoFollow != 0:
		end = NoFollow
	}
	p, e := fs.walk(at, path, end, create, nil)
	if e != 0 {
		return nil, false, e
	}
	if create {
		switch {
		case p.tooLong():
			return nil, false, ENAMETOOLONG
		case p.Node != nil && exclusive:
			return nil, false, EEXIST
		case p.Node == nil:
			n, e := fs.make(p, ModeFile|mode&ModeAllowed, now)
			return n, e == 0, e
		case p.Node.IsDir():
			return nil, false, EISDIR
		}
	}
	n = p.Node
	switch {
	case p.tooLong():
		return nil, false, ENAMETOOLONG
	case n == nil:
		return nil, false, ENOENT
	case p.Slash && !n.IsDir():
		return nil, false, ENOTDIR
	case flags&OpenDirectory != 0 && !n.IsDir():
		return nil, false, ENOTDIR
	case n.IsLink() && flags&OpenPath == 0: // O_NOFOLLOW
		return nil, false, ELOOP
	case flags&OpenPath != 0:
		return n, false, 0
	case flags&OpenWrite != 0 && n.IsDir():
		return nil, false, EISDIR
	case flags&(OpenWrite|OpenTruncate) != 0 && n.ReadOnly && n.IsFile():
		return nil, false, EROFS
	}
	if flags&OpenTruncate != 0 && n.IsFile() {
		if e := fs.Truncate(n, 0, now); e != 0 {
			return nil, false, e
		}
	}
	return n, false, 0
}

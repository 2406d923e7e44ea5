//go:build !sched9

package ramfs

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"
)

// The tree as the host sees it, in the memory of a guest that has ended. It is no part of an image. Host and
// guest lay the records out alike: both are 64-bit and little-endian.

// OutFile is a file of such a tree.
type OutFile struct {
	Path string // from the root, with a slash in front
	Mode uint32
	Data []byte
}

// Bounds of what is believed of a tree: its memory may be anything.
const (
	outFiles = 1 << 20
	outBytes = 1 << 30
	outDepth = 200
)

// outside is a look at a tree.
type outside struct {
	read        func(at uintptr, to []byte) bool
	out         []OutFile
	files, size int64 // seen, and their bytes
}

// Outside returns the files at path, and below it if that is a directory, of the tree whose FS is at address fs: only those
// that were made or changed there. read copies memory at an address of the guest's kernel, and reports false if there is none.
// Symbolic links are neither followed nor returned. The error says what is wrong with path or memory.
func Outside(read func(at uintptr, to []byte) bool, fs uintptr, path string) ([]OutFile, error) {
	o := outside{read: read}
	var h handle // the root, 0 before there is a tree
	if !load(&o, fs+unsafe.Offsetof(FS{}.root), &h) {
		return nil, errBroken
	}
	clean := ""
	for name := range strings.SplitSeq(path, "/") {
		if name == "" {
			continue
		}
		var next handle
		err := o.each(h, func(entry string, node handle) error {
			if entry == name {
				next = node
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if next == 0 {
			return nil, fmt.Errorf("%s: no such file or directory in the guest", path)
		}
		h, clean = next, clean+"/"+name
	}
	err := o.collect(h, clean, 0)
	return o.out, err
}

// errBroken says that the tree cannot be read.
var errBroken = errors.New("the guest's files cannot be read in its memory")

// load reads the record at an address.
func load[T any](o *outside, at uintptr, v *T) bool {
	return at != 0 && o.read(at, unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)))
}

// each calls fn with the entries of directory dir. It has none if it is no directory.
func (o *outside) each(dir handle, fn func(name string, node handle) error) error {
	var n Node
	if !load(o, uintptr(dir), &n) {
		return errBroken
	}
	if !n.IsDir() {
		return nil
	}
	for h := n.first; h != 0; {
		var e entry
		if o.files++; o.files > outFiles || !load(o, uintptr(h), &e) {
			return errBroken
		}
		name := make([]byte, e.size)
		if !o.read(uintptr(h)+entrySize, name) {
			return errBroken
		}
		if err := fn(string(name), e.node); err != nil {
			return err
		}
		h = e.next
	}
	return nil
}

// collect adds what lies at h, which path names.
func (o *outside) collect(h handle, path string, depth int) error {
	var n Node
	if depth > outDepth || !load(o, uintptr(h), &n) {
		return errBroken
	}
	switch {
	case n.IsDir():
		return o.each(h, func(name string, node handle) error {
			if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
				return errBroken
			}
			return o.collect(node, path+"/"+name, depth+1)
		})
	case !n.IsFile(), n.borrowed != 0 && n.tree == 0 && n.nborrow == n.Size:
		return nil // not a file, or one that is as the host gave it
	}
	if o.size += n.Size; n.Size < 0 || o.size > outBytes {
		return fmt.Errorf("%s: more than %d MiB of files in the guest", path, outBytes>>20)
	}
	data := make([]byte, n.Size)
	for at := int64(0); at < n.Size; at += PageSize {
		part := data[at:min(at+PageSize, n.Size)]
		page, ok := o.page(&n, at/PageSize)
		switch {
		case !ok:
			return errBroken
		case page != 0:
			ok = o.read(page, part)
		case at < n.nborrow:
			ok = o.read(uintptr(n.borrowed)+uintptr(at), part[:min(PageSize, n.nborrow-at)])
		}
		if !ok {
			return errBroken
		}
	}
	o.out = append(o.out, OutFile{Path: path, Mode: n.Mode, Data: data})
	return nil
}

// page returns the address of page number i of n, 0 if it has none of its own.
func (o *outside) page(n *Node, i int64) (at uintptr, ok bool) {
	levels := n.tree.levels()
	if n.tree == 0 || levels < 1 || levels > maxLevels || i >= reach(levels) {
		return 0, levels <= maxLevels
	}
	at = n.tree.page()
	for l := int64(levels) - 1; l >= 0; l-- {
		slot := at + unsafe.Sizeof(at)*uintptr(i>>(fanBits*l)%fan)
		if !load(o, slot, &at) {
			return 0, false
		}
		if at == 0 {
			break
		}
	}
	return at, true
}

package mount

import (
	"io/fs"
	"maps"
	"slices"
	"syscall"
)

// Dir is a directory of fixed contents, in the order of names. Nobody may change it once it is mounted.
type Dir map[string]Node

func (d Dir) Stat() (Attr, error) { return Attr{Mode: fs.ModeDir | 0o555}, nil }

func (d Dir) Lookup(name string) (Node, error) {
	if n := d[name]; n != nil {
		return n, nil
	}
	return nil, syscall.ENOENT
}

func (d Dir) List() (all []Entry, err error) {
	for _, name := range slices.Sorted(maps.Keys(d)) {
		attr, err := d[name].Stat()
		if err != nil {
			return nil, err
		}
		all = append(all, Entry{Name: name, Type: attr.Mode.Type(), ID: attr.ID})
	}
	return all, nil
}

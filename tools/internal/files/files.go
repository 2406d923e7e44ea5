// Package files packs files of this machine for a guest, which finds them when it boots
// (docs/files.md).
package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/u-root/u-root/pkg/cpio"
	"github.com/u-root/uio/uio"

	"sched9/kernel/archive"
)

// Set is the guest's files. The zero value is empty. The first file added under a name stays.
type Set struct {
	each map[string]cpio.Record // by their names in the guest, without the first slash
	size int64
}

// Add adds the file, directory (with everything below it) or symbolic link at path on this machine. The
// guest finds it at the absolute path to. With readOnly nothing there can be changed, otherwise only in
// the guest's memory. Add leaves out files for which skip, if not nil, reports true.
func (s *Set) Add(path, to string, readOnly bool, skip func(path string, d fs.DirEntry) bool) error {
	to, err := absolute(to)
	if err != nil {
		return err
	}
	return filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && name != path:
			return nil // it was removed in the meantime
		case errors.Is(err, fs.ErrPermission) && name != path:
			return fs.SkipDir
		case err != nil:
			return err
		case skip != nil && name != path && skip(name, d):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(path, name)
		if err != nil {
			return err
		}
		return s.add(name, filepath.ToSlash(filepath.Join(to, rel)), readOnly)
	})
}

// add adds what lies at path, and nothing below it.
func (s *Set) add(path, to string, readOnly bool) error {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r := cpio.Record{Info: cpio.Info{Mode: uint64(st.Mode().Perm()), MTime: uint64(max(st.ModTime().Unix(), 0))}}
	if readOnly {
		r.Minor = archive.ReadOnly
	}
	switch st.Mode().Type() {
	case 0:
		r.Mode |= cpio.S_IFREG
		r.FileSize = uint64(st.Size())
		if !readable(path) {
			return nil
		}
		r.ReaderAt = uio.NewLazyLimitFile(path, st.Size())
	case fs.ModeDir:
		r.Mode |= cpio.S_IFDIR
	case fs.ModeSymlink:
		target, err := os.Readlink(path)
		if err != nil {
			return err
		}
		r.ReaderAt, r.FileSize, r.Mode = strings.NewReader(target), uint64(len(target)), cpio.S_IFLNK|0o777
	default:
		return nil // a socket, a device: nothing that could be given away
	}
	s.put(to, r)
	return nil
}

// readable reports whether this process may read the file.
func readable(path string) bool { return syscall.Access(path, 4) == nil }

// Put adds a file with the given contents.
func (s *Set) Put(to, contents string, mode fs.FileMode) {
	s.put(to, cpio.StaticFile("", contents, uint64(mode.Perm())))
}

// Link adds a symbolic link to target.
func (s *Set) Link(to, target string) { s.put(to, cpio.Symlink("", target)) }

// Dir adds a directory.
func (s *Set) Dir(to string, mode fs.FileMode) { s.put(to, cpio.Directory("", uint64(mode.Perm()))) }

// Keep adds a record of another set.
func (s *Set) Keep(r cpio.Record) { s.put(r.Name, r) }

// put adds r as to, if there is nothing of that name, and the directories above it.
func (s *Set) put(to string, r cpio.Record) {
	name := strings.TrimPrefix(path.Clean(to), "/")
	if name == "" || name == "." {
		return
	}
	if _, there := s.each[name]; there {
		return
	}
	if s.each == nil {
		s.each = map[string]cpio.Record{}
	}
	r.Name = name
	s.each[name] = r
	s.size += int64(r.FileSize)
}

// Size is how many bytes the files have.
func (s *Set) Size() int64 { return s.size }

// Records are the files in archive order: a directory before its contents, including parent
// directories that were not added themselves.
func (s *Set) Records() []cpio.Record {
	all := map[string]cpio.Record{}
	for name, r := range s.each {
		all[name] = r
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, there := s.each[dir]; !there {
				all[dir] = cpio.Directory(dir, 0o755)
			}
		}
	}
	records := make([]cpio.Record, 0, len(all))
	for _, r := range all {
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b cpio.Record) int { return strings.Compare(a.Name, b.Name) })
	return records
}

// absolute wants an absolute path.
func absolute(to string) (string, error) {
	if !path.IsAbs(filepath.ToSlash(to)) {
		return "", fmt.Errorf("%s: a guest's files have absolute paths", to)
	}
	return path.Clean(filepath.ToSlash(to)), nil
}

// Loaded returns records whose contents are in memory: for several archives. A file is closed when it has been written into one.
func Loaded(records []cpio.Record) ([]cpio.Record, error) {
	loaded := slices.Clone(records)
	for i := range loaded {
		r := &loaded[i]
		if r.ReaderAt == nil {
			continue
		}
		data := make([]byte, r.FileSize)
		n, err := r.ReaderAt.ReadAt(data, 0)
		if c, ok := r.ReaderAt.(io.Closer); ok {
			c.Close()
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		r.ReaderAt, r.FileSize = bytes.NewReader(data[:n]), uint64(n)
	}
	return loaded, nil
}

package goruntime

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sched9"
)

// Sources is what images are made of: sched9's folders arch, drivers, kernel, record, sched and srv.
type Sources struct {
	files fs.FS
	Dir   string // the checkout that they lie in; "": they were compiled into this program
}

// folders are those of sched9 that go into images.
var folders = []string{"arch", "drivers", "kernel", "record", "sched", "srv"}

// own is this package's folder.
const own = "kernel/goruntime"

// FindSources returns the sources of the checkout of sched9 that contains dir: an edit there is in
// the next image, however old this program is. Elsewhere it returns those that were compiled into
// this program.
func FindSources(dir string) (Sources, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Sources{}, err
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if first, _, _ := strings.Cut(string(mod), "\n"); err == nil && strings.TrimSpace(first) == "module sched9" {
			if _, err := os.Stat(filepath.Join(dir, own, "cut.txt")); err == nil {
				return Sources{os.DirFS(dir), dir}, nil
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return Sources{files: sched9.Source}, nil
		}
		dir = up
	}
}

// Changed returns the names of source files of images that differ from those compiled into this program,
// including new and missing ones.
func (s Sources) Changed() (names []string, err error) {
	builtin := Sources{files: sched9.Source}
	err = s.each(func(name string, data []byte) error {
		old, err := fs.ReadFile(builtin.files, name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(old, data) {
			names = append(names, name)
			err = nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = builtin.each(func(name string, _ []byte) error {
		_, err := fs.Stat(s.files, name)
		if errors.Is(err, fs.ErrNotExist) {
			names = append(names, name)
			err = nil
		}
		return err
	})
	return names, err
}

// Shared reports whether the file called name is also part of this program. An image made from a
// different version may then not fit this program's expectations.
func Shared(name string) bool {
	switch dir := path.Dir(name); {
	case dir == own:
		return path.Ext(name) == ".go"
	case path.Base(dir) == "layout", dir == "kernel/cmdline":
		return true
	}
	return path.Dir(name) == "record"
}

// each calls fn with every file that goes into images, or says how they are made.
func (s Sources) each(fn func(name string, data []byte) error) error {
	for _, f := range folders {
		err := fs.WalkDir(s.files, f, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			ext, base := path.Ext(name), path.Base(name)
			list := path.Dir(name) == own && ext == ".txt"
			// A name that begins so is an editor's, and never compiled.
			if d.IsDir() || base[0] == '.' || base[0] == '_' || ext != ".go" && ext != ".s" && !list || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			data, err := fs.ReadFile(s.files, name)
			if err != nil {
				return err
			}
			return fn(name, data)
		})
		if err != nil {
			return fmt.Errorf("sched9's sources: %w", err)
		}
	}
	return nil
}

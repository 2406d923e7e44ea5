package files

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/u-root/u-root/pkg/cpio"

	"sched9/kernel/archive"
)

// list writes the set's archive and reads it as the kernel does.
func list(t *testing.T, s *Set) (all []string) {
	t.Helper()
	var b bytes.Buffer
	w := cpio.Newc.Writer(&b)
	if err := cpio.WriteRecords(w, s.Records()); err != nil {
		t.Fatal(err)
	}
	if err := cpio.WriteTrailer(w); err != nil {
		t.Fatal(err)
	}
	for rest := b.Bytes(); ; {
		f, next, ok := archive.Next(rest)
		if !ok {
			return all
		}
		ro := ""
		if f.ReadOnly {
			ro = " ro"
		}
		all = append(all, fmt.Sprintf("%s %o %q%s", f.Name, f.Mode, f.Data, ro))
		rest = next
	}
}

// TestSet packs a directory of which a part is added before, to be written to.
func TestSet(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "A", "own/b": "B", "own/deep/c": "", ".git/x": "no"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("own/b", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	var s Set
	skip := func(path string, d fs.DirEntry) bool { return d.Name() == ".git" }
	for _, err := range []error{
		s.Add(filepath.Join(dir, "own"), "/m/own", false, skip),
		s.Add(dir, "/m", true, skip),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s.Put("/etc/hosts", "h", 0o644)
	s.Link("/l", "m")
	want := []string{
		`etc 40755 ""`, `etc/hosts 100644 "h"`, `l 120777 "m"`, `m 40755 "" ro`, `m/a 100640 "A" ro`, `m/link 120777 "own/b" ro`,
		`m/own 40755 ""`, `m/own/b 100640 "B"`, `m/own/deep 40755 ""`, `m/own/deep/c 100640 ""`,
	}
	if got := list(t, &s); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := s.Add(dir, "m", false, nil); err == nil {
		t.Error("a relative path in the guest is taken")
	}
	if err := s.Add(filepath.Join(dir, "none"), "/none", false, nil); err == nil {
		t.Error("what is not there is taken")
	}
}

package ramfs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// TestOutside reads a tree by its addresses alone: what was made or changed, and nothing else.
func TestOutside(t *testing.T) {
	fs, arena := newFS(t, 2000)
	given := bytes.Repeat([]byte("given "), 1000)
	for _, f := range []struct {
		name   string
		borrow bool
		at     int64
		text   string
	}{
		{"d/", false, 0, ""}, {"d/made", false, 0, "made"}, {"d/same", true, 0, ""}, {"d/changed", true, 5000, "CHANGED"},
		{"d/hole", false, 3 << 20, "far"}, {"d/e/", false, 0, ""}, {"d/e/empty", false, 0, ""}, {"else", false, 0, "else"},
	} {
		name, dir := strings.CutSuffix(f.name, "/")
		at, e := fs.Walk(fs.Root(), []byte(name), Entry)
		if e != 0 {
			t.Fatal(f.name, e)
		}
		if dir {
			fs.Mkdir(at, 0o755, 1)
			continue
		}
		n, _ := fs.Make(at, ModeFile|0o640, 0, 1)
		if f.borrow {
			n.Borrow(uintptr(unsafe.Pointer(&given[0])), int64(len(given)))
		}
		if f.text != "" {
			fs.write(n, f.at, []byte(f.text))
		}
	}
	reads := 0
	read := func(at uintptr, to []byte) bool {
		reads++
		for _, m := range [][]byte{arena.memory, given, unsafe.Slice((*byte)(unsafe.Pointer(fs)), unsafe.Sizeof(*fs))} {
			if from, size := uintptr(unsafe.Pointer(&m[0])), uintptr(len(m)); at >= from && at-from <= size && uintptr(len(to)) <= size-(at-from) {
				copy(to, m[at-from:])
				return true
			}
		}
		return false
	}
	root := uintptr(unsafe.Pointer(fs))
	list := func(path string) (all []string) {
		files, err := Outside(read, root, path)
		if err != nil {
			return []string{err.Error()}
		}
		for _, f := range files {
			n, _, _ := fs.Open(fs.Root(), []byte(f.Path), 0, 0, 1)
			if want := n.read(0, int(n.Size)); !bytes.Equal(f.Data, want) || f.Mode != ModeFile|0o640 {
				t.Errorf("%s: %d bytes differ from %d, mode %o", f.Path, len(f.Data), len(want), f.Mode)
			}
			all = append(all, fmt.Sprint(f.Path, " ", len(f.Data)))
		}
		return all
	}
	for path, want := range map[string][]string{
		"/d":        {"/d/made 4", "/d/changed 6000", "/d/hole 3145731", "/d/e/empty 0"},
		"/d/made":   {"/d/made 4"},
		"/d/same":   nil,
		"else":      {"/else 4"},
		"/none":     {"/none: no such file or directory in the guest"},
		"/d/made/x": {"/d/made/x: no such file or directory in the guest"},
	} {
		if got := list(path); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	// Memory that is anything: an error at most, and it ends.
	for i := 0; i < 14*PageSize; i += 8 * 41 { // where the records are
		word := arena.memory[i : i+8]
		old := bytes.Clone(word)
		for _, bad := range []byte{0xff, 0x01} {
			for j := range word {
				word[j] = bad
			}
			Outside(read, root, "/")
		}
		copy(word, old)
	}
	if _, err := Outside(func(uintptr, []byte) bool { return false }, root, "/"); err == nil {
		t.Error("no error without memory")
	}
}

package qemu

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestSweep(t *testing.T) {
	tmp := t.TempDir()
	old := time.Now().Add(-2 * staleAge)
	const gone = "999999999" // above the largest process id
	mine := strconv.Itoa(os.Getpid())
	for name, aged := range map[string]bool{ // files, of a process that was killed
		"sched9-" + gone + "-image-1": true,
		"sched9-" + gone + "-image-2": false,
		"sched9-" + mine + "-image-3": true,
	} {
		file := filepath.Join(tmp, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if aged {
			if err := os.Chtimes(file, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, aged := range map[string]bool{
		"sched9-" + gone + "-stale": true,
		"sched9-" + gone + "-young": false,
		"sched9-" + mine + "-live":  true,
		"sched9-notes-2020":         true,
		"other-" + gone + "-stale":  true,
	} {
		dir := filepath.Join(tmp, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "qmp"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if aged {
			if err := os.Chtimes(dir, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	sweep(tmp)
	entries, err := os.ReadDir(tmp)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := []string{"other-" + gone + "-stale", "sched9-" + gone + "-young", "sched9-" + mine + "-live", "sched9-notes-2020",
		"sched9-" + gone + "-image-2", "sched9-" + mine + "-image-3"}
	slices.Sort(want)
	if !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}

func TestScratchIsPrivate(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	if name := filepath.Join(os.TempDir(), Scratch("image")+"1"); !strings.HasPrefix(filepath.Base(name), scratchPrefix+strconv.Itoa(os.Getpid())+"-") {
		t.Error(name)
	}
	dir, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(dir)
	if err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

func TestSocketPathLength(t *testing.T) {
	if p, err := socketPath("/tmp/sched9-4194304-4294967295", "qmp"); err != nil {
		t.Errorf("%q: %v", p, err)
	}
	if _, err := socketPath("/"+strings.Repeat("x", 100), "qmp"); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("error %v", err)
	}
}

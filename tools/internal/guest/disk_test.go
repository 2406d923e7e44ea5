package guest

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDiskCheck(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	odd := filepath.Join(dir, "odd")
	for name, n := range map[string]int{good: 1024, odd: 1000} {
		if err := os.WriteFile(name, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		d    Disk
		want string // part of the error, "" for none
	}{
		{Disk{File: good}, ""},
		{Disk{File: good, Write: true}, ""},
		{Disk{Size: 512}, ""},
		{Disk{File: odd}, "1000 bytes"},
		{Disk{File: filepath.Join(dir, "none")}, "no such file"},
		{Disk{File: dir}, "not a regular file"},
		{Disk{}, "no file given"},
		{Disk{Size: 513}, "513 bytes"},
		{Disk{Size: -512}, "-512 bytes"},
		{Disk{Size: maxDisk + 512}, "at most 1024 MiB"},
	} {
		g := some()
		g.Disks = []Disk{c.d}
		err := g.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.d, err, c.want)
		}
	}
	g := some()
	g.Disks = make([]Disk, 5)
	if err := g.Check(); err == nil || !strings.Contains(err.Error(), "5 disks") {
		t.Errorf("five disks: %v", err)
	}
}

// TestPrepare: a disk that is made has its pattern, and goes away; a file stays.
func TestPrepare(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	mine := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(mine, make([]byte, 512), 0o600); err != nil {
		t.Fatal(err)
	}
	var files temporary
	disks, err := prepare([]Disk{{File: mine}, {Size: 3000 * 512}}, &files)
	if err != nil || len(disks) != 2 || disks[0].Path != mine || disks[0].Write || !disks[1].Write {
		t.Fatalf("%+v, %v", disks, err)
	}
	data, err := os.ReadFile(disks[1].Path)
	if err != nil || len(data) != 3000*512 {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	for at := 0; at < len(data); at += 8 {
		if got := binary.LittleEndian.Uint64(data[at:]); got != uint64(at/512) {
			t.Fatalf("byte %d: %d", at, got)
		}
	}
	files.remove()
	if _, err := os.Stat(disks[1].Path); !os.IsNotExist(err) {
		t.Errorf("the disk that was made is still there: %v", err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if _, err := prepare([]Disk{{Size: 512}}, &files); err == nil {
		t.Error("a disk was made nowhere")
	}
}

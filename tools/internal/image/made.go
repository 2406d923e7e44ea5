package image

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sched9/kernel/goruntime"
)

// Making an overlay takes longer than all else that go test waits for before it builds, so its permanent directory has a record of it:
// the flags that go with it, and each file that it is made of or consists of, as it was. The directory's name stands for sched9's own
// sources. While all files are as they were the overlay is not made again.

// madeFile is the record's name in the overlay's directory.
const madeFile = "made"

// made reads the record in dir. ok is false if there is none, or some file has changed since.
func made(dir string) (flags []string, ok bool) {
	data, err := os.ReadFile(filepath.Join(dir, madeFile))
	if err != nil {
		return nil, false
	}
	first, files, _ := bytes.Cut(data, []byte("\n"))
	if json.Unmarshal(first, &flags) != nil {
		return nil, false
	}
	lines := bufio.NewScanner(bytes.NewReader(files))
	for lines.Scan() {
		if _, name, _ := strings.Cut(lines.Text(), "\t"); state(name) != lines.Text() {
			return nil, false
		}
		ok = true
	}
	return flags, ok && lines.Err() == nil
}

// keepMade writes the record of the overlay of that name: files of the toolchain at goroot and their replacements, those of the packages that
// the flags are made for, the files that the flags name, and this program, which has made it all.
func keepMade(overlay, goroot string, flags []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	o, err := readOverlay(overlay)
	if err != nil {
		return err
	}
	names := map[string]bool{self: true, overlay: true}
	for from, to := range o.Replace {
		names[from] = true
		if to != "" {
			names[to] = true
		}
	}
	for _, f := range flags {
		f, profile, _ := strings.Cut(strings.TrimPrefix(f, "-gcflags="), "=-pgoprofile=")
		names[profile] = true
		dir := filepath.Join(goroot, "src", filepath.FromSlash(f))
		entries, _ := os.ReadDir(dir) // not there if the package is only in the overlay
		for _, e := range entries {
			names[filepath.Join(dir, e.Name())] = true
		}
		names[dir] = true // a new file in it
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(flags); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintln(&b, state(name))
	}
	return goruntime.Write(filepath.Join(filepath.Dir(overlay), madeFile), b.Bytes())
}

// state is a file's line in the record: its size and time, or that it is not there, and its name.
func state(name string) string {
	st, err := os.Stat(name)
	if err != nil {
		return "-\t" + name
	}
	return fmt.Sprintf("%d %d\t%s", st.Size(), st.ModTime().UnixNano(), name)
}

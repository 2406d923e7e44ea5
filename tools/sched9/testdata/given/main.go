// Command given checks the files that its host has given it: os.Args[1] is the directory, of which
// TestFiles tells what is in it. It runs in it. What it changes stays in its own memory.
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// failed counts what was wrong.
var failed int

// check complains if ok is false.
func check(ok bool, format string, args ...any) {
	if !ok {
		failed++
		fmt.Printf("wrong: "+format+"\n", args...)
	}
}

func main() {
	dir := os.Args[1]
	if wd, err := os.Getwd(); wd != dir || err != nil {
		check(false, "in %s, not in %s: %v", wd, dir, err)
	}
	// In the order of the archive, so that it is the order of names.
	filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		check(err == nil, "%v", err)
		if info, err := d.Info(); err == nil && !d.IsDir() {
			b, _ := os.ReadFile(name)
			fmt.Printf("%v %s %d %x\n", info.Mode(), name, info.ModTime().Unix(), sha256.Sum256(b))
		}
		return nil
	})
	// What is written is there, what is beside it stays.
	old, err := os.ReadFile("large")
	check(err == nil, "%v", err)
	f, err := os.OpenFile("large", os.O_RDWR, 0)
	check(err == nil, "%v", err)
	_, err = f.WriteAt([]byte("changed"), 5000)
	check(err == nil, "%v", err)
	_, err = f.Seek(0, io.SeekEnd)
	check(err == nil, "%v", err)
	_, err = f.Write([]byte("more"))
	check(err == nil, "%v", err)
	check(f.Truncate(int64(len(old))+2) == nil, "truncate")
	f.Close()
	want := append(bytes.Clone(old), "mo"...)
	copy(want[5000:], "changed")
	b, err := os.ReadFile("link")
	check(err == nil && bytes.Equal(b, want), "%d bytes of %d, %v", len(b), len(want), err)
	check(os.Remove("sub/small") == nil && os.Remove("sub") == nil, "a directory that was given stays")
	check(os.WriteFile("new", []byte("x"), 0o644) == nil, "nothing can be made")
	check(os.Rename("new", "large") == nil, "rename")
	check(os.RemoveAll("large") == nil, "what took the place of a file stays")

	cmd, err := os.ReadFile("/proc/self/cmdline")
	check(err == nil && string(cmd) == strings.Join(os.Args, "\x00")+"\x00", "%q %v", cmd, err)
	_, err = os.Stat("/nowhere")
	check(errors.Is(err, syscall.ENOENT), "%v", err)
	if failed > 0 {
		os.Exit(1)
	}
	fmt.Println("given: done")
}

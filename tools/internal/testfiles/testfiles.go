// Package testfiles decides which files a program that the go command runs, above all a test, gets
// in the guest: those of this machine that tests usually look at.
package testfiles

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"sched9/tools/internal/files"
)

// Program is what is to be run.
type Program struct {
	Exe  []byte // the executable
	Path string // of it, absolute
	Dir  string // where it runs
	Test bool   // it is a test, and Dir its package's directory
	Args []string

	Writes []string // absolute paths at which it writes what this machine gets back
}

// Bounds of what a test gets of its module beside its own directory. Of a larger module it gets the contents
// of the directories above its own: files, testdata, and other directories, but empty. It also gets the files of the
// directories beside its own, if they are few.
const (
	maxModuleFiles = 5000
	maxModuleBytes = 64 << 20
	maxBesideBytes = 4 << 20
)

// Of returns the program's files: the executable, /etc, /proc, time zones, directories that the
// go command has made for it, and, for a test, its package's directory and its module, read-only.
func Of(p Program) (*files.Set, error) {
	s := new(files.Set)
	for _, path := range p.Writes { // before the module, in which they could not be changed
		if err := writable(s, p, path); err != nil {
			return nil, err
		}
	}
	if p.Test {
		if err := s.Add(p.Dir, p.Dir, false, versioned); err != nil {
			return nil, err
		}
		if err := module(s, p.Dir); err != nil {
			return nil, err
		}
	}
	s.Put(p.Path, string(p.Exe), 0o755)
	s.Dir(p.Dir, 0o755)
	for _, name := range []string{"HOME", "TMPDIR"} {
		if dir := os.Getenv(name); filepath.IsAbs(dir) {
			s.Dir(dir, 0o755)
		}
	}
	for _, a := range p.Args {
		for _, flag := range []string{"-test.gocoverdir=", "-test.outputdir="} {
			if dir, ok := strings.CutPrefix(a, flag); ok && filepath.IsAbs(dir) {
				s.Dir(dir, 0o755)
			}
		}
	}
	if err := coverage(s, p.Args); err != nil {
		return nil, err
	}
	for _, dir := range []string{"/bin", "/usr/bin", "/root", "/var/tmp"} {
		s.Dir(dir, 0o755) // empty, but there
	}
	etc(s)
	if err := zones(s); err != nil {
		return nil, err
	}
	return s, proc(s, p)
}

// writable adds the directory at path, or in which path lies, and, where the program gets the module too, what is there.
func writable(s *files.Set, p Program, path string) error {
	nothing := func(string, fs.DirEntry) bool { return true }
	if p.Test && inModule(path, p.Dir) {
		few, err := small(path)
		if err != nil {
			return err
		}
		if few {
			if err := addThere(s, path, versioned); err != nil {
				return err
			}
		}
	}
	if st, err := os.Lstat(path); err == nil && st.IsDir() {
		if err := addThere(s, path, nothing); err != nil {
			return err
		}
	}
	return addThere(s, filepath.Dir(path), nothing)
}

// inModule reports whether path is in the module or workspace of the package in dir.
func inModule(path, dir string) bool {
	root := above(dir, "go.mod")
	if root == "" {
		return false
	}
	if whole := workspace(root); whole != "" {
		root = whole
	}
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// addThere adds what is at path, to be written to, if there is something: otherwise the program makes it, or fails in that as it would here.
func addThere(s *files.Set, path string, skip func(string, fs.DirEntry) bool) error {
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	return s.Add(path, path, false, skip)
}

// coverage adds what a test must know of packages that -coverpkg names and it does not import, to count their statements: the files that the
// file metafiles.txt in its -test.gocoverdir lists (GOROOT/src/internal/coverage, MetaFileCollection).
func coverage(s *files.Set, args []string) error {
	for _, a := range args {
		dir, ok := strings.CutPrefix(a, "-test.gocoverdir=")
		if !ok {
			continue
		}
		name := filepath.Join(dir, "metafiles.txt")
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var list struct{ MetaFileFragments []string }
		if err := errors.Join(err, json.Unmarshal(text, &list)); err != nil {
			return fmt.Errorf("the packages of -coverpkg: %w", err)
		}
		for _, path := range append(list.MetaFileFragments, name) {
			if path == "" { // a package without statements
				continue
			}
			if err := s.Add(path, path, true, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// versioned reports whether a directory is a version control's, which no test looks at.
func versioned(path string, d fs.DirEntry) bool {
	switch d.Name() {
	case ".git", ".hg", ".svn":
		return true
	}
	return false
}

// module adds dir's workspace (go.work), or its module, read-only, or of a large one, such as GOROOT, only the directories above dir
// and the files beside it.
func module(s *files.Set, dir string) error {
	root := above(dir, "go.mod")
	if root == "" {
		return nil
	}
	for _, whole := range []string{workspace(root), root} {
		few, err := small(whole)
		if err != nil {
			return err
		}
		if few {
			return s.Add(whole, whole, true, versioned)
		}
	}
	if dir != root {
		if err := beside(s, dir); err != nil {
			return err
		}
	}
	for dir != root {
		dir = filepath.Dir(dir)
		from := dir
		shallow := func(path string, d fs.DirEntry) bool {
			rel, err := filepath.Rel(from, path)
			first, _, deep := strings.Cut(rel, string(filepath.Separator))
			return err != nil || deep && first != "testdata" || versioned(path, d)
		}
		if err := s.Add(dir, dir, true, shallow); err != nil {
			return err
		}
	}
	return nil
}

// above is the directory of dir and those above it that has a file of the name and lies deepest, "" if none has.
func above(dir, name string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// workspace is the directory of the go.work that the go command uses for the module in root, "" if it uses none that lies above.
func workspace(root string) string {
	if file := os.Getenv("GOWORK"); file != "" { // "off", or a file
		if dir := filepath.Dir(file); filepath.IsAbs(file) && strings.HasPrefix(root+string(filepath.Separator), dir+string(filepath.Separator)) {
			return dir
		}
		return ""
	}
	return above(root, "go.work")
}

// small reports whether a directory, "" for none, is within the bounds of a module of which a test gets all.
func small(root string) (bool, error) {
	if root == "" {
		return false, nil
	}
	count, size := 0, int64(0)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && versioned(path, d):
			return fs.SkipDir
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		if count++; count > maxModuleFiles || size > maxModuleBytes {
			return fs.SkipAll
		}
		return nil
	})
	return count <= maxModuleFiles && size <= maxModuleBytes, err
}

// beside adds the files in the directories beside dir, read-only, but nothing of the directories in them; or nothing, if
// that is more than maxBesideBytes.
func beside(s *files.Set, dir string) error {
	up := filepath.Dir(dir)
	all, err := fs.Glob(os.DirFS(up), "*/*")
	if err != nil {
		return err
	}
	size := int64(0)
	all = slices.DeleteFunc(all, func(name string) bool {
		info, err := os.Stat(filepath.Join(up, name))
		if err != nil || !info.Mode().IsRegular() || name[0] == '.' {
			return true
		}
		size += info.Size()
		return false
	})
	if size > maxBesideBytes {
		return nil
	}
	for _, name := range all {
		path := filepath.Join(up, name)
		if err := s.Add(path, path, true, nil); err != nil {
			return err
		}
	}
	return nil
}

// etc adds what the net package and its like read.
func etc(s *files.Set) {
	s.Put("/etc/hosts", "127.0.0.1\tlocalhost\n::1\tlocalhost\n", 0o644)
	s.Put("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n", 0o644)
	s.Put("/etc/group", "root:x:0:\n", 0o644)
	s.Put("/etc/resolv.conf", "", 0o644)
	if b, err := os.ReadFile("/etc/localtime"); err == nil {
		s.Put("/etc/localtime", string(b), 0o644)
	}
}

// zones adds the time zones of GOROOT.
func zones(s *files.Set) error {
	goroot := os.Getenv("GOROOT")
	if goroot == "" {
		goroot = runtime.GOROOT()
	}
	dir := filepath.Join(goroot, "lib", "time")
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	return s.Add(dir, dir, true, nil)
}

// proc adds the constant files of /proc. The kernel adds arguments and environment itself.
func proc(s *files.Set, p Program) error {
	s.Link("/proc/self/exe", p.Path)
	name := filepath.Base(p.Path)
	s.Put("/proc/self/comm", name[:min(len(name), 15)]+"\n", 0o644)
	s.Put("/proc/self/status", "Name:\t"+name[:min(len(name), 15)]+"\nState:\tR (running)\nTgid:\t1\nPid:\t1\nPPid:\t0\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n", 0o444)
	f, err := elf.NewFile(bytes.NewReader(p.Exe))
	if err != nil {
		return err
	}
	var maps strings.Builder
	for _, g := range f.Progs {
		if g.Type != elf.PT_LOAD || g.Memsz == 0 {
			continue
		}
		const page = 4096
		perm := []byte("---p")
		for i, c := range []struct {
			flag elf.ProgFlag
			as   byte
		}{{elf.PF_R, 'r'}, {elf.PF_W, 'w'}, {elf.PF_X, 'x'}} {
			if g.Flags&c.flag != 0 {
				perm[i] = c.as
			}
		}
		fmt.Fprintf(&maps, "%08x-%08x %s %08x 00:01 1 %s\n", g.Vaddr&^(page-1), (g.Vaddr+g.Memsz+page-1)&^(page-1), perm, g.Off&^(page-1), p.Path)
	}
	s.Put("/proc/self/maps", maps.String(), 0o444)
	return nil
}

// Environ returns the environment of the go command's child as a guest gets it: the working directory is
// dir.
func Environ(env []string, dir string) []string {
	var out []string
	for _, e := range env {
		if i := strings.IndexByte(e, '='); i > 0 && e[:i] != "PWD" {
			out = append(out, e)
		}
	}
	return append(out, "PWD="+dir)
}

// Outputs are the absolute paths of what go test's flags have the test write: profiles, coverage, and the directory of artifacts.
// dir is where it runs.
func Outputs(args []string, dir string) (paths []string) {
	for _, a := range args {
		if d, ok := strings.CutPrefix(a, "-test.outputdir="); ok && d != "" {
			dir = d
		}
	}
	for _, a := range args {
		name, value, _ := strings.Cut(strings.TrimPrefix(a, "-test."), "=")
		switch name {
		case "artifacts":
			if on, err := strconv.ParseBool(value); err != nil || !on {
				continue
			}
			value = "_artifacts"
		case "coverprofile", "gocoverdir", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace":
		default:
			continue
		}
		if a[0] != '-' || value == "" {
			continue
		}
		if !filepath.IsAbs(value) {
			value = filepath.Join(dir, value)
		}
		paths = append(paths, value)
	}
	return paths
}

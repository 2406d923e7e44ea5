package image

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Source is a program as the user named it.
type Source struct {
	Dir   string   // where the go command is to run
	Args  []string // the package, or files of it, as the go command takes them
	Given string   // as the user wrote it, for messages
}

// Find says what program the first of args names, and how many of them name it:
// a directory, an import path, or .go files as `go run` takes them. The
// error says what is wrong with it.
func Find(args []string) (s Source, n int, err error) {
	if len(args) == 0 || args[0] == "" {
		return s, 0, fmt.Errorf("which program? Name a directory, an import path, .go files or an image")
	}
	for n < len(args) && strings.HasSuffix(args[n], ".go") && !isDir(args[n]) {
		n++
	}
	if n > 0 {
		return files(args[:n], n)
	}
	pkg := args[0]
	s = Source{Args: []string{pkg}, Given: pkg}
	if filepath.IsAbs(pkg) || pkg == "." || pkg == ".." || strings.HasPrefix(pkg, "./") || strings.HasPrefix(pkg, "../") {
		if !isDir(pkg) {
			return s, 1, fmt.Errorf("there is no directory %s", pkg)
		}
		s.Dir, err = filepath.Abs(pkg)
		s.Args = []string{"."}
		if names := goFiles(s.Dir); len(names) > 0 && !inModule(s.Dir) {
			s.Args = names
		}
		return s, 1, err
	}
	if strings.HasPrefix(pkg, "-") || strings.Contains(pkg, "...") || strings.ContainsAny(pkg, "@ \t\n") {
		return s, 1, fmt.Errorf("%q is not the name of one package", pkg)
	}
	s.Dir, err = os.Getwd()
	return s, 1, err
}

// files is the program that is made of the given files.
func files(names []string, n int) (s Source, _ int, err error) {
	s.Given = strings.Join(names, " ")
	for i, name := range names {
		st, err := os.Stat(name)
		if err != nil || !st.Mode().IsRegular() {
			return s, n, fmt.Errorf("there is no file %s", name)
		}
		dir, err := filepath.Abs(filepath.Dir(name))
		if err != nil {
			return s, n, err
		}
		if i > 0 && dir != s.Dir {
			return s, n, fmt.Errorf("%s and %s are not in one directory", names[0], name)
		}
		s.Dir = dir
		s.Args = append(s.Args, filepath.Base(name))
	}
	return s, n, nil
}

// goFiles are the names of the .go files in dir.
func goFiles(dir string) (names []string) {
	entries, _ := os.ReadDir(dir) // what cannot be read the go command tells
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".go") {
			names = append(names, e.Name())
		}
	}
	return names
}

// inModule reports whether dir is in a module, or modules are off. A directory that is not is a program all the same: its files.
func inModule(dir string) bool {
	if os.Getenv("GO111MODULE") == "off" {
		return true
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// isDir reports whether path is a directory.
func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

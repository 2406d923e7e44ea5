package testfiles

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOf packs a test of a small module and of a large one, which gives what lies above the package alone.
func TestOf(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	workspace := t.TempDir()
	root := filepath.Join(workspace, "mod")
	t.Setenv("GOWORK", "")
	pkg := filepath.Join(root, "a", "pkg")
	for _, name := range []string{"go.mod", "testdata/top", "a/testdata/deep/up", "a/file", "a/other/in", "a/other/deep/in", "a/pkg/own/x", ".git/config", "a/.git/x", "../beside/in", "../go.work"} {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	names := func(test bool) (all []string, readOnly map[string]bool) {
		s, err := Of(Program{Exe: data, Path: "/tmp/pkg.test", Dir: pkg, Test: test, Args: []string{"-test.outputdir=/out"}})
		if err != nil {
			t.Fatal(err)
		}
		readOnly = map[string]bool{}
		for _, r := range s.Records() {
			all = append(all, "/"+r.Name)
			readOnly["/"+r.Name] = r.Minor != 0
		}
		return all, readOnly
	}
	check := func(test bool, want, not []string) {
		t.Helper()
		all, ro := names(test)
		for _, name := range want {
			if !slices.Contains(all, filepath.Join(root, name)) && !slices.Contains(all, name) {
				t.Errorf("%s is missing", name)
			}
		}
		for _, name := range not {
			if slices.Contains(all, filepath.Join(root, name)) {
				t.Errorf("%s is there", name)
			}
		}
		if test && (ro[filepath.Join(pkg, "own/x")] || !ro[filepath.Join(root, "go.mod")]) {
			t.Error("the package is read-only, or its module is not")
		}
	}
	above := []string{"go.mod", "testdata/top", "a/testdata/deep/up", "a/file", "a/other", "a/pkg/own/x", "/tmp/pkg.test", "/proc/self/exe", "/proc/self/maps", "/etc/hosts", "/out"}
	check(true, append(above, "a/other/in", "a/other/deep/in", "../beside/in", "../go.work"), []string{".git", ".git/config"})
	for _, other := range []string{"off", filepath.Join(root, "a", "go.work")} {
		t.Setenv("GOWORK", other)
		check(true, append(above, "a/other/in", "a/other/deep/in"), []string{".git", "../beside/in", "../go.work"})
	}
	t.Setenv("GOWORK", filepath.Join(workspace, "go.work"))
	check(true, append(above, "../beside/in"), nil)
	check(false, []string{"a/pkg", "/tmp/pkg.test"}, []string{"go.mod", "a/pkg/own/x"})
	large := filepath.Join(root, "large")
	if err := os.WriteFile(large, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, maxModuleBytes); err != nil {
		t.Fatal(err)
	}
	check(true, append(above, "a/other/in"), []string{"a/other/deep/in", "../beside/in", ".git/config", "a/.git/x"})
	if err := os.Truncate(filepath.Join(root, "a", "other", "in"), maxBesideBytes+1); err != nil {
		t.Fatal(err)
	}
	check(true, above, []string{"a/other/in", "a/other/deep/in"})
}

// TestEnviron: the guest's working directory is the requested one, and words that are no variables are
// left out.
func TestEnviron(t *testing.T) {
	got := Environ([]string{"A=b", "PWD=/x", "=C:=x", "none"}, "/here")
	if want := []string{"A=b", "PWD=/here"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWrites: what comes back can be written, wherever it is in the module, and what is beside it stays as it was.
func TestWrites(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", "off")
	root := t.TempDir()
	for _, name := range []string{"go.mod", "old.out", "golden/in/deep", "pkg/x"} {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(root, name) }
	outside := t.TempDir() // a directory that may be large, of which nothing is wanted but new files
	if err := os.WriteFile(filepath.Join(outside, "x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Of(Program{Exe: data, Path: "/tmp/pkg.test", Dir: at("pkg"), Test: true, Writes: []string{at("old.out"), at("new.out"), at("golden"), outside, "/none/x"}})
	if err != nil {
		t.Fatal(err)
	}
	readOnly := map[string]bool{}
	for _, r := range s.Records() {
		readOnly["/"+r.Name] = r.Minor != 0
	}
	for name, want := range map[string]bool{"": false, "go.mod": true, "old.out": false, "golden": false, "golden/in": false, "golden/in/deep": false, "pkg/x": false} {
		if is, there := readOnly[at(name)]; !there || is != want {
			t.Errorf("%s: there %v, read-only %v", name, there, is)
		}
	}
	if is, there := readOnly[outside]; !there || is {
		t.Errorf("the directory outside the module: there %v, read-only %v", there, is)
	}
	for _, name := range []string{"/none", filepath.Join(outside, "x")} {
		if _, there := readOnly[name]; there {
			t.Errorf("%s is there", name)
		}
	}
}

// TestCoverage: a test gets the files about packages that it is to count and does not import.
func TestCoverage(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	about, list := filepath.Join(dir, "b002", "covmeta.x"), filepath.Join(dir, "gocoverdir", "metafiles.txt")
	program := Program{Exe: data, Path: "/tmp/pkg.test", Dir: dir, Args: []string{"-test.gocoverdir=" + filepath.Dir(list)}}
	program.Writes = Outputs(program.Args, dir)
	for text, want := range map[string]bool{`{"ImportPaths": ["a", "b"], "MetaFileFragments": ["` + about + `", ""]}`: true, "{": false, `{"MetaFileFragments": ["/none/x"]}`: false} {
		for name, text := range map[string]string{about: "x", list: text} {
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Of(program)
		if (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
		if err != nil {
			continue
		}
		var names []string
		for _, r := range s.Records() {
			names = append(names, "/"+r.Name)
		}
		if !slices.Contains(names, about) || !slices.Contains(names, list) {
			t.Errorf("%s: %q", text, names)
		}
	}
}

// TestOutputs finds the files that flags name.
func TestOutputs(t *testing.T) {
	args := strings.Fields("-test.gocoverdir=/w/d -test.v=true -test.coverprofile=/w/c -test.memprofile=m -test.outputdir=/o -test.trace= -test.timeout=1s coverprofile=x -test.artifacts=true")
	if got, want := Outputs(args, "/here"), []string{"/w/d", "/w/c", "/o/m", "/o/_artifacts"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

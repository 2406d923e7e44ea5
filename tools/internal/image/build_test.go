package image

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sched9/boot"
)

// build makes an image of what args name in the current directory.
func build(t *testing.T, o Options, args ...string) (img Image, said string, err error) {
	t.Helper()
	src, _, err := Find(args)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	o.Stderr = &b
	img, err = Build(t.Context(), src, o)
	return img, b.String(), err
}

const module = "module example.com/prog/v2\n\ngo 1.26\n"

func TestBuild(t *testing.T) {
	tree(t, map[string]string{
		"go.mod":  module,
		"main.go": "package main\n\nimport _ \"net\"\n\nfunc main() { println(\"hello\") }\n",
	})
	for _, f := range []boot.Format{boot.PVH, boot.Multiboot} {
		img, said, err := build(t, Options{Format: f}, ".")
		if err != nil || said != "" {
			t.Fatalf("%v: %v, %q", f, err, said)
		}
		if err := boot.Check(img.Data); err != nil {
			t.Errorf("%v: %v", f, err)
		}
		if img.Name != "prog" || !strings.HasPrefix(img.Version, "go1.") {
			t.Errorf("%v: name %q, version %q", f, img.Name, img.Version)
		}
	}
}

// TestBuildTags has a user whose GOFLAGS ask for a tag: ours is added to it.
func TestBuildTags(t *testing.T) {
	t.Setenv("GOFLAGS", "-buildvcs=false -tags=wanted")
	tree(t, map[string]string{
		"go.mod":  module,
		"main.go": "//go:build wanted\n\npackage main\n\nfunc main() {}\n",
	})
	if _, said, err := build(t, Options{}, "."); err != nil {
		t.Errorf("%v, %q", err, said)
	}
}

// TestBuildFile builds a file outside any module.
func TestBuildFile(t *testing.T) {
	dir := tree(t, map[string]string{"one.go": "package main\n\nfunc main() { two() }\n", "two.go": "package main\n\nfunc two() {}\n"})
	img, said, err := build(t, Options{}, filepath.Join(dir, "one.go"), filepath.Join(dir, "two.go"))
	if err != nil || img.Name != "one" {
		t.Errorf("%v, %q, name %q", err, said, img.Name)
	}
}

func TestBuildRefuses(t *testing.T) {
	tree(t, map[string]string{
		"go.mod":          module,
		"lib/lib.go":      "package lib\n",
		"bad/bad.go":      "package main\n\nfunc main() { nothing() }\n",
		"syntax/s.go":     "package main\n\nfunc main() {\n",
		"cgo/dep/dep.go":  "package dep\n\nimport \"C\"\n",
		"cgo/main.go":     "package main\n\nimport _ \"example.com/prog/v2/cgo/dep\"\n\nfunc main() {}\n",
		"missing/main.go": "package main\n\nimport _ \"example.com/prog/v2/nowhere\"\n\nfunc main() {}\n",
		"two/a.go":        "package main\n\nfunc main() {}\n",
		"two/b.go":        "package other\n",
		"empty/README":    "",
		"tests/a_test.go": "package main\n",
		"raw/main.go":     "package main\n\nfunc raw()\n\nfunc main() { raw() }\n",
		"raw/raw.s":       "TEXT ·raw(SB), 4, $0-0\n\tSYSENTER\n\tRET\n",
	})
	for _, c := range []struct {
		pkg   string
		error string // part of the error
		said  string // part of what the compiler said
	}{
		{"./lib", "it is package lib, not main", ""},
		{"./bad", "./bad does not compile", "undefined: nothing"},
		{"./syntax", "./syntax does not compile", "syntax error"},
		{"./cgo", "it needs cgo (dep.go in package example.com/prog/v2/cgo/dep)", ""},
		{"./missing", "./missing does not compile", "example.com/prog/v2/nowhere"},
		{"./two", "./two does not compile", "found packages main"},
		{"./empty", "no Go files", ""},
		{"./tests", "./tests does not compile", "no non-test Go files"},
		{"./raw", "main.raw.abi0 makes a system call itself (SYSENTER)", ""},
		{"example.com/absent", "example.com/absent", ""},
		{"fmt", "it is package fmt, not main", ""},
	} {
		_, said, err := build(t, Options{}, c.pkg)
		var bad *ProgramError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.error) || !strings.Contains(said, c.said) || c.said == "" && said != "" {
			t.Errorf("%s: got %v and %q, want %q and %q", c.pkg, err, said, c.error, c.said)
		}
	}
}

// TestBlameFlags: an executable that was built with flags for the compiler and cannot be booted is told of them.
func TestBlameFlags(t *testing.T) {
	dir := tree(t, map[string]string{"go.mod": module, "main.go": "package main\n\nfunc main() {}\n"})
	for _, c := range []struct {
		args []string
		want string
	}{{nil, "x: bad"}, {[]string{"-gcflags=-e"}, "x: bad; it was built with -gcflags=-e, which must not be for the runtime"}} {
		name := filepath.Join(dir, "prog")
		cmd := exec.Command("go", slices.Concat([]string{"build", "-buildvcs=false", "-o", name}, c.args, []string{"."})...)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		exe, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := blameFlags(&ProgramError{Source: "x", Err: errors.New("bad")}, exe); !strings.HasPrefix(err.Error(), c.want) || c.args == nil && err.Error() != c.want {
			t.Errorf("%q: %v", c.args, err)
		}
	}
	if err := blameFlags(nil, nil); err != nil {
		t.Error(err)
	}
}

func TestBuildCancelled(t *testing.T) {
	tree(t, map[string]string{"go.mod": module, "main.go": "package main\n\nfunc main() {}\n"})
	src, _, err := Find([]string{"."})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Build(ctx, src, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

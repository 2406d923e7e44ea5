package toolchain

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSupported(t *testing.T) {
	for version, want := range map[string]bool{
		"go1.26":                         true,
		"go1.26.8":                       true,
		"go1.27rc1":                      true,
		"go1.27.3 X:nodwarf5":            true,
		"devel go1.27-abcdef 2026-01-01": true,
		"go1.27-devel_abcdef":            true,
		"go1.25.9":                       false,
		"go1.28":                         false,
		"go1.260":                        false,
		"go1.2":                          false,
		"":                               false,
	} {
		if got := check(version, "x") == nil; got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

// fake puts a go command into PATH that says env of itself, and moves the
// user's cache into the test.
func fake(t *testing.T, env environment) (cache string) {
	t.Helper()
	dir := t.TempDir()
	answer, err := json.Marshal(env)
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\ncat <<'END'\n" + string(answer) + "\nEND\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("HOME", dir)
	cache, err = os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return cache
}

func TestFindVersion(t *testing.T) {
	fake(t, environment{GOROOT: "/nowhere", GOVERSION: "go1.25.3", GOMODCACHE: "/elsewhere"})
	_, err := Find(t.Context(), ".", func(string) {})
	if err == nil || !strings.Contains(err.Error(), "go1.25.3") || !strings.Contains(err.Error(), Versions) {
		t.Errorf("got %v", err)
	}
}

func TestFindNoGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Find(t.Context(), ".", func(string) {}); err == nil || !strings.Contains(err.Error(), "not in PATH") {
		t.Errorf("got %v", err)
	}
}

// TestFindCopies has a toolchain in the module cache: read-only, as there.
func TestFindCopies(t *testing.T) {
	mod := t.TempDir()
	root := filepath.Join(mod, "golang.org", "toolchain@v0.0.1-go1.26.3.linux-amd64")
	bin := filepath.Join(root, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\n"), 0o555); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{bin, root} {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(dir, 0o755)
	}
	cache := fake(t, environment{GOROOT: root, GOVERSION: "go1.26.3", GOMODCACHE: mod})
	var noted int
	for range 2 {
		tc, err := Find(t.Context(), ".", func(string) { noted++ })
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(cache, "sched9", "goroot", filepath.Base(root)); tc.Root != want {
			t.Fatalf("root %s, want %s", tc.Root, want)
		}
		st, err := os.Stat(filepath.Join(tc.Root, "bin", "go"))
		if err != nil || st.Mode()&0o100 == 0 {
			t.Errorf("the copied go: %v, %v", st, err)
		}
	}
	if noted != 1 {
		t.Errorf("%d copies were made", noted)
	}
}

func TestFindOutsideOfCache(t *testing.T) {
	root := t.TempDir()
	fake(t, environment{GOROOT: root, GOVERSION: "go1.27.0", GOMODCACHE: t.TempDir(), GOFLAGS: "-mod=mod -tags=a,b"})
	tc, err := Find(t.Context(), ".", func(string) { t.Error("a copy was made") })
	if err != nil || tc.Root != root || tc.Flags != "-mod=mod -tags=a,b" {
		t.Errorf("got %+v, %v", tc, err)
	}
}

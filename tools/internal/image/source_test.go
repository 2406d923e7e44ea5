package image

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree writes files under a new directory and goes there.
func tree(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

func TestFind(t *testing.T) {
	// alone is in no module: its files are the program.
	dir := tree(t, map[string]string{"m/go.mod": "", "m/p/a.go": "", "m/p/b.go": "", "m/q/c.go": "", "m/dir.go/x": "", "alone/a.go": "", "alone/a_test.go": "", "alone/sub.go/x": ""})
	t.Chdir(dir + "/m")
	alone := dir + "/alone"
	dir += "/m"
	for _, c := range []struct {
		args []string
		dir  string
		pkg  []string
		n    int
	}{
		{[]string{"./p", "x.go"}, dir + "/p", []string{"."}, 1},
		{[]string{dir + "/p"}, dir + "/p", []string{"."}, 1},
		{[]string{"."}, dir, []string{"."}, 1},
		{[]string{"example.com/x", "y"}, dir, []string{"example.com/x"}, 1},
		{[]string{"p/a.go", "p/b.go", "arg", "c.go"}, dir + "/p", []string{"a.go", "b.go"}, 2},
		{[]string{"./dir.go"}, dir + "/dir.go", []string{"."}, 1},
		{[]string{"../alone"}, alone, []string{"a.go", "a_test.go"}, 1},
		{[]string{"../alone/sub.go"}, alone + "/sub.go", []string{"."}, 1},
	} {
		s, n, err := Find(c.args)
		if err != nil || n != c.n || s.Dir != c.dir || !slices.Equal(s.Args, c.pkg) {
			t.Errorf("%q: %+v, %d, %v", c.args, s, n, err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "which program"},
		{[]string{""}, "which program"},
		{[]string{"./nowhere"}, "no directory ./nowhere"},
		{[]string{"./..."}, "no directory"},
		{[]string{"x/..."}, "one package"},
		{[]string{"x@latest"}, "one package"},
		{[]string{"nofile.go"}, "no file nofile.go"},
		{[]string{"p/a.go", "q/c.go"}, "one directory"},
	} {
		if _, _, err := Find(c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.args, err, c.want)
		}
	}
}

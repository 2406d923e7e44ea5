package edit

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOutlivesRenames: an edit still fits, and means the same, after comments, layout, local names and the file have changed.
func TestOutlivesRenames(t *testing.T) {
	const src = `package x

func (t *T) f(from, a int) {
	// Why.
	if from != a { // and why not
		t.g(from)
	}
	t.h(a)
}
`
	const want = `package x

func (t *T) f(from, a int) {
	// Why.
	if from == a {
		t.g(a)
	}
	t.h(a)
}
`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Find(dir, "T.f")
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Replace("if a != b {\n\ts.g(a)\n}", "if a == b {\n\t\ts.g(b)\n\t}")
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	// Two names are not one, and a function is no local name.
	for _, old := range []string{"if a != a {", "s.g(a)\n}\nt.h(a)", "s.x(a)"} {
		if got, err := f.Replace(old, ""); err == nil {
			t.Errorf("%q fits:\n%s", old, got)
		}
	}
	if f, err := In([]byte(src), "T.g"); f != nil || err != nil {
		t.Errorf("a function that is not there: %v, %v", f, err)
	}
	if _, err := In([]byte("func"), "T.g"); err == nil {
		t.Error("what is no Go is no error")
	}
}

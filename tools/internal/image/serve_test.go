package image

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestAddServer: the server's file comes beside what the user's overlay has, and into a list of files.
func TestAddServer(t *testing.T) {
	dir, scratch := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("user.json", []byte(`{"Replace": {"a.go": "b.go", "/x/y.go": ""}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	u := userFlags{overlay: "user.json"}
	given := Source{Args: []string{"a.go", "c.go"}}
	src, err := u.addServer(given, serverFile, "nine", "/prog", scratch)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a.go", "c.go", serverFile}; !slices.Equal(src.Args, want) || len(given.Args) != 2 {
		t.Errorf("files %q", src.Args)
	}
	o, err := readOverlay(u.overlay)
	text := o.Replace["/prog/"+serverFile]
	if err != nil || len(o.Replace) != 3 || o.Replace[filepath.Join(here, "a.go")] != filepath.Join(here, "b.go") || o.Replace["/x/y.go"] != "" {
		t.Errorf("overlay %v, %v", o.Replace, err)
	}
	if data, err := os.ReadFile(text); err != nil || string(data) != "package main\n\nimport _ \"zsched9/srv/nine\"\n" {
		t.Errorf("%q holds %q, %v", text, data, err)
	}
	if src, err = u.addServer(Source{Args: []string{"./prog"}}, rootFile, "host", "/prog", scratch); err != nil || len(src.Args) != 1 {
		t.Errorf("a package: %q, %v", src.Args, err)
	}
}

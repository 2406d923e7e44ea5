package image

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCache: one build a directory, however it is named, and however many ask.
func TestCache(t *testing.T) {
	dir := tree(t, map[string]string{"go.mod": module, "p/main.go": "package main\n\nfunc main() {}\n"})
	builds := make(chan string, 100)
	c := Cache{Options: Options{Note: func(s string) { builds <- s }}}
	got := make(chan error)
	images := make(chan []byte, 10)
	for i := range 4 {
		go func() {
			img, err := c.Get(t.Context(), []string{"p", "./p", filepath.Join(dir, "p"), "p/../p"}[i])
			images <- img.Data
			got <- err
		}()
	}
	for range 4 {
		if err := <-got; err != nil {
			t.Fatal(err)
		}
	}
	first := <-images
	for range 3 {
		if img := <-images; len(img) == 0 || &img[0] != &first[0] {
			t.Error("two who ask get images of their own")
		}
	}
	n := 0
	for len(builds) > 0 {
		if strings.HasPrefix(<-builds, "building ") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d builds", n)
	}
}

// TestCacheFails: a program's fault is told again, another failure is not kept.
func TestCacheFails(t *testing.T) {
	tree(t, map[string]string{"go.mod": module, "bad/main.go": "package main\n\nfunc main() { nothing() }\n"})
	var c Cache
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Get(cancelled, "bad"); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled build: %v", err)
	}
	_, err := c.Get(t.Context(), "bad")
	var bad *ProgramError
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), "does not compile\n") || !strings.Contains(err.Error(), "undefined: nothing") {
		t.Errorf("a bad program: %v", err)
	}
	if err := os.WriteFile("bad/main.go", []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, again := c.Get(t.Context(), "bad"); again != err {
		t.Errorf("the second time: %v", again)
	}
	for _, dir := range []string{"", "nowhere"} {
		if _, err := c.Get(t.Context(), dir); err == nil {
			t.Errorf("%q is a program", dir)
		}
	}
}

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestNamesFlag: only an image that is asked to shows names has what makes them, and a flag that is neither true nor false is refused.
func TestNamesFlag(t *testing.T) {
	for _, c := range []struct {
		flag string
		has  bool
	}{{"-names", true}, {"-names=false", false}} {
		img := filepath.Join(t.TempDir(), "img")
		if _, stderr, status := sched9(t, "build", c.flag, "-o", img, "../../scenarios/hello"); status != 0 {
			t.Fatalf("%s: status %d: %s", c.flag, status, stderr)
		}
		data, err := os.ReadFile(img)
		if err != nil {
			t.Fatal(err)
		}
		if has := bytes.Contains(data, []byte("/proc/GOID/status")); has != c.has {
			t.Errorf("%s: the table is in the image: %v", c.flag, has)
		}
	}
	if _, stderr, status := sched9(t, "run", "-names=maybe", "../../scenarios/hello"); status != 2 {
		t.Errorf("-names=maybe: status %d: %s", status, stderr)
	}
}

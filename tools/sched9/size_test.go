package main

import (
	"os"
	"path/filepath"
	"testing"

	"sched9/qemu"
)

// TestHelloSize bounds the image of the smallest whole program: what only some programs need is not to be in all.
func TestHelloSize(t *testing.T) {
	for _, arch := range qemu.Architectures() {
		img := filepath.Join(t.TempDir(), "hello")
		if _, stderr, status := sched9(t, "build", "-arch", arch, "-o", img, "../../scenarios/hello"); status != 0 {
			t.Fatalf("status %d\n%s", status, stderr)
		}
		st, err := os.Stat(img)
		if err != nil {
			t.Fatal(err)
		}
		const limit = 2 << 20
		if st.Size() >= limit {
			t.Errorf("hello for %s has %d bytes, %d are the limit", arch, st.Size(), limit)
		}
	}
}

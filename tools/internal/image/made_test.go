package image

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sched9/kernel/goruntime"
)

// TestMade keeps the record of an overlay, which holds until any file changes that the overlay or its flags are made of.
func TestMade(t *testing.T) {
	for _, change := range []string{"", "root/src/runtime/proc.go", "root/src/runtime/new.go", "own/runtime/proc.go", "own/overlay.json", "hot", "own/made"} {
		t.Run(change, func(t *testing.T) {
			dir := t.TempDir()
			in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
			write := func(name, text string) {
				if err := goruntime.Write(in(name), []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			write("root/src/runtime/proc.go", "stock")
			write("own/runtime/proc.go", "ours")
			write("hot", "calls")
			overlay := "own/" + goruntime.OverlayFile
			write(overlay, `{"Replace": {"`+in("root/src/runtime/proc.go")+`": "`+in("own/runtime/proc.go")+`", "`+in("root/src/runtime/ours.go")+`": ""}}`)
			if _, ok := made(in("own")); ok {
				t.Fatal("made before it was")
			}
			flags := []string{"-gcflags=runtime=-pgoprofile=" + in("hot")}
			if err := keepMade(in(overlay), in("root"), flags); err != nil {
				t.Fatal(err)
			}
			if change != "" {
				was, _ := os.ReadFile(in(change))
				write(change, "x"+string(was))
			}
			got, ok := made(in("own"))
			if ok != (change == "") || ok && !slices.Equal(got, flags) {
				t.Errorf("%v, %q", ok, got)
			}
			if change == "" {
				if err := os.Remove(in("own/runtime/proc.go")); err != nil {
					t.Fatal(err)
				}
				if _, ok := made(in("own")); ok {
					t.Error("made, without a file")
				}
			}
		})
	}
}

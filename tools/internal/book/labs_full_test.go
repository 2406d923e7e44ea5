//go:build full

package book

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLabsDrawn: the program of each lab's picture still boots, and its recording has what the picture is of.
func TestLabsDrawn(t *testing.T) {
	tool, err := filepath.Abs(filepath.Join(root, "build/sched9"))
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if err := Labs(root, to, Tool(tool)); err != nil {
		t.Error(err)
	}
	for _, lab := range labs(t) {
		if _, err := os.Stat(filepath.Join(to, filepath.Base(lab), labPicture)); err != nil {
			t.Error(err)
		}
	}
}

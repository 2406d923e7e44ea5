package good

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestFiles finds what lies beside the test.
func TestFiles(t *testing.T) {
	if b, err := os.ReadFile("testdata/text"); err != nil || string(b) != "given\n" {
		t.Errorf("%q, %v", b, err)
	}
	if b, err := os.ReadFile("../go.mod"); err != nil || !strings.HasPrefix(string(b), "module ") {
		t.Errorf("%q, %v", b, err)
	}
	if err := os.WriteFile("new", []byte("x"), 0o644); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile("../new", []byte("x"), 0o644); err == nil {
		t.Error("the module can be written to")
	}
	if err := os.WriteFile(filepath.Join(t.TempDir(), "new"), []byte("x"), 0o644); err != nil {
		t.Error(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(exe); err != nil || st.Size() < 1<<20 {
		t.Error(st, err)
	}
	if _, err := os.ReadFile("/etc/passwd"); err != nil {
		t.Error(err)
	}
}

// TestZone finds the time zones of GOROOT.
func TestZone(t *testing.T) {
	if _, err := time.LoadLocation("Europe/Berlin"); err != nil {
		t.Error(err)
	}
}

// TestTwice computes.
func TestTwice(t *testing.T) {
	if Twice(21) != 42 {
		t.Error(Twice(21))
	}
}

// TestHow leaves a file behind and fails, if it is asked to.
func TestHow(t *testing.T) {
	if name := os.Getenv("MADE"); name != "" {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte("made by a test"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getenv("HOW") == "error" {
		t.Error("as it should")
	}
}

// FuzzTwice has a seed in the code and one in a file; the latter fails it, if it is asked to.
func FuzzTwice(f *testing.F) {
	f.Add(3)
	f.Fuzz(func(t *testing.T, n int) {
		if Twice(n) != n+n || os.Getenv("HOW") == "seed" && n == 1234567 {
			t.Error(n)
		}
	})
}

// Example is caught by its output.
func ExampleTwice() {
	fmt.Println(Twice(4))
	// Output: 8
}

// BenchmarkTwice is short, and says how many vCPUs there are.
func BenchmarkTwice(b *testing.B) {
	for b.Loop() {
		Twice(b.N)
	}
	b.ReportMetric(float64(runtime.NumCPU()), "vCPUs")
}

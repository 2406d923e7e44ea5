//go:build !explore

package atomic

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// listing returns what the compiler makes of package sched for arch. overlay is the go
// command's.
func listing(t *testing.T, arch, overlay string) []byte {
	t.Helper()
	args := []string{"build", "-gcflags=sched9/sched=-S", "-o", os.DevNull}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	cmd := exec.Command("go", append(args, "sched9/sched")...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
	return out
}

// code returns the machine code of each function of package sched for amd64.
func code(t *testing.T, overlay string) map[string]string {
	t.Helper()
	funcs := map[string]string{}
	name := ""
	bytesOf := regexp.MustCompile(`^\t0x[0-9a-f]+ ([0-9a-f ]+)  `)
	for line := range bytes.Lines(listing(t, "amd64", overlay)) {
		switch text := string(line); {
		case strings.Contains(text, " STEXT "):
			name, _, _ = strings.Cut(text, " ")
		case !strings.HasPrefix(text, "\t"):
			name = ""
		case name != "":
			if m := bytesOf.FindStringSubmatch(text); m != nil {
				funcs[name] += m[1] + "\n"
			}
		}
	}
	return funcs
}

// On arm64 every store of the scheduler is an exchange, which no later load passes under QEMU,
// except those by StoreRel: with StoreRel made into Store, the only STLRs left are the recorder's,
// whose tags are not waited for.
func TestStoresAreExchanges(t *testing.T) {
	const file = "rel_arm64.go"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	whole := regexp.MustCompile(`x\.\w+\.Store\(`).ReplaceAll(data, []byte("x.Store("))
	if !regexp.MustCompile(`sync/atomic/type\.go:\d+\)\tSTLR`).Match(listing(t, "arm64", "")) {
		t.Errorf("StoreRel is not by STLR: this test does not see code")
	}
	for line := range bytes.Lines(listing(t, "arm64", overlay(t, map[string][]byte{file: whole}))) {
		if bytes.Contains(line, []byte("\tSTLR")) && !bytes.Contains(line, []byte("/record.go:")) {
			t.Errorf("a store is no exchange: %s", line)
		}
	}
}

// overlay writes the files that take the place of some, and returns the go command's list of them.
func overlay(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for name, data := range files {
		from, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(to, data, 0o644); err != nil {
			t.Fatal(err)
		}
		replace[from] = to
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return list
}

// The layer costs nothing on amd64: package sched compiles to the same machine code, function by
// function, as it does with sync/atomic itself and the layer's StoreRel.
func TestNoCost(t *testing.T) {
	sources, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range sources {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		const layer = `"sched9/sched/atomic"`
		plain := string(data)
		if !strings.Contains(plain, layer) {
			continue
		}
		// Lines stay where they are: the compiler's choice of registers may depend on their numbers.
		both := `"sync/atomic"; layer ` + layer
		plain = strings.Replace(plain, "import "+layer, "import ("+both+")", 1)
		plain = strings.Replace(plain, "\t"+layer, "\t"+both, 1)
		plain = strings.ReplaceAll(plain, "atomic.StoreRel", "layer.StoreRel")
		files[name] = []byte(plain + "\nvar _ atomic.Uint32\nvar _ layer.Uint32\n")
	}
	with, without := code(t, ""), code(t, overlay(t, files))
	if len(files) < 5 || len(with) < 100 || len(without) != len(with) {
		t.Fatalf("%d files use the layer; %d functions with it, and %d without", len(files), len(with), len(without))
	}
	for name, bytes := range without {
		if with[name] != bytes {
			t.Errorf("%s is not the same code with the layer", name)
		}
	}
	if !strings.Contains(with["sched9/sched.(*Sched).runqPop"], "f0 ") {
		t.Errorf("runqPop has no locked instruction: this test does not see code")
	}
}

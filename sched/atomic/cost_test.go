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

// On arm64 no store of the scheduler is one that a later load may pass under QEMU: there is
// no STLR but the recorder's, whose tags nobody waits for.
func TestStoresAreExchanges(t *testing.T) {
	recorders := 0
	for line := range bytes.Lines(listing(t, "arm64", "")) {
		switch {
		case !bytes.Contains(line, []byte("\tSTLR")):
		case bytes.Contains(line, []byte("/record.go:")):
			recorders++
		default:
			t.Errorf("a store is no exchange: %s", line)
		}
	}
	if recorders == 0 {
		t.Errorf("the recorder has no STLR either: this test does not see code")
	}
}

// The layer costs nothing on amd64: package sched compiles to the same machine code, function by
// function, as it does with sync/atomic itself.
func TestNoCost(t *testing.T) {
	sources, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replace := map[string]string{}
	for _, name := range sources {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		plain := bytes.ReplaceAll(data, []byte(`"sched9/sched/atomic"`), []byte(`"sync/atomic"`))
		if bytes.Equal(plain, data) {
			continue
		}
		from, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(to, plain, 0o644); err != nil {
			t.Fatal(err)
		}
		replace[from] = to
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, data, 0o644); err != nil {
		t.Fatal(err)
	}
	with, without := code(t, ""), code(t, overlay)
	if len(replace) < 5 || len(with) < 100 || len(without) != len(with) {
		t.Fatalf("%d files use the layer; %d functions with it, and %d without", len(replace), len(with), len(without))
	}
	for name, bytes := range without {
		if with[name] != bytes {
			t.Errorf("%s is not the same code with the layer", name)
		}
	}
	if !strings.Contains(with["sched9/sched.(*Sched).get"], "f0 ") {
		t.Errorf("get has no locked instruction: this test does not see code")
	}
}

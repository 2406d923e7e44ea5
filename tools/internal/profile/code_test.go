package profile

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program has a function that is put in line in another, and an access to a word in both.
const program = `package main

import "sync/atomic"

var word atomic.Uint32

func inner(x uint32) uint32 {
	return word.Swap(x ^ 3) // line 8
}

//go:noinline
func outer(x uint32) uint32 {
	return inner(x) + 7 // line 13
}

func main() { outer(1) }
`

// TestCode: an instruction is told with its source, the function that is in line there, the whole, and variables by name.
func TestCode(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module p\n", "p.go": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-o", "p", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	exe, err := os.ReadFile(filepath.Join(dir, "p"))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := NewSymbols(exe)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCode(exe, symbols)
	if err != nil {
		t.Fatal(err)
	}
	named, swap, sum := false, false, false
	for _, f := range symbols.funcs {
		if f.name != "main.outer" {
			continue
		}
		for pc := f.start; pc < f.end; pc++ { // also what lies in the middle of an instruction, which is of the same source
			in := c.At(pc)
			if in.Whole != "main.outer" || in.Func != "main.outer" && in.Func != "main.inner" {
				t.Errorf("%x: %+v", pc, in)
			}
			if in.Func == "main.inner" && in.Line != 8 {
				t.Errorf("%x: %+v: an access is its caller's line", pc, in)
			}
			named = named || strings.Contains(in.Text, "main.word(SB)")
			swap = swap || strings.HasPrefix(in.Text, "XCHG") && in.Func == "main.inner"
			if strings.HasPrefix(in.Text, "ADD") && strings.Contains(in.Text, "$0x7") {
				sum = in.Func == "main.outer" && in.Line == 13 && strings.HasSuffix(in.File, "p.go") || sum
			}
		}
	}
	if !named || !swap || !sum {
		t.Errorf("the variable is named: %v; the exchange of the function in line is found: %v; the sum of the other: %v", named, swap, sum)
	}
	if in := c.At(1); in.Text != "?" || in.Whole != "?" || in.File != "" {
		t.Errorf("where no code is: %+v", in)
	}
	if _, err := NewCode([]byte("no program"), symbols); err == nil {
		t.Error("code of nothing")
	}
}

func TestDecodeARM64(t *testing.T) {
	c := Code{machine: elf.EM_AARCH64, base: 0x1000, text: []byte{0xc0, 0x03, 0x5f, 0xd6, 0xff, 0xff, 0xff, 0xff}}
	if a, b := c.At(0x1000).Text, c.At(0x1004).Text; a != "RET" || b != "0xffffffff" {
		t.Errorf("%q, %q", a, b)
	}
}

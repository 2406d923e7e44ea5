package image

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"sched9/kernel/goruntime"
)

// TestHot: in an image the short ways have none of the listed calls left, on either architecture, with flags of the
// user's too.
func TestHot(t *testing.T) {
	list, err := os.ReadFile("../../../" + goruntime.HotList)
	if err != nil {
		t.Fatal(err)
	}
	to, inner := map[string][]string{}, map[string]bool{}
	for line := range strings.Lines(string(list)) {
		if from, callee, ok := strings.Cut(strings.TrimSpace(line), " "); ok && line[0] != '#' {
			to[from] = append(to[from], callee)
			inner[callee] = true
		}
	}
	tree(t, map[string]string{"go.mod": module, "main.go": "package main\n\nfunc main() { c := make(chan int); go func() { c <- 1 }(); <-c }\n"})
	for _, o := range []Options{{Arch: "amd64", Flags: []string{"-gcflags=all=-N -l"}}, {Arch: "arm64"}} {
		img, said, err := build(t, o, ".")
		if err != nil {
			t.Fatalf("%s: %v %s", o.Arch, err, said)
		}
		f, err := elf.NewFile(bytes.NewReader(img.Exe))
		if err != nil {
			t.Fatal(err)
		}
		syms, err := f.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]elf.Symbol{}
		for _, s := range syms {
			at[s.Name] = s
		}
		text, err := f.Section(".text").Data()
		if err != nil {
			t.Fatal(err)
		}
		looked := 0
		var look func(root, from string)
		look = func(root, from string) {
			for _, callee := range to[from] {
				r, c := at[root], at[callee]
				if c.Size > 0 && calls(o.Arch, text[r.Value-f.Section(".text").Addr:][:r.Size], r.Value, c.Value) {
					t.Errorf("%s: %s calls %s", o.Arch, root, callee)
				}
				looked++
				look(root, callee)
			}
		}
		for from := range to {
			if !inner[from] {
				if at[from].Size == 0 {
					t.Fatalf("%s: there is no %s", o.Arch, from)
				}
				look(from, from)
			}
		}
		if looked < 20 {
			t.Errorf("%s: only %d calls", o.Arch, looked)
		}
	}
}

// calls reports whether code, which lies at addr, calls the function at callee.
func calls(arch string, code []byte, addr, callee uint64) bool {
	for i := range code {
		switch {
		case i+5 > len(code):
		case arch == "arm64" && i%4 == 0:
			in := binary.LittleEndian.Uint32(code[i:])
			if in&0xfc00_0000 == 0x9400_0000 && addr+uint64(i)+uint64(int64(int32(in<<6))>>4) == callee {
				return true
			}
		case arch == "amd64" && code[i] == 0xe8:
			if addr+uint64(i)+5+uint64(int64(int32(binary.LittleEndian.Uint32(code[i+1:])))) == callee {
				return true
			}
		}
	}
	return false
}

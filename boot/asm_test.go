package boot

import (
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"
)

// disassemble decodes code, which runs at address at in the given mode, and
// returns an instruction a line in Intel's syntax. The decoder knows every
// instruction that the stubs use.
func disassemble(t *testing.T, code []byte, at uint32, bits int) []string {
	t.Helper()
	var lines []string
	for len(code) > 0 {
		inst, err := x86asm.Decode(code, bits)
		if err != nil {
			t.Fatalf("%#x: % x: %v", at, code[:min(len(code), 15)], err)
		}
		lines = append(lines, x86asm.IntelSyntax(inst, uint64(at), nil))
		code = code[inst.Len:]
		at += uint32(inst.Len)
	}
	return lines
}

// wantListing compares a disassembly with the instructions in want, one a line;
// empty lines and leading blanks do not count.
func wantListing(t *testing.T, got []string, want string) {
	t.Helper()
	var lines []string
	for l := range strings.Lines(want) {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	for i := range max(len(got), len(lines)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(lines) {
			w = lines[i]
		}
		if g != w {
			t.Errorf("instruction %d is %q, want %q", i, g, w)
		}
	}
}

// TestAsmJumps checks the distances of short jumps both ways, to the last byte
// that they reach.
func TestAsmJumps(t *testing.T) {
	a := newAsm(32, 0x1000)
	a.label("back")
	for range 124 {
		a.cld()
	}
	a.jmp("back")
	a.label("again")
	a.jz("again")
	a.jnz("on")
	for range 127 {
		a.cld()
	}
	a.label("on")
	a.cld()
	code := a.bytes()
	got := disassemble(t, code[124:130], 0x1000+124, 32)
	wantListing(t, got, `
		jmp 0x1000
		jz 0x107e
		jnz 0x1101
	`)
	if code[125] != 0x82 || code[129] != 0x7f {
		t.Errorf("distances are %#x and %#x, want 0x82 and 0x7f", code[125], code[129])
	}
}

// TestAsmAbsolute checks that an absolute address stays one in 64-bit mode,
// where the encoding of 32-bit mode would be relative to RIP.
func TestAsmAbsolute(t *testing.T) {
	for _, bits := range []int{32, 64} {
		a := newAsm(bits, 0x1000)
		a.movToMem(0x101018, ebx)
		a.movImmToMem(0x10101c, 7)
		wantListing(t, disassemble(t, a.bytes(), 0x1000, bits), `
			mov dword ptr [0x101018], ebx
			mov dword ptr [0x10101c], 0x7
		`)
	}
}

// TestAsmMisuse checks that what cannot be encoded panics instead of becoming
// other code.
func TestAsmMisuse(t *testing.T) {
	tests := []struct {
		name string
		want string
		f    func()
	}{
		{"undefined label", `"nowhere" is used but not defined`, func() {
			a := newAsm(32, 0)
			a.jmp("nowhere")
			a.bytes()
		}},
		{"label twice", `"x" is defined twice`, func() {
			a := newAsm(32, 0)
			a.label("x")
			a.label("x")
		}},
		{"forward too far", "128 bytes away", func() {
			a := newAsm(32, 0)
			a.jmp("x")
			for range 128 {
				a.cld()
			}
			a.label("x")
			a.bytes()
		}},
		{"back too far", "-129 bytes away", func() {
			a := newAsm(32, 0)
			a.label("x")
			for range 127 {
				a.cld()
			}
			a.jmp("x")
			a.bytes()
		}},
		{"operand beyond the segment", "not within 64 KiB", func() {
			a := newAsm(16, 0x8000)
			a.define("x", 0x18000)
			a.lgdt16("x")
			a.bytes()
		}},
		{"far jump in 64-bit mode", "64-bit mode", func() { newAsm(64, 0).jmpFar(8, "x") }},
		{"64-bit load in 32-bit mode", "32-bit mode", func() { newAsm(32, 0).mov64FromMem(rsp, 0) }},
		{"64-bit jump in 32-bit mode", "32-bit mode", func() { newAsm(32, 0).jmpReg(rax) }},
		{"a ninth register in 32-bit mode", "32-bit mode", func() { newAsm(32, 0).movImm32(r8, 0) }},
		{"an address in a register in 32-bit mode", "32-bit mode", func() { newAsm(32, 0).load(rax, rbx, 0) }},
		{"32-bit lgdt in 16-bit mode", "16-bit mode", func() { newAsm(16, 0).lgdt(0) }},
		{"32-bit store in 16-bit mode", "16-bit mode", func() { newAsm(16, 0).movToMem(0, eax) }},
		{"code beyond its place", "reach beyond", func() { place(make([]byte, pageSize), 0x100000, make([]byte, 0x801), 0x100800) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				got, _ := recover().(string)
				if !strings.Contains(got, test.want) {
					t.Errorf("panic %q, want one with %q", got, test.want)
				}
			}()
			test.f()
		})
	}
}

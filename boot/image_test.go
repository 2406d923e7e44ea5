package boot

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var formats = []Format{PVH, Multiboot}

// goProgram links a small Go program for linux/amd64.
func goProgram(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module hello\n\ngo 1.26\n")
	write("main.go", `package main

var zeroed [3 << 20]byte

func main() { println("hello", len(zeroed), &zeroed[0]) }
`)
	cmd := exec.Command("go", "build", "-o", "hello", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	exe, err := os.ReadFile(filepath.Join(dir, "hello"))
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// prog is a PT_LOAD for tinyELF.
type prog struct {
	addr, memsz uint64
	flags       elf.ProgFlag
	data        string
}

// tinyELF is an executable with the given segments, their data right behind
// the headers. edit may spoil the headers before they are written.
func tinyELF(t testing.TB, progs []prog, edit func(h *elf.Header64, p []elf.Prog64)) []byte {
	t.Helper()
	h := elf.Header64{
		Ident:     [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1},
		Type:      uint16(elf.ET_EXEC),
		Machine:   uint16(elf.EM_X86_64),
		Version:   1,
		Entry:     0x400000,
		Phoff:     64,
		Ehsize:    64,
		Phentsize: 56,
		Phnum:     uint16(len(progs)),
	}
	var headers []elf.Prog64
	var data []byte
	for _, p := range progs {
		headers = append(headers, elf.Prog64{
			Type:   uint32(elf.PT_LOAD),
			Flags:  uint32(p.flags),
			Off:    uint64(64 + 56*len(progs) + len(data)),
			Vaddr:  p.addr,
			Paddr:  p.addr,
			Filesz: uint64(len(p.data)),
			Memsz:  p.memsz,
			Align:  4096,
		})
		data = append(data, p.data...)
	}
	if edit != nil {
		edit(&h, headers)
	}
	var b bytes.Buffer
	for _, v := range []any{h, headers, data} {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// memory is what a loader makes of an image: its PT_LOAD segments.
type memory []segment

func load(t *testing.T, img []byte) memory {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(img))
	if err != nil {
		t.Fatal(err)
	}
	var m memory
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		if p.Vaddr != p.Paddr || p.Vaddr%4096 != 0 || p.Off%p.Align != 0 || p.Memsz%4096 != 0 {
			t.Errorf("segment %+v is not page by page where it runs", p.ProgHeader)
		}
		if n := len(m); n > 0 && p.Vaddr < m[n-1].end() {
			t.Errorf("segment at %#x begins before the last ends at %#x", p.Vaddr, m[n-1].end())
		}
		m = append(m, segment{p.Vaddr, p.Memsz, p.Flags, img[p.Off : p.Off+p.Filesz]})
	}
	return m
}

// bytes returns memory from addr on, with the zeros behind a segment's data.
func (m memory) bytes(t *testing.T, addr, size uint64) []byte {
	t.Helper()
	for _, s := range m {
		if s.addr <= addr && addr+size <= s.end() {
			b := make([]byte, s.size)
			copy(b, s.data)
			return b[addr-s.addr:][:size]
		}
	}
	t.Fatalf("%#x to %#x is in no segment", addr, addr+size)
	return nil
}

// TestBuildGo builds images of a real Go program and looks at memory as the
// stub will find it.
func TestBuildGo(t *testing.T) {
	exe := goProgram(t)
	program, err := elf.NewFile(bytes.NewReader(exe))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range formats {
		t.Run(format.String(), func(t *testing.T) {
			img, err := Build(exe, format)
			if err != nil {
				t.Fatal(err)
			}
			if err := Check(img); err != nil {
				t.Error(err)
			}
			m := load(t, img)
			spans := slices.Clone(stubSpans)
			var end uint64
			for _, p := range program.Progs {
				if p.Type != elf.PT_LOAD {
					continue
				}
				want := make([]byte, p.Memsz)
				copy(want, exe[p.Off:p.Off+p.Filesz])
				at := p.Vaddr
				if p.Off == 0 { // the file's headers, which are not in the image
					at, want = at+pageSize, want[pageSize:]
				}
				if !bytes.Equal(m.bytes(t, at, uint64(len(want))), want) {
					t.Errorf("memory at %#x differs from the program's segment", at)
				}
				access := map[elf.ProgFlag]string{elf.PF_R: "r--", elf.PF_R | elf.PF_W: "rw-", elf.PF_R | elf.PF_X: "r-x"}
				end = (p.Vaddr + p.Memsz + 4095) &^ 4095
				spans = append(spans, span{at &^ 4095, end, access[p.Flags]})
			}
			if len(spans) != len(stubSpans)+3 {
				t.Errorf("the program has %d segments, want text, rodata and data", len(spans)-len(stubSpans))
			}
			checkTables(t, madeTables(t, m), spans)

			// mov eax, entry is the last but one instruction of the stub's 64-bit part.
			entry := uint64(binary.LittleEndian.Uint32(m.bytes(t, 0x1000d0, 4)))
			if entry != program.Entry {
				t.Errorf("the stub jumps to %#x, want %#x", entry, program.Entry)
			}
			info := m.bytes(t, 0x101000, 24)
			le := binary.LittleEndian
			if got := [3]uint64{le.Uint64(info), le.Uint64(info[8:]), le.Uint64(info[16:])}; got != [3]uint64{0x3964656863735f00, 0x100000, end} {
				t.Errorf("Info begins %#x, want magic, 0x100000, %#x", got, end)
			}
			if stack := m.bytes(t, 0x102000, 0x13000); bytes.ContainsFunc(stack, func(r rune) bool { return r != 0 }) {
				t.Error("the boot stack is not zero")
			}
			if extra := len(img) - len(exe); extra > 128<<10 {
				t.Errorf("the image is %d bytes larger than the program", extra)
			}
			checkEnvelope(t, img, format)
		})
	}
}

// checkEnvelope looks at what the formats differ in.
func checkEnvelope(t *testing.T, img []byte, format Format) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(img))
	if err != nil {
		t.Fatal(err)
	}
	if f.Type != elf.ET_EXEC || f.Entry != 0x100000 {
		t.Errorf("%v with entry %#x, want ET_EXEC with 0x100000", f.Type, f.Entry)
	}
	var notes [][]byte
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE {
			notes = append(notes, img[p.Off:p.Off+p.Filesz])
			if p.Align != 4 || p.Off%4 != 0 {
				t.Errorf("note at offset %#x has alignment %d, want 4", p.Off, p.Align)
			}
		}
	}
	_, header := findMultiboot(img)
	switch format {
	case PVH:
		if f.Class != elf.ELFCLASS64 || f.Machine != elf.EM_X86_64 {
			t.Errorf("%v %v", f.Class, f.Machine)
		}
		// Name length, descriptor length, type, name, physical entry.
		want := "\x04\x00\x00\x00\x04\x00\x00\x00\x12\x00\x00\x00Xen\x00\x00\x00\x10\x00"
		if len(notes) != 1 || string(notes[0]) != want {
			t.Errorf("notes are %q, want one: %q", notes, want)
		}
		if header {
			t.Error("a PVH image has a Multiboot header: QEMU will refuse it")
		}
	case Multiboot:
		if f.Class != elf.ELFCLASS32 || f.Machine != elf.EM_386 {
			t.Errorf("%v %v", f.Class, f.Machine)
		}
		if len(notes) != 0 {
			t.Errorf("%d notes in a Multiboot image", len(notes))
		}
		if !header {
			t.Error("no Multiboot header")
		}
	}
}

const (
	rx = elf.PF_R | elf.PF_X
	rw = elf.PF_R | elf.PF_W
)

// TestBuildPages checks segments that are not whole pages.
func TestBuildPages(t *testing.T) {
	tests := []struct {
		name  string
		progs []prog
		spans []span
		want  map[uint64]string
	}{
		{
			"zeros up to the page's end",
			[]prog{{0x400000, 3, rx, "abc"}, {0x402000, 0x1001, rw, "data"}},
			[]span{{0x400000, 0x401000, "r-x"}, {0x402000, 0x404000, "rw-"}},
			map[uint64]string{0x400000: "abc\x00", 0x402000: "data\x00", 0x403ffe: "\x00\x00"},
		},
		{
			"not at a page's start",
			[]prog{{0x400000, 3, rx, "abc"}, {0x402ffe, 4, elf.PF_R, "data"}},
			[]span{{0x400000, 0x401000, "r-x"}, {0x402000, 0x404000, "r--"}},
			map[uint64]string{0x402ffd: "\x00data\x00"},
		},
		{
			"a page shared by equal protections",
			[]prog{{0x401800, 0x1000, rw, "behind"}, {0x400000, 0x1000, rx, "text"}, {0x401000, 0x800, rw, "before"}, {0x402fff, 1, rw, "."}},
			[]span{{0x400000, 0x401000, "r-x"}, {0x401000, 0x403000, "rw-"}},
			map[uint64]string{0x401000: "before\x00", 0x4017ff: "\x00behind\x00", 0x402ffe: "\x00."},
		},
		{
			"execute only, write only, and nothing",
			[]prog{{0x400000, 3, elf.PF_X, "abc"}, {0, 0, rx, ""}, {0x402000, 3, elf.PF_W, ""}},
			[]span{{0x400000, 0x401000, "r-x"}, {0x402000, 0x403000, "rw-"}},
			map[uint64]string{0x400000: "abc", 0x402000: "\x00\x00\x00"},
		},
		{
			"up to the limit",
			[]prog{{0x400000, 3, rx, "abc"}, {0x3ffff000, 0x1000, rw, "end"}},
			[]span{{0x400000, 0x401000, "r-x"}, {0x3ffff000, 0x40000000, "rw-"}},
			map[uint64]string{0x3ffff000: "end\x00"},
		},
	}
	for _, test := range tests {
		for _, format := range formats {
			t.Run(test.name+"/"+format.String(), func(t *testing.T) {
				img, err := Build(tinyELF(t, test.progs, nil), format)
				if err != nil {
					t.Fatal(err)
				}
				if err := Check(img); err != nil {
					t.Error(err)
				}
				m := load(t, img)
				for at, want := range test.want {
					if got := m.bytes(t, at, uint64(len(want))); string(got) != want {
						t.Errorf("%#x holds %q, want %q", at, got, want)
					}
				}
				checkTables(t, madeTables(t, m), append(slices.Clone(stubSpans), test.spans...))
				for i, s := range m[3:] {
					want := map[string]elf.ProgFlag{"r-x": rx, "r--": elf.PF_R, "rw-": rw}[test.spans[i].access]
					if s.flags != want {
						t.Errorf("segment at %#x has flags %v, want %v", s.addr, s.flags, want)
					}
				}
			})
		}
	}
}

// TestExtent: the zeroed end of a program counts, and so does everything below it.
func TestExtent(t *testing.T) {
	exe := tinyELF(t, []prog{
		{0x400000, 16, elf.PF_R | elf.PF_X, "0123456789abcdef"},
		{0x500000, 0x200001, elf.PF_R | elf.PF_W, "data"},
	}, nil)
	for _, f := range formats {
		img, err := Build(exe, f)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := Extent(img); n != 0x701000 || err != nil {
			t.Errorf("%v: %#x, %v", f, n, err)
		}
	}
	// The program, 68 KiB of stack between two guards, and 9 tables.
	if n, err := Extent(arm64Image(t)); n != 0x522000+0x13000+(64+3)*pageSize || err != nil {
		t.Errorf("arm64: %#x, %v", n, err)
	}
	if _, err := Extent([]byte("nothing")); err == nil {
		t.Error("no error for what is no image")
	}
}

func TestBuildRefuses(t *testing.T) {
	text := prog{0x400000, 4, rx, "text"}
	edited := func(edit func(h *elf.Header64, p []elf.Prog64)) []byte { return tinyELF(t, []prog{text}, edit) }
	with := func(progs ...prog) []byte { return tinyELF(t, append([]prog{text}, progs...), nil) }
	good := with()
	if _, err := Build(good, PVH); err != nil {
		t.Fatalf("the program that all others are made of: %v", err)
	}
	many := []prog{text}
	for i := range uint64(200) {
		many = append(many, prog{0x500000 + i*0x2000, 1, rw, "x"})
	}
	tests := []struct {
		name string
		exe  []byte
		want string
	}{
		{"nothing", nil, "not an ELF file"},
		{"a script", []byte("#!/bin/sh\necho this is no program\n"), "not an ELF file"},
		{"magic only", good[:4], "truncated"},
		{"cut in the header", good[:40], "truncated"},
		{"cut in the program header", good[:100], "truncated"},
		{"cut in the data", good[:len(good)-1], "truncated file: PT_LOAD segment at 0x400000"},
		{"another version", edited(func(h *elf.Header64, _ []elf.Prog64) { h.Version = 2 }), "broken ELF file"},
		{"32 bits", func() []byte { img, _ := Build(good, Multiboot); return img }(), "ELFCLASS32 EM_386"},
		{"another machine", edited(func(h *elf.Header64, _ []elf.Prog64) { h.Machine = uint16(elf.EM_AARCH64) }), "EM_AARCH64"},
		{"dynamic", edited(func(_ *elf.Header64, p []elf.Prog64) { p[0].Type = uint32(elf.PT_INTERP) }), "PT_INTERP"},
		{"no fixed address", edited(func(h *elf.Header64, _ []elf.Prog64) { h.Type = uint16(elf.ET_DYN) }), "ET_DYN"},
		{"object file", edited(func(h *elf.Header64, _ []elf.Prog64) { h.Type = uint16(elf.ET_REL) }), "ET_REL"},
		{"no segment", edited(func(_ *elf.Header64, p []elf.Prog64) { p[0].Type = uint32(elf.PT_NOTE) }), "no PT_LOAD"},
		{"offset beyond the file", edited(func(_ *elf.Header64, p []elf.Prog64) { p[0].Off = 1 << 40 }), "truncated"},
		{"size around the world", edited(func(_ *elf.Header64, p []elf.Prog64) { p[0].Off, p[0].Filesz = 1<<62, 3<<62 }), "broken ELF file: invalid program header"},
		{"entry outside", edited(func(h *elf.Header64, _ []elf.Prog64) { h.Entry = 0x401000 }), "entry 0x401000"},
		{"entry in data", tinyELF(t, []prog{{0x400000, 4, rw, "data"}}, nil), "entry 0x400000"},
		{"more in the file than in memory", with(prog{0x402000, 3, rw, "data"}), "has 4 bytes in the file but 3 in memory"},
		{"writable and executable", with(prog{0x402000, 4, rw | rx, "data"}), "0x402000 is both writable and executable"},
		{"no access", with(prog{0x402000, 4, 0, "data"}), "0x402000 may neither"},
		{"in the stub", with(prog{0x100000, 4, rw, "data"}), "0x100000 lies below 0x400000"},
		{"just below", with(prog{0x3fffff, 1, rw, "x"}), "0x3fffff lies below 0x400000"},
		{"across the limit", with(prog{0x3ffff000, 0x1001, rw, "data"}), "reaches beyond 0x40000000"},
		{"behind the limit", with(prog{0x40000000, 1, rw, "x"}), "reaches beyond 0x40000000"},
		{"around the world", with(prog{0x402000, ^uint64(0), rw, "data"}), "reaches beyond 0x40000000"},
		{"at the top", with(prog{^uint64(0), 1, rw, "x"}), "reaches beyond 0x40000000"},
		{"page of two protections", with(prog{0x400800, 4, rw, "data"}), "page 0x400000 is shared by the segments at 0x400000 (PF_X+PF_R) and 0x400800 (PF_W+PF_R)"},
		{"overlap", with(prog{0x400002, 4, rx, "more"}), "0x400002 overlaps the segment at 0x400000"},
		{"overlap of zeros", with(prog{0x402000, 0x900, rw, "data"}, prog{0x402800, 4, rw, "more"}), "0x402800 overlaps the segment at 0x402000"},
		{"same place", with(text), "0x400000 overlaps the segment at 0x400000"},
		{"too many segments", tinyELF(t, many, nil), "too many segments"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			img, err := Build(test.exe, PVH)
			if err == nil || img != nil {
				t.Fatalf("%d bytes, error %v", len(img), err)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q, want one with %q", err, test.want)
			}
		})
	}
	if _, err := Build(good, Format(7)); err == nil || !strings.Contains(err.Error(), "Format(7)") {
		t.Errorf("Format(7): error %v", err)
	}
}

// TestCheckTruncated cuts images at every byte of the first pages and of the
// end, and at many places between.
func TestCheckTruncated(t *testing.T) {
	exe := tinyELF(t, []prog{{0x400000, 4, rx, "text"}, {0x402000, 0x2000, rw, strings.Repeat("data", 999)}}, nil)
	for _, format := range formats {
		t.Run(format.String(), func(t *testing.T) {
			img, err := Build(exe, format)
			if err != nil {
				t.Fatal(err)
			}
			if err := Check(img); err != nil {
				t.Fatal(err)
			}
			step := 1
			for n := 0; n < len(img); n += step {
				step = 1
				if n > 0x3000 && n+0x1000 < len(img) {
					step = 61
				}
				if err := Check(img[:n]); err == nil {
					t.Errorf("%d of %d bytes: accepted", n, len(img))
				}
			}
			if err := Check(append(slices.Clone(img), 0)); err == nil {
				t.Error("one byte more: accepted")
			}
		})
	}
}

// TestCheckForeign spoils images in one place each.
func TestCheckForeign(t *testing.T) {
	exe := tinyELF(t, []prog{{0x400000, 4, rx, "text"}}, nil)
	images := make(map[Format][]byte)
	for _, format := range formats {
		img, err := Build(exe, format)
		if err != nil {
			t.Fatal(err)
		}
		images[format] = img
	}
	// Offsets in the file: ELF64 program headers from 64, 56 bytes each; ELF32
	// ones from 52, 32 bytes each; then the stub, one page, and its data.
	const (
		pvhStub       = 0x160
		pvhData       = pvhStub + pageSize
		multibootStub = 0xc0
		multibootData = multibootStub + pageSize
	)
	tests := []struct {
		name   string
		format Format
		offset int
		put    string
		want   string
	}{
		{"magic", PVH, 0, "\x7fEXE", "not an ELF file"},
		{"type", PVH, 16, "\x03", "ET_DYN"},
		{"machine", PVH, 18, "\xb7", "EM_AARCH64"},
		{"machine", Multiboot, 18, "\x3e", "EM_X86_64"},
		{"entry", PVH, 24, "\x04", "entry 0x100004"},
		{"entry", Multiboot, 24, "\x04", "entry 0x100004"},
		{"one segment", PVH, 56, "\x01", "no segment with the stub data at 0x101000"},
		{"three segments", PVH, 56, "\x03", "no segment of a program"},
		{"four segments", PVH, 56, "\x04", "no PVH note"},
		{"three segments", Multiboot, 44, "\x03", "no segment of a program"},
		{"stub moved", PVH, 64 + 16 + 2, "\x11", "segment at 0x110000 is loaded at 0x100000"},
		{"stub small", PVH, 64 + 32, "\x00\x00", "no segment with the stub at 0x100000"},
		{"data outside the file", PVH, 64 + 56 + 8, "\x00\x20\x00\x01", "segment at 0x101000 wants 804 bytes at offset 0x1002000"},
		{"memory less than file", PVH, 64 + 56 + 40, "\x00\x00\x00", "segment at 0x101000 has 804 bytes in the file and 0 in memory"},
		{"memory around the world", PVH, 64 + 112 + 40, strings.Repeat("\xff", 8), "segment at 0x115000 has 0 bytes in the file and 18446744073709551615 in memory"},
		{"note's type", PVH, pvhStub + 0xa08, "\x11", "no PVH note"},
		{"note's entry", PVH, pvhStub + 0xa10, "\x04", "no PVH note"},
		{"header's magic", Multiboot, multibootStub + 0xa00, "\x03", "no Multiboot header"},
		{"header's sum", Multiboot, multibootStub + 0xa08, "\x00", "no Multiboot header"},
		{"header's flags", Multiboot, multibootStub + 0xa04, "\x01\x00\x00\x00\xfd", "flags 0x1"},
		{"Info's magic", PVH, pvhData + 1, "x", "Info at 0x101000 has magic"},
		{"Info's magic", Multiboot, multibootData + 1, "x", "Info at 0x101000 has magic"},
		{"Info's start", PVH, pvhData + 8, "\x01", "Info says 0x100001"},
		{"Info's end", Multiboot, multibootData + 0x12, "\x41", "the segments are 0x100000, 0x400000 to 0x401000"},
		{"Info's program", PVH, pvhData + 0x28, "\x01", "Info says 0x100000, 0x400001 to 0x401000"},
	}
	for _, test := range tests {
		t.Run(test.name+"/"+test.format.String(), func(t *testing.T) {
			img := slices.Clone(images[test.format])
			if copy(img[test.offset:], test.put); bytes.Equal(img, images[test.format]) {
				t.Fatal("nothing was spoiled")
			}
			err := Check(img)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
	t.Run("program", func(t *testing.T) {
		if err := Check(exe); err == nil || !strings.Contains(err.Error(), "entry 0x400000") {
			t.Errorf("error %v, want one with the entry", err)
		}
	})
}

// FuzzCheck writes bytes somewhere into a good image and cuts it, and looks for
// results on which Check panics, and for accepted ones that lack a byte or have
// one too many.
func FuzzCheck(f *testing.F) {
	images := make(map[bool][]byte)
	for _, format := range formats {
		img, err := probe().image(format)
		if err != nil {
			f.Fatal(err)
		}
		images[format == PVH] = img
		f.Add(format == PVH, uint(0), []byte(nil), uint(len(img)))
		f.Add(format == PVH, uint(0), []byte(nil), uint(0x2000))
		f.Add(format == PVH, uint(0), img[:0x120], uint(len(img)))
		f.Add(format == PVH, uint(0x1a00), []byte("Xen"), uint(len(img)))
		f.Add(format == PVH, uint(0x2000), []byte("sched9"), uint(len(img)))
	}
	f.Fuzz(func(t *testing.T, pvh bool, offset uint, put []byte, size uint) {
		img := slices.Clone(images[pvh])
		n := uint(len(img))
		copy(img[min(offset, n):], put)
		img = img[:min(size, n)]
		if Check(img) != nil {
			return
		}
		if Check(img[:len(img)-1]) == nil {
			t.Error("accepted without its last byte")
		}
		if Check(append(img, 0)) == nil {
			t.Error("accepted with a byte behind")
		}
	})
}

// FuzzBuild looks for executables on which Build panics or makes an image that
// Check refuses.
func FuzzBuild(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(Probe())
	for _, progs := range [][]prog{
		{{0x400000, 4, rx, "text"}},
		{{0x400000, 4, rx, "text"}, {0x402000, 0x2000, rw, "data"}},
		{{0x400000, 4, rx, "text"}, {0x402800, 0x800, rw, "data"}, {0x402000, 0x800, rw, "data"}},
	} {
		f.Add(tinyELF(f, progs, nil))
	}
	f.Fuzz(func(t *testing.T, exe []byte) {
		for _, format := range formats {
			img, err := Build(exe, format)
			if err != nil {
				continue
			}
			if err := Check(img); err != nil {
				t.Error(err)
			}
		}
	})
}

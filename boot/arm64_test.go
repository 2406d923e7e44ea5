package boot

import (
	"bytes"
	"debug/elf"
	"debug/pe"
	"encoding/binary"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sched9/arch/arm64/layout"
	"sched9/arch/efi"
)

// arm64Program is an executable with code, constants, and data that is partly zero.
func arm64Program(t testing.TB, edit func(h *elf.Header64, p []elf.Prog64)) []byte {
	return tinyELF(t, []prog{
		{layout.TextStart, 0x10, elf.PF_R | elf.PF_X, "0123456789abcdef"},
		{layout.TextStart + 0x10000, 0x2000, elf.PF_R, "constants"},
		{layout.TextStart + 0x20000, 0x300000, elf.PF_R | elf.PF_W, "data"},
	}, func(h *elf.Header64, p []elf.Prog64) {
		h.Machine, h.Entry = uint16(elf.EM_AARCH64), layout.TextStart+8
		if edit != nil {
			edit(h, p)
		}
	})
}

// arm64Image builds an image of it.
func arm64Image(t testing.TB) []byte {
	t.Helper()
	img, err := Build(arm64Program(t, nil), Linux)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// filled are an image's tables as its first instructions make them where it is linked to, of the runs behind the header.
func filled(t *testing.T, img []byte) arm64Tables {
	t.Helper()
	info := arm64Info(img)
	tables := arm64Tables{at: info.Tables, data: make([]byte, info.ImageEnd-info.Tables)}
	for at := layout.RunsAt - layout.Header; ; at += 20 {
		var r run
		if _, err := binary.Decode(img[at:], binary.LittleEndian, &r); err != nil {
			t.Fatal(err)
		}
		if r.Count == 0 {
			return tables
		}
		for i := range r.Count {
			e := uint64(r.High)<<32 | uint64(r.Low+i*r.Step)
			binary.LittleEndian.PutUint64(tables.data[uint64(r.To)-tables.at+uint64(i)*8:], e)
		}
	}
}

// descMemory are the bits of a page of memory: inner shareable, and the first attribute.
const descMemory = descShared

// walkARM64 translates va as the processor does, by the tables from root on, and returns the
// last descriptor and the address; 0: there is none.
func walkARM64(t arm64Tables, root, va uint64) (desc, pa uint64) {
	table := t.at + root
	for shift := 39; ; shift -= 9 {
		at := table + va>>shift&511*8 - t.at
		if at+8 > uint64(len(t.data)) {
			return 0, 0
		}
		desc = binary.LittleEndian.Uint64(t.data[at:])
		if desc&descValid == 0 {
			return 0, 0
		}
		span := uint64(1) << shift
		if shift == 12 || desc&descTable == 0 {
			if shift == 12 && desc&descTable == 0 || shift == 39 {
				return 0, 0 // reserved
			}
			return desc, desc&(1<<48-1)&^(span-1) + va&(span-1)
		}
		table = desc & (1<<48 - 1) &^ 0xfff
	}
}

func TestARM64Tables(t *testing.T) {
	img := arm64Image(t)
	tables, stack := filled(t, img), arm64Info(img).StackTop
	const (
		ro, rx, rw, none = descRO | descPXN | descUXN, descRO | descUXN, descPXN | descUXN, 0
		mask             = descRO | descPXN | descUXN
	)
	for _, c := range []struct {
		what string
		va   uint64
		want uint64
	}{
		{"page 0", 0, none},
		{"below the image", layout.RAM, none},
		{"the header", layout.Header, rx},
		{"Info", layout.InfoAt, rw},
		{"the guard below the stack", stack - layout.BootStackSize - 1, none},
		{"the stack", stack - layout.BootStackSize, rw},
		{"the stack's top", stack - 8, rw},
		{"the guard above it", stack, none},
		{"page tables", tables.at, rw},
		{"room for more", arm64Info(img).ImageEnd - 1, rw},
		{"behind the image", arm64Info(img).ImageEnd, none},
		{"code", layout.TextStart, rx},
		{"behind code", layout.TextStart + 0x1000, none},
		{"constants", layout.TextStart + 0x10000, ro},
		{"data", layout.TextStart + 0x20000, rw},
		{"zeroed data", layout.TextStart + 0x31f000, rw},
		{"behind data", layout.TextStart + 0x320000, none},
	} {
		desc, pa := walkARM64(tables, layout.Low, c.va)
		switch {
		case c.want == none && desc != 0:
			t.Errorf("%s at %#x is mapped: %#x", c.what, c.va, desc)
		case c.want != none && (desc&mask != c.want || pa != c.va || desc&descAccess == 0 || desc&descMemory != descMemory):
			t.Errorf("%s at %#x: descriptor %#x, address %#x", c.what, c.va, desc, pa)
		}
	}
	used := tableSwitch // the highest one with something in it; the entry code fills the four from tableSwitch on
	for i := range len(tables.data) / pageSize {
		if !bytes.Equal(tables.data[i*pageSize:][:pageSize], make([]byte, pageSize)) {
			used = i + 1
		}
	}
	for _, va := range []uint64{layout.DirectMap, layout.Devices, layout.Window} {
		if desc, _ := walkARM64(tables, layout.High, va+layout.RAM); desc != 0 {
			t.Errorf("%#x is mapped before it is known what is there: %#x", va, desc)
		}
	}
	if info := arm64Info(img); info.Spare != tables.at+uint64(used)*pageSize || info.ImageEnd-info.Spare < 50*pageSize {
		t.Errorf("%d tables from %#x on are used: %+v", used, tables.at, info)
	}
}

func TestARM64Header(t *testing.T) {
	img := arm64Image(t)
	var h linuxHeader
	if _, err := binary.Decode(img, binary.LittleEndian, &h); err != nil {
		t.Fatal(err)
	}
	const program = layout.TextStart + 0x320000
	info := arm64Info(img)
	end := info.ImageEnd
	if info.ProgramEnd != program || info.StackTop != program+pageSize+layout.BootStackSize || info.Tables != info.StackTop+pageSize || end <= info.Tables {
		t.Errorf("%+v", info)
	}
	if h.Magic != linuxMagic || h.TextOffset != 0 || h.ImageSize != end-layout.Header || h.Flags != 0xa {
		t.Errorf("header %+v", h)
	}
	// ccmp, b, and there: mov x1, #0; b.
	if to := layout.Header + 4 + uint64(h.Code1&0x3ffffff)*4; h.Code0 != 0xfa405a4d || h.Code1>>26 != 5 || to != layout.Header+0x1f0 {
		t.Errorf("the first instructions are %#x and %#x", h.Code0, h.Code1)
	}
	begin := binary.LittleEndian.Uint32(img[0x1f4:])
	if to := layout.Header + 0x1f4 + uint64(begin&0x3ffffff)*4; binary.LittleEndian.Uint32(img[0x1f0:]) != 0xd2800001 || begin>>26 != 5 || to != layout.TextStart+8 {
		t.Errorf("where they lead: %#x", img[0x1f0:0x1f8])
	}
	if got := img[layout.TextStart+0x20000-layout.Header:]; !bytes.HasPrefix(got, []byte("data")) || len(got) != 16 {
		t.Errorf("the file ends with %q", got)
	}
	if err := Check(img); err != nil {
		t.Error(err)
	}
}

func TestARM64CheckRefuses(t *testing.T) {
	for name, spoil := range map[string]func(img []byte) []byte{
		"cut short":                 func(img []byte) []byte { return img[:len(img)-1] },
		"the header alone":          func(img []byte) []byte { return img[:64] },
		"half a header":             func(img []byte) []byte { return img[:62] },
		"something behind":          func(img []byte) []byte { return append(img, 0) },
		"another first instruction": func(img []byte) []byte { img[2]++; return img },
		"another offset":            func(img []byte) []byte { img[8]++; return img },
		"another size":              func(img []byte) []byte { img[17]++; return img },
		"Info without sign":         func(img []byte) []byte { img[layout.InfoAt-layout.Header]++; return img },
		"no tables": func(img []byte) []byte {
			clear(img[layout.RunsAt-layout.Header:][:20])
			return img
		},
	} {
		if err := Check(spoil(arm64Image(t))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestARM64BuildRefuses(t *testing.T) {
	for _, c := range []struct {
		edit func(h *elf.Header64, p []elf.Prog64)
		want string
	}{
		{func(h *elf.Header64, p []elf.Prog64) { h.Machine = uint16(elf.EM_X86_64) }, "build it with GOARCH=arm64"},
		{func(h *elf.Header64, p []elf.Prog64) { p[0].Vaddr = layout.InfoAt }, "where the stub and its page tables are"},
		{func(h *elf.Header64, p []elf.Prog64) { p[2].Memsz = 256 << 20 }, "reaches beyond"},
		{func(h *elf.Header64, p []elf.Prog64) { h.Entry = 0x400000 }, "lies in no executable segment"},
	} {
		if _, err := Build(arm64Program(t, c.edit), Linux); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if _, err := Build(arm64Program(t, nil), PVH); err == nil || !strings.Contains(err.Error(), "GOARCH=amd64") {
		t.Errorf("an executable for arm64 as an image for amd64: %v", err)
	}
}

// TestARM64Constants: the entry code has the layout's addresses as numbers.
func TestARM64Constants(t *testing.T) {
	compareDefines(t, "../arch/boot_arm64.s", map[string]uint64{
		"RUNS": layout.RunsAt, "INFO": layout.InfoAt, "MAIR": layout.MAIR,
		"INFOEND": layout.OffImageEnd, "INFODATA": layout.OffDataEnd, "INFOTREE": layout.OffTree,
		"INFOZERO": layout.OffProgramEnd, "INFOSTACK": layout.OffStackTop, "INFOTABLES": layout.OffTables, "INFOOFFSET": layout.OffOffset,
		"INFOLEFT": layout.OffLeft,
	})
	if layout.Low != 0 || layout.High != pageSize || layout.Switch != 2*pageSize {
		t.Error("the entry code takes the page behind the lower root for the upper one, and the four behind that for its own")
	}
}

// TestARM64Loads has QEMU load an image whose program turns the machine off at once,
// by the firmware: the header leads there.
func TestARM64Loads(t *testing.T) {
	// movz w0, #0x8400, lsl #16; movk w0, #8; hvc #0
	code := binary.LittleEndian.AppendUint32(nil, 0x52b08000)
	code = binary.LittleEndian.AppendUint32(code, 0x72800100)
	code = binary.LittleEndian.AppendUint32(code, 0xd4000002)
	exe := tinyELF(t, []prog{{layout.TextStart, uint64(len(code)), elf.PF_R | elf.PF_X, string(code)}}, func(h *elf.Header64, p []elf.Prog64) {
		h.Machine, h.Entry = uint16(elf.EM_AARCH64), layout.TextStart
	})
	img, err := Build(exe, Linux)
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/image"
	if err := os.WriteFile(file, img, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "timeout", "30", "qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a57",
		"-m", "128M", "-display", "none", "-nodefaults", "-kernel", file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// compareDefines compares constants of assembly with what they should be.
func compareDefines(t *testing.T, file string, want map[string]uint64) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range want {
		m := regexp.MustCompile(`(?m)^#define ` + name + `\t+\$?(\w+)$`).FindSubmatch(text)
		if m == nil {
			t.Errorf("%s is not defined", name)
			continue
		}
		if got, err := strconv.ParseUint(string(m[1]), 0, 64); err != nil || got != want {
			t.Errorf("%s is %#x, not %#x", name, got, want)
		}
	}
}

// TestARM64Application: an image is a UEFI application as it is, whose sections cover all of it but the header; with a command
// line and a file, these lie behind what it takes in memory, and Info says where.
func TestARM64Application(t *testing.T) {
	img := arm64Image(t)
	module := []byte("the file")
	file, err := EFI(img, "A=b -- name", module)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(file); err != nil || FormatOf(file) != Linux {
		t.Errorf("%v, format %v", err, FormatOf(file))
	}
	end := int(arm64Info(img).ImageEnd - layout.Header)
	for name, app := range map[string][]byte{"image": img, "application": file} {
		f, err := pe.NewFile(bytes.NewReader(app))
		if err != nil {
			t.Fatal(err)
		}
		o := f.OptionalHeader.(*pe.OptionalHeader64)
		if f.Machine != pe.IMAGE_FILE_MACHINE_ARM64 || o.Subsystem != 10 || o.SizeOfHeaders != pageSize || uint64(o.AddressOfEntryPoint) != layout.TextStart+8-layout.Header {
			t.Errorf("%s: %+v, %+v", name, f.FileHeader, o)
		}
		at := uint32(pageSize)
		for _, s := range f.Sections[:4] {
			// There may be a page between two, as in the program.
			if s.VirtualAddress < at || s.VirtualAddress%pageSize != 0 || s.Offset != s.VirtualAddress || uint64(s.Offset)+uint64(s.Size) > uint64(len(app)) {
				t.Errorf("%s: %+v, expected at %#x", name, s.SectionHeader, at)
			}
			at = s.VirtualAddress + s.VirtualSize
			writes, runs := s.Characteristics&pe.IMAGE_SCN_MEM_WRITE != 0, s.Characteristics&pe.IMAGE_SCN_MEM_EXECUTE != 0
			if want := map[string][2]bool{".info": {true, false}, ".text": {false, true}, ".rodata": {false, false}, ".data": {true, false}}[s.Name]; writes != want[0] || runs != want[1] {
				t.Errorf("%s: %s is writable: %v, executable: %v", name, s.Name, writes, runs)
			}
		}
		if int(at) != end || int(o.SizeOfImage) < end {
			t.Errorf("%s: the sections end at %#x, the image at %#x", name, at, end)
		}
	}
	f, err := pe.NewFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	added := f.Section(".image")
	data, err := added.Data()
	info := arm64Info(file)
	start := layout.Header + uint64(added.VirtualAddress)
	if err != nil || int(added.VirtualAddress) != end || info.Line != start || info.Module%pageSize != 0 {
		t.Fatalf("%v, %+v, %+v", err, added.SectionHeader, info)
	}
	if !bytes.HasPrefix(data, []byte("A=b -- name\x00")) || !bytes.Equal(data[info.Module-start:info.ModuleEnd-start], module) {
		t.Errorf("%q", data)
	}
}

// TestARM64Leave: the code that takes leave of UEFI has offsets as numbers: those of its structures, and package efi's.
func TestARM64Leave(t *testing.T) {
	compareDefines(t, "../arch/efi_arm64.s", map[string]uint64{
		"CONOUT": efiConOut, "SERVICES": efiServices, "TABLECOUNT": efiTableCount, "TABLEARRAY": efiTableArray,
		"ALLOCATEPAGES": efiAllocatePages, "GETMEMORYMAP": efiGetMemoryMap, "HANDLE": efiHandle, "EXIT": efiExit, "EXITSERVICES": efiExitServices,
		"OUTPUTSTRING": efiOutputString, "OPTIONSSIZE": efiOptionsSize, "OPTIONS": efiOptions,
		"MAPSIZE": efi.OffMapSize, "ENTRY": efi.OffEntry, "TABLES": efi.OffTables, "TIME": efi.OffTime, "TABLESAT": efi.TablesAt, "MAXTABLES": efi.MaxTables,
		"OPTIONSAT": efi.OptionsAt, "MAXOPTIONS": efi.MaxOptions, "MAPAT": efi.MapAt, "MAXMAP": efi.MaxMap, "DATASIZE": efi.DataSize,
	})
}

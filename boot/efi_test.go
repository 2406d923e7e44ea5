package boot

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"strings"
	"testing"

	"sched9/arch/efi"
)

// The listing is written out with its numbers, so that it checks the constants as well as the emitter. UEFI's offsets are those of
// the specification's structures.
const listEFI = `
	sub rsp, 0x48
	mov r12, rcx
	mov r13, rdx
	mov rbx, qword ptr [rdx+0x60]

	mov eax, -0x1
	mov qword ptr [rsp+0x38], rax
	mov ecx, 0x1
	mov edx, 0x1
	mov r8d, 0x123
	lea r9, ptr [rsp+0x38]
	call qword ptr [rbx+0x28]
	mov r14, rax
	test rax, rax
	jz 0x1053
	lea rdx, ptr [rip+0x295]
	jmp 0x11e2
	mov rbp, qword ptr [rsp+0x38]
	cmp rbp, 0x700000
	jnb 0x1070
	lea rdx, ptr [rip+0x2e4]
	jmp 0x11e2

	lea rsi, ptr [rip+0xffffef89]
	mov rdi, rbp
	mov ecx, 0x123000
	rep movsb byte ptr [rdi], byte ptr [rsi]
	lea rax, ptr [rip+0xf]
	lea rcx, ptr [rip+0xffffef71]
	sub rax, rcx
	add rax, rbp
	jmp rax

	mov qword ptr [rbp+0x2000], rbp
	mov rcx, r12
	lea rdx, ptr [rip+0x1f1]
	lea r8, ptr [rsp+0x38]
	call qword ptr [rbx+0x98]
	test rax, rax
	jnz 0x10f3
	mov rdx, qword ptr [rsp+0x38]
	mov rsi, qword ptr [rdx+0x38]
	mov ecx, dword ptr [rdx+0x30]
	shr ecx, 0x1
	cmp ecx, 0x7ff
	jbe 0x10df
	mov ecx, 0x7ff
	jrcxz 0x10f3
	lea rdi, ptr [rbp+0x2800]
	lodsw word ptr [rsi]
	test ah, ah
	jz 0x10f0
	mov al, 0x3f
	stosb byte ptr [rdi]
	loop 0x10e8

	lea rcx, ptr [rip+0x1af]
	xor edx, edx
	lea r8, ptr [rsp+0x38]
	call qword ptr [rbx+0x140]
	test rax, rax
	jnz 0x1141
	mov rdx, qword ptr [rsp+0x38]
	mov rdx, qword ptr [rdx+0x18]
	mov rax, qword ptr [rdx+0x18]
	mov qword ptr [rbp+0x2038], rax
	mov rsi, qword ptr [rdx+0x8]
	lea rdi, ptr [rbp+0x2040]
	mov ecx, 0x24
	rep movsb byte ptr [rdi], byte ptr [rsi]

	mov rcx, qword ptr [r13+0x68]
	cmp rcx, 0x40
	jbe 0x1156
	mov ecx, 0x40
	mov qword ptr [rbp+0x2030], rcx
	mov rsi, qword ptr [r13+0x70]
	lea rdi, ptr [rbp+0x2200]
	imul ecx, ecx, 0x18
	rep movsb byte ptr [rdi], byte ptr [rsi]

	mov r15d, 0x8
	mov eax, 0x10000
	mov qword ptr [rbp+0x2020], rax
	lea rcx, ptr [rbp+0x2020]
	lea rdx, ptr [rbp+0x3000]
	lea r8, ptr [rsp+0x38]
	lea r9, ptr [rbp+0x2028]
	lea rax, ptr [rsp+0x30]
	mov qword ptr [rsp+0x20], rax
	call qword ptr [rbx+0x38]
	mov r14, rax
	test rax, rax
	jnz 0x11db
	mov rcx, r12
	mov rdx, qword ptr [rsp+0x38]
	call qword ptr [rbx+0xe8]
	mov r14, rax
	test rax, rax
	jz 0x1209
	dec r15d
	jnz 0x1176

	lea rdx, ptr [rip+0x1c7]
	mov rcx, qword ptr [r13+0x40]
	jrcxz 0x11f1
	call qword ptr [rcx+0x8]
	mov rcx, r12
	mov rdx, r14
	xor eax, eax
	mov r8, rax
	mov r9, rax
	call qword ptr [rbx+0xd8]
	cli
	hlt
	jmp 0x1205

	cli
	cld
	mov rax, cr4
	and eax, -0x820001
	mov cr4, rax
	lea rax, ptr [rip+0x9b]
	lea rdx, ptr [rip+0xb4]
	mov qword ptr [rdx+0x2], rax
	lgdt ptr [rdx]
	push 0x18
	lea rax, ptr [rip+0x3]
	push rax
	ret far
`

const listEFI32 = `
	mov ecx, 0x10
	mov ds, cx
	mov es, cx
	mov ss, cx
	mov fs, cx
	mov gs, cx
	mov eax, cr0
	and eax, 0x7fffffff
	mov cr0, eax
	mov esi, ebp
	add esi, 0x13000
	lodsd dword ptr [esi]
	mov ecx, eax
	jecxz 0x1285
	mov edi, eax
	lodsd dword ptr [esi]
	mov ecx, eax
	lodsd dword ptr [esi]
	mov edx, eax
	lodsd dword ptr [esi]
	mov ebx, esi
	mov esi, ebp
	add esi, eax
	rep movsb byte ptr [edi], byte ptr [esi]
	mov ecx, edx
	xor eax, eax
	rep stosb byte ptr [edi]
	mov esi, ebx
	jmp 0x1265
	mov eax, 0x39494645
	mov ebx, ebp
	add ebx, 0x2000
	jmp far 0x100000, 0x18
`

func TestEFIStub(t *testing.T) {
	code := efiStub(efiPlan{size: 0x123000, low: 0x700000, list: 0x13000})
	const flat, end = 0x242, 0x299
	wantListing(t, disassemble(t, code[:flat], efiCodeAt, 64), listEFI)
	wantListing(t, disassemble(t, code[flat:end], efiCodeAt+flat, 32), listEFI32)
	// 5b1b31a1-9562-11d2-8e3f-00a0c969723b and 9042a9de-23dc-4a38-96fb-7aded080516a, first three parts little-endian.
	rest := code[end:]
	for _, want := range []struct {
		a    uint32
		b, c uint16
		d    [8]byte
	}{
		{0x5b1b31a1, 0x9562, 0x11d2, [8]byte{0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}},
		{0x9042a9de, 0x23dc, 0x4a38, [8]byte{0x96, 0xfb, 0x7a, 0xde, 0xd0, 0x80, 0x51, 0x6a}},
	} {
		var b bytes.Buffer
		put(&b, want)
		if !bytes.HasPrefix(rest, b.Bytes()) {
			t.Errorf("a GUID is % x, want % x", rest[:16], b.Bytes())
		}
		rest = rest[16:]
	}
}

// TestEFI takes an application apart as firmware does, and does what its code does with its list.
func TestEFI(t *testing.T) {
	img, err := probe().image(Multiboot)
	if err != nil {
		t.Fatal(err)
	}
	module := []byte("a file")
	app, err := EFI(img, "-- hello", module)
	if err != nil {
		t.Fatal(err)
	}
	f, err := pe.NewFile(bytes.NewReader(app))
	if err != nil {
		t.Fatal(err)
	}
	h := f.OptionalHeader.(*pe.OptionalHeader64)
	if f.Machine != pe.IMAGE_FILE_MACHINE_AMD64 || h.Subsystem != pe.IMAGE_SUBSYSTEM_EFI_APPLICATION || f.Characteristics&pe.IMAGE_FILE_RELOCS_STRIPPED != 0 {
		t.Errorf("machine %#x, subsystem %d, characteristics %#x", f.Machine, h.Subsystem, f.Characteristics)
	}
	mem := make([]byte, h.SizeOfImage)
	next := h.SizeOfHeaders
	for _, s := range f.Sections {
		if s.Offset != next || s.Offset%h.FileAlignment != 0 || s.VirtualAddress%h.SectionAlignment != 0 || s.VirtualAddress+s.VirtualSize > h.SizeOfImage {
			t.Errorf("section %+v, the one before ends at %#x", s.SectionHeader, next)
		}
		data, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		copy(mem[s.VirtualAddress:], data)
		next = s.Offset + s.Size
	}
	if int(next) != len(app) {
		t.Errorf("the sections end at %#x, the file at %#x", next, len(app))
	}
	if text := f.Section(".text"); h.AddressOfEntryPoint != text.VirtualAddress || text.Characteristics&pe.IMAGE_SCN_MEM_EXECUTE == 0 || text.Characteristics&pe.IMAGE_SCN_MEM_WRITE != 0 {
		t.Errorf("the entry is at %#x, the code is %+v", h.AddressOfEntryPoint, text.SectionHeader)
	}
	if r := h.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_BASERELOC]; r.VirtualAddress != f.Section(".reloc").VirtualAddress || r.Size != 12 {
		t.Errorf("the relocations are %+v", r)
	}
	var info efi.Info
	if _, err := binary.Decode(mem[efiDataAt:], binary.LittleEndian, &info); err != nil {
		t.Fatal(err)
	}
	if line := mem[info.Line:]; !bytes.HasPrefix(line, []byte("-- hello\x00")) {
		t.Errorf("the line is %q", line[:16])
	}
	if got := mem[info.Module:][:info.Size]; string(got) != string(module) || info.Module%pageSize != 0 {
		t.Errorf("the file is %q at %#x", got, info.Module)
	}
	e, err := openELF(img)
	if err != nil {
		t.Fatal(err)
	}
	loads, err := checkLoads(img, e)
	if err != nil {
		t.Fatal(err)
	}
	list := mem[efiContentsAt:]
	word := func() uint64 {
		v := binary.LittleEndian.Uint32(list)
		list = list[4:]
		return uint64(v)
	}
	for _, s := range loads {
		addr, size, zeros, at := word(), word(), word(), word()
		if addr != s.addr || size+zeros != s.size || !bytes.Equal(mem[at:][:size], s.data) {
			t.Errorf("the segment at %#x with %d bytes of %d goes to %#x, %d bytes and %d zeros", s.addr, len(s.data), s.size, addr, size, zeros)
		}
	}
	if v := word(); v != 0 {
		t.Errorf("behind the last segment is one at %#x", v)
	}
}

func TestEFIRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		format Format
		line   string
		cut    int
		want   string
	}{
		"another format": {PVH, "", 0, "linux for arm64, and this one is of pvh"},
		"a cut image":    {Multiboot, "", 1, "truncated"},
		"a line":         {Multiboot, "a\x00b", 0, "with a 0 in it"},
	} {
		img, err := probe().image(c.format)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := EFI(img[:len(img)-c.cut], c.line, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestEFILayout: the offsets that the code uses are those of the struct.
func TestEFILayout(t *testing.T) {
	var b bytes.Buffer
	put(&b, efi.Info{Base: 1, Line: 2, Module: 3, Size: 4, MapSize: 5, Entry: 6, Tables: 7, Pixels: 8, Mode: [36]byte{9}, Time: [16]byte{10}})
	for off, want := range map[int]byte{0: 1, efi.OffLine: 2, efi.OffModule: 3, efi.OffSize: 4, efi.OffMapSize: 5, efi.OffEntry: 6, efi.OffTables: 7, efi.OffPixels: 8, efi.OffMode: 9, efi.OffTime: 10} {
		if got := b.Bytes()[off]; got != want {
			t.Errorf("at %#x is field %d, want %d", off, got, want)
		}
	}
	if b.Len() > efi.TablesAt || efi.TablesAt+efi.MaxTables*efi.TableSize > efi.OptionsAt || efi.OptionsAt+efi.MaxOptions >= efi.MapAt {
		t.Error("what lies behind the struct overlaps")
	}
}

package boot

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/arch/x86/x86asm"

	"sched9/arch/amd64/layout"
)

// The listings are written out with their numbers, so that they check the
// constants as well as the emitter. The numbers are those of layout.

const listEntry = `
	cli
	cld
	lgdt ptr [0x101100]
	jmp far 0x100010, 0x18

	mov ecx, 0x10
	mov ds, cx
	mov es, cx
	mov ss, cx
	mov fs, cx
	mov gs, cx
	mov dword ptr [0x101018], eax
	mov dword ptr [0x10101c], 0x0
	mov dword ptr [0x101020], ebx
	mov dword ptr [0x101024], 0x0

	mov esi, 0x101180
	lodsd dword ptr [esi]
	mov ecx, eax
	jecxz 0x10005d
	lodsd dword ptr [esi]
	mov edi, eax
	lodsd dword ptr [esi]
	mov edx, eax
	lodsd dword ptr [esi]
	mov ebp, eax
	lodsd dword ptr [esi]
	stosd dword ptr [edi]
	xchg ebp, eax
	stosd dword ptr [edi]
	xchg ebp, eax
	add eax, edx
	loop 0x100053
	jmp 0x100044

	mov eax, 0x80000000
	cpuid
	cmp eax, 0x80000001
	jb 0x1000d6
	mov eax, 0x80000001
	cpuid
	and edx, 0x20100000
	cmp edx, 0x20100000
	jnz 0x1000d6
` + listModeSwitch + `
	jmp far 0x1000b9, 0x8
`

const listModeSwitch = `
	mov eax, 0x620
	mov cr4, eax
	mov eax, 0x115000
	mov cr3, eax
	mov ecx, 0xc0000080
	rdmsr
	or eax, 0x900
	wrmsr
	mov eax, cr0
	and eax, 0x9ffffff3
	or eax, 0x80010023
	mov cr0, eax
`

const listLong = `
	mov ecx, 0x10
	mov ds, cx
	mov es, cx
	mov ss, cx
	mov fs, cx
	mov gs, cx
	mov esp, 0x114000
	xor ebp, ebp
	mov eax, 0x467890
	jmp rax
`

const listRefuse = `
	mov esi, 0x100102
	mov ecx, 0x3b
	mov edx, 0x3fd
	in al, dx
	test al, 0x20
	jz 0x1000e5
	lodsb byte ptr [esi]
	mov edx, 0x3f8
	out dx, al
	loop 0x1000e0
	mov edx, 0xf4
	mov eax, 0x3f
	out dx, eax
	cli
	hlt
	jmp 0x1000fe
`

const listAP = `
	mov ecx, 0x10
	mov ds, cx
	mov es, cx
	mov ss, cx
	mov fs, cx
	mov gs, cx
` + listModeSwitch + `
	jmp far 0x100184, 0x8
`

const listAPLong = `
	mov ecx, 0x10
	mov ds, cx
	mov es, cx
	mov ss, cx
	mov fs, cx
	mov gs, cx
	mov rsp, qword ptr [0x101040]
	mov rdi, qword ptr [0x101050]
	xor ebp, ebp
	jmp qword ptr [0x101048]
`

func TestStub(t *testing.T) {
	code, ap := stub(0x467890)
	if ap != 0x10013d {
		t.Fatalf("second half is at %#x, want 0x10013d", ap)
	}
	end := uint32(layout.StubText + len(code))
	for _, part := range []struct {
		name     string
		from, to uint32
		bits     int
		want     string
	}{
		{"entry", 0x100000, 0x1000b9, 32, listEntry},
		{"64-bit mode", 0x1000b9, 0x1000d6, 64, listLong},
		{"refuse", 0x1000d6, 0x100102, 32, listRefuse},
		{"second half", 0x10013d, 0x100184, 32, listAP},
		{"second half in 64-bit mode", 0x100184, end, 64, listAPLong},
	} {
		t.Run(part.name, func(t *testing.T) {
			b := code[part.from-layout.StubText : part.to-layout.StubText]
			wantListing(t, disassemble(t, b, part.from, part.bits), part.want)
		})
	}
	message := string(code[0x102:0x13d])
	if !strings.HasPrefix(message, "sched9: this CPU has no 64-bit mode") || !strings.HasSuffix(message, "\r\n") {
		t.Errorf("message is %q", message)
	}
	if len(message) != 0x3b {
		t.Errorf("message has %#x bytes, the loop writes 0x3b", len(message))
	}
}

func TestTrampoline(t *testing.T) {
	code := trampoline(0x10013d)
	if len(code) > layout.TrampolineSize {
		t.Fatalf("%d bytes, want at most %d", len(code), layout.TrampolineSize)
	}
	// IP is 0 at the first byte, and DS is CS: offsets count from there.
	wantListing(t, disassemble(t, code[:0x21], 0, 16), `
		cli
		cld
		mov ax, cs
		mov ds, ax
		lgdt ptr [0x21]
		mov eax, cr0
		or eax, 0x1
		mov cr0, eax
		jmp far 0x10013d, 0x18
	`)
	// The listing does not tell the width of LGDT's base and of the far
	// jump's offset; 16 bits would cut both.
	for _, at := range []int{0x06, 0x19} {
		inst, err := x86asm.Decode(code[at:], 16)
		if err != nil || inst.DataSize != 32 {
			t.Errorf("%v at %#x works on %d bits (%v), want 32", inst, at, inst.DataSize, err)
		}
	}
	want := []byte{0x1f, 0x00, 0x80, 0x10, 0x10, 0x00} // limit 31, base 0x101080
	if got := code[0x21:]; !bytes.Equal(got, want) {
		t.Errorf("operand of LGDT is % x, want % x", got, want)
	}
}

func TestStubText(t *testing.T) {
	page := stubText(0x467890)
	if len(page) != 4096 {
		t.Fatalf("%d bytes, want a page", len(page))
	}
	code, ap := stub(0x467890)
	low := trampoline(ap)
	if !bytes.HasPrefix(page, code) {
		t.Error("the page does not begin with the stub")
	}
	if !bytes.HasPrefix(page[0x800:], low) {
		t.Error("the trampoline is not at offset 0x800")
	}
	for at, b := range page {
		inStub := at < len(code)
		inTrampoline := at >= 0x800 && at < 0x800+len(low)
		if !inStub && !inTrampoline && b != 0xcc {
			t.Fatalf("byte %#x at %#x outside the code, want INT3", b, at)
		}
	}
}

func TestStubData(t *testing.T) {
	page := stubData(0x412000, 0x7ff000, []run{{3, 4, 5, 6, 7}})
	if want := 0x180 + 2*20; len(page) != want {
		t.Fatalf("%d bytes, want %d", len(page), want)
	}
	want := map[int]uint64{
		0x000: binary.LittleEndian.Uint64([]byte("\x00_sched9")),
		0x008: 0x100000,
		0x010: 0x7ff000,
		0x028: 0x412000,
		0x088: 0x00af9b000000ffff, // code, 64 bits, accessed
		0x090: 0x00cf93000000ffff, // data, flat, writable, accessed
		0x098: 0x00cf9b000000ffff, // code, 32 bits, flat, accessed
		0x100: 0x101080_001f,      // limit, base
		0x180: 4<<32 | 3,          // a run, and an empty one behind it
		0x188: 6<<32 | 5,
		0x190: 7,
	}
	for at := 0; at+8 <= len(page); at += 8 {
		got := binary.LittleEndian.Uint64(page[at:])
		if at == 0x100 {
			got &= 1<<48 - 1
		}
		if got != want[at] {
			t.Errorf("word at %#x is %#x, want %#x", at, got, want[at])
		}
	}
}

// TestInfoOffsets checks that the offsets which the stub uses are those of
// the struct that the kernel reads.
func TestInfoOffsets(t *testing.T) {
	var i layout.Info
	for _, f := range []struct {
		name      string
		got, want uintptr
	}{
		{"LoaderEAX", unsafe.Offsetof(i.LoaderEAX), layout.OffLoaderEAX},
		{"LoaderEBX", unsafe.Offsetof(i.LoaderEBX), layout.OffLoaderEBX},
		{"APStack", unsafe.Offsetof(i.APStack), layout.OffAPStack},
		{"APEntry", unsafe.Offsetof(i.APEntry), layout.OffAPEntry},
		{"APArg", unsafe.Offsetof(i.APArg), layout.OffAPArg},
	} {
		if f.got != f.want {
			t.Errorf("%s is at %#x, the constant says %#x", f.name, f.got, f.want)
		}
	}
}

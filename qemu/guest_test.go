package qemu

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The test guests are 32-bit programs of a few bytes in a PVH image: QEMU
// enters them at loadAddr in flat protected mode, interrupts off.
const (
	loadAddr  = 0x100000
	codeStart = 0x100 // file offset of the code, which is loaded at loadAddr
	tableAddr = loadAddr + 0x800
	stackTop  = loadAddr + 0x8000

	portStdout = 0x3f8
	portStderr = 0xe9
	portReport = 0xea
	portPanic  = 0x505
)

// image is a PVH image of the code: an ELF64 with one loaded segment and the
// Xen note of type 18 that holds the 32-bit entry address.
func image(code ...[]byte) []byte {
	text := slices.Concat(code...)
	var b bytes.Buffer
	put := func(v ...any) {
		for _, x := range v {
			if err := binary.Write(&b, binary.LittleEndian, x); err != nil {
				panic(err)
			}
		}
	}
	put([]byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	put(uint16(2), uint16(62), uint32(1), uint64(loadAddr), uint64(64), uint64(0)) // EXEC, x86-64
	put(uint32(0), uint16(64), uint16(56), uint16(2), uint16(0), uint16(0), uint16(0))
	size := uint64(len(text))
	put(uint32(1), uint32(7), uint64(codeStart), uint64(loadAddr), uint64(loadAddr), size, size, uint64(16))
	put(uint32(4), uint32(4), uint64(176), uint64(0), uint64(0), uint64(24), uint64(24), uint64(4))
	put(uint32(4), uint32(4), uint32(18), []byte("Xen\x00"), uint32(loadAddr), uint32(0))
	b.Write(make([]byte, codeStart-b.Len()))
	b.Write(text)
	return b.Bytes()
}

// write puts an image into a file and returns its path.
func write(t *testing.T, img []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "guest")
	if err := os.WriteFile(path, img, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// le32 is v as the machine stores it.
func le32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

// port loads DX.
func port(p uint16) []byte { return []byte{0x66, 0xba, byte(p), byte(p >> 8)} } // mov dx, p

// ready waits until COM1 takes a byte. It clobbers AL and DX.
func ready() []byte {
	return append(port(portStdout+5), 0xec, 0xa8, 0x20, 0x74, 0xfb) // in al,dx; test al,0x20; jz back
}

// say prints s on a port.
func say(p uint16, s string) []byte {
	var code []byte
	for _, c := range []byte(s) {
		if p == portStdout {
			code = append(code, ready()...)
		}
		code = append(code, port(p)...)
		code = append(code, 0xb0, c, 0xee) // mov al, c; out dx, al
	}
	return code
}

// pattern prints n bytes on a port, the low bytes of n, n-1 to 1.
func pattern(p uint16, n uint32) []byte {
	var body []byte
	if p == portStdout {
		body = append(body, ready()...)
	}
	body = append(body, port(p)...)
	body = append(body, 0x88, 0xc8, 0xee, 0x49) // mov al, cl; out dx, al; dec ecx
	code := append([]byte{0xb9}, le32(n)...)    // mov ecx, n
	code = append(code, body...)
	return append(code, 0x75, byte(-len(body)-2)) // jnz body
}

// patternBytes is what pattern prints.
func patternBytes(n int) []byte {
	b := make([]byte, 0, n)
	for ; n > 0; n-- {
		b = append(b, byte(n))
	}
	return b
}

// exit writes v to debug-exit, after COM1 has sent everything.
func exit(v uint32) []byte {
	code := append(port(portStdout+5), 0xec, 0xa8, 0x40, 0x74, 0xfb) // until the transmitter is empty
	code = append(code, port(0xf4)...)
	code = append(code, 0xb8)
	code = append(code, le32(v)...)
	return append(code, 0xef) // mov eax, v; out dx, eax
}

// hang stops the vCPU with interrupts off, but for NMIs.
func hang() []byte { return []byte{0xfa, 0xf4, 0xeb, 0xfc} } // cli; again: hlt; jmp again

// spin keeps the vCPU busy with interrupts off.
func spin() []byte { return []byte{0xfa, 0xeb, 0xfe} }

// tripleFault raises an exception with an empty interrupt table.
func tripleFault() []byte {
	code := append([]byte{0xbc}, le32(stackTop)...)                           // mov esp, stackTop
	return append(code, 0x6a, 0, 0x6a, 0, 0x0f, 0x01, 0x1c, 0x24, 0xcc, 0xf4) // push 0 twice; lidt [esp]; int3
}

// panics reports a panic to the pvpanic device.
func panics() []byte { return append(port(portPanic), 0xb0, 1, 0xee) }

// onNMI is a program that runs body with handler as its NMI handler. It has
// tables of its own: the firmware's are not to be relied on.
func onNMI(handler, body []byte) []byte {
	const (
		gdt  = tableAddr
		idt  = tableAddr + 0x40
		gdtr = tableAddr + 0x80
		idtr = tableAddr + 0x88
		code = tableAddr + 0x100
	)
	prog := append([]byte{0xbc}, le32(stackTop)...) // mov esp
	prog = append(prog, 0x0f, 0x01, 0x15)           // lgdt
	prog = append(prog, le32(gdtr)...)
	prog = append(prog, 0x0f, 0x01, 0x1d) // lidt
	prog = append(prog, le32(idtr)...)
	prog = append(prog, 0xea) // ljmp 8:next
	prog = append(prog, le32(uint32(loadAddr+len(prog)+6))...)
	prog = append(prog, 8, 0)
	prog = append(prog, 0xb8, 16, 0, 0, 0, 0x8e, 0xd0) // mov eax, 16; mov ss, ax
	// The APIC lets an NMI through when LINT1 is set to that; out of reset it
	// is masked, and only a PC's firmware changes it.
	for _, reg := range [][2]uint32{{0xfee000f0, 0x1ff}, {0xfee00360, 0x400}} {
		prog = append(prog, 0xc7, 0x05) // mov dword [reg], value
		prog = append(prog, le32(reg[0])...)
		prog = append(prog, le32(reg[1])...)
	}
	prog = append(prog, body...)
	at := func(addr int, b ...byte) {
		prog = append(prog, make([]byte, addr-loadAddr-len(prog))...)
		prog = append(prog, b...)
	}
	at(gdt+8, 0xff, 0xff, 0, 0, 0, 0x9a, 0xcf, 0, 0xff, 0xff, 0, 0, 0, 0x92, 0xcf, 0)
	at(idt+16, append(le32(code&0xffff|8<<16), le32(code&^0xffff|0x8e00)...)...)
	at(gdtr, append([]byte{23, 0}, le32(gdt)...)...)
	at(idtr, append([]byte{23, 0}, le32(idt)...)...)
	at(code, handler...)
	return prog
}

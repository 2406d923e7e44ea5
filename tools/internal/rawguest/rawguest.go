// Package rawguest makes images of a few machine instructions, for tests of behaviour that no Go
// program has: hang with interrupts off, reset the machine, or end it silently.
package rawguest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"

	"sched9/boot"
)

// addr is where the code runs: in 64-bit mode, interrupts off, on the boot stack.
const addr = 0x400000

// Hang stops the processor for good; only an NMI would wake it.
var Hang = []byte{0xfa, 0xf4, 0xeb, 0xfd} // cli; again: hlt; jmp again

// TripleFault raises an exception with an empty interrupt table.
var TripleFault = []byte{0x6a, 0, 0x6a, 0, 0x0f, 0x01, 0x1c, 0x24, 0xcc} // push 0 twice; lidt [rsp]; int3

// Ports of the guest's standard error and of its report.
const (
	Stderr = 0xe9
	Report = 0xea
)

// Say writes s to a port.
func Say(port byte, s string) []byte {
	var code []byte
	for _, c := range []byte(s) {
		code = append(code, 0xb0, c, 0xe6, port) // mov al, c; out port, al
	}
	return code
}

// Exit writes v to the debug-exit port, which ends QEMU with status 2v+1.
func Exit(v uint32) []byte {
	code := binary.LittleEndian.AppendUint32([]byte{0xb8}, v) // mov eax, v
	return append(code, 0xe7, 0xf4)                           // out 0xf4, eax
}

// Image is an image of the code, which ends in Hang.
func Image(code ...[]byte) ([]byte, error) {
	text := slices.Concat(append(code, Hang)...)
	const start = 0x1000 // in the file
	var b bytes.Buffer
	header := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: 1, Entry: addr,
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1,
	}
	copy(header.Ident[:], elf.ELFMAG+"\x02\x01\x01")
	segment := elf.Prog64{
		Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: start,
		Vaddr: addr, Paddr: addr, Filesz: uint64(len(text)), Memsz: uint64(len(text)), Align: start,
	}
	for _, v := range []any{header, segment} {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			return nil, err
		}
	}
	b.Write(make([]byte, start-b.Len()))
	b.Write(text)
	return boot.Build(b.Bytes(), boot.PVH)
}

package boot

import (
	"encoding/binary"
	"fmt"
)

// reg is a general register by its number in an instruction. The number alone
// does not say how wide the register is: that follows from the instruction,
// so the 32-bit and the 64-bit names below mean the same numbers.
type reg byte

const (
	eax reg = 0
	ecx reg = 1
	edx reg = 2
	ebx reg = 3
	esp reg = 4
	ebp reg = 5
	esi reg = 6
	edi reg = 7

	rax reg = 0
	rcx reg = 1
	rdx reg = 2
	rbx reg = 3
	rsp reg = 4
	rbp reg = 5
	rsi reg = 6
	rdi reg = 7
	r8  reg = 8
	r9  reg = 9
	r12 reg = 12
	r13 reg = 13
	r14 reg = 14
	r15 reg = 15
)

// segReg is a segment register by its number in an instruction.
type segReg byte

const (
	es segReg = 0
	cs segReg = 1
	ss segReg = 2
	ds segReg = 3
	fs segReg = 4
	gs segReg = 5
)

// asm emits the few x86 instructions that the stubs need. A method is named
// like its instruction and takes the operands in Intel order; encodings are
// those of Intel SDM 2. An operand is 32 bits wide in every mode unless the
// method's name says otherwise.
//
// A use that cannot be encoded is a mistake in this package and panics.
type asm struct {
	bits   int    // 16, 32 or 64: the mode that the next instruction runs in
	at     uint32 // the address where code[0] will run
	code   []byte
	labels map[string]uint32
	fixups []fixup
}

// fixup is a place in code that waits for a label's address.
type fixup struct {
	offset int
	label  string
	kind   fixupKind
}

type fixupKind int

const (
	absolute32 fixupKind = iota // four bytes: the address
	offset16                    // two bytes: the distance from the first byte of code
	relative8                   // one byte: the distance from the byte behind it
	relative32                  // four bytes: the same
)

// newAsm begins code that will run at address at in the given mode.
func newAsm(bits int, at uint32) *asm {
	return &asm{bits: bits, at: at, labels: make(map[string]uint32)}
}

// pc is the address of the next byte.
func (a *asm) pc() uint32 { return a.at + uint32(len(a.code)) }

// label gives the address of the next byte a name, to be used before or after.
func (a *asm) label(name string) { a.define(name, a.pc()) }

// define gives an address a name.
func (a *asm) define(name string, addr uint32) {
	if _, ok := a.labels[name]; ok {
		panic(fmt.Sprintf("boot: label %q is defined twice", name))
	}
	a.labels[name] = addr
}

// bytes resolves all labels and returns the code.
func (a *asm) bytes() []byte {
	for _, f := range a.fixups {
		to, ok := a.labels[f.label]
		if !ok {
			panic(fmt.Sprintf("boot: label %q is used but not defined", f.label))
		}
		here := a.code[f.offset:]
		switch f.kind {
		case absolute32:
			binary.LittleEndian.PutUint32(here, to)
		case offset16:
			distance := int64(to) - int64(a.at)
			if distance != int64(uint16(distance)) {
				panic(fmt.Sprintf("boot: label %q is %d bytes from the start, not within 64 KiB", f.label, distance))
			}
			binary.LittleEndian.PutUint16(here, uint16(distance))
		case relative8:
			distance := int64(to) - int64(a.at) - int64(f.offset+1)
			if distance != int64(int8(distance)) {
				panic(fmt.Sprintf("boot: label %q is %d bytes away, too far for a short jump", f.label, distance))
			}
			here[0] = byte(distance)
		case relative32:
			binary.LittleEndian.PutUint32(here, to-a.at-uint32(f.offset+4))
		}
	}
	return a.code
}

// wait emits n zero bytes that bytes fills in.
func (a *asm) wait(kind fixupKind, n int, label string) {
	a.fixups = append(a.fixups, fixup{offset: len(a.code), label: label, kind: kind})
	a.code = append(a.code, make([]byte, n)...)
}

// emit, emit16, emit32 and text append bytes as they are.
func (a *asm) emit(b ...byte)  { a.code = append(a.code, b...) }
func (a *asm) emit32(x uint32) { a.code = binary.LittleEndian.AppendUint32(a.code, x) }
func (a *asm) emit16(x uint16) { a.code = binary.LittleEndian.AppendUint16(a.code, x) }
func (a *asm) text(s string)   { a.code = append(a.code, s...) }

// want panics unless the mode is one of bits.
func (a *asm) want(bits ...int) {
	for _, b := range bits {
		if a.bits == b {
			return
		}
	}
	panic(fmt.Sprintf("boot: instruction has no encoding here for %d-bit mode", a.bits))
}

// wide begins an instruction with a 32-bit operand: in 16-bit mode that takes
// the operand size prefix.
func (a *asm) wide() {
	if a.bits == 16 {
		a.emit(0x66)
	}
}

// regs is a ModRM byte that names two registers; /digit opcodes put their
// digit in field.
func regs(field, rm byte) byte { return 0xc0 | field<<3 | rm }

// absolute emits ModRM for the 32-bit address addr. In 64-bit mode the short
// form would be relative to RIP, so there the SIB form without base and index
// takes its place (Intel SDM 2A, 2.2.1.6).
func (a *asm) absolute(field byte, addr uint32) {
	if a.bits == 64 {
		a.emit(field<<3|4, 0x25)
	} else {
		a.emit(field<<3 | 5)
	}
	a.emit32(addr)
}

// Instructions without operands, or whose operands are fixed. OUT of EAX would
// need a prefix in 16-bit mode, where nothing uses it.
func (a *asm) cli()   { a.emit(0xfa) }
func (a *asm) cld()   { a.emit(0xfc) }
func (a *asm) hlt()   { a.emit(0xf4) }
func (a *asm) cpuid() { a.emit(0x0f, 0xa2) }
func (a *asm) rdmsr() { a.emit(0x0f, 0x32) }
func (a *asm) wrmsr() { a.emit(0x0f, 0x30) }
func (a *asm) lodsb() { a.emit(0xac) }
func (a *asm) lodsd() { a.wide(); a.emit(0xad) }
func (a *asm) stosd() { a.wide(); a.emit(0xab) }
func (a *asm) rdtsc() { a.emit(0x0f, 0x31) }

// clearX15 is xorps xmm15, xmm15; fxsave saves the vector registers below rsp.
func (a *asm) clearX15() { a.want(64); a.emit(0x45, 0x0f, 0x57, 0xff) }
func (a *asm) fxsave()   { a.want(64); a.emit(0x0f, 0xae, 0x84, 0x24); a.emit32(^uint32(0x3ff)) }

func (a *asm) inALDX()   { a.emit(0xec) }
func (a *asm) outDXAL()  { a.emit(0xee) }
func (a *asm) outDXEAX() { a.want(32, 64); a.emit(0xef) }

// Instructions on whole registers, with a constant or with each other.
func (a *asm) movImm32(r reg, x uint32) {
	a.wide()
	a.rex(0, 0, r)
	a.emit(0xb8 | byte(r)&7)
	a.emit32(x)
}
func (a *asm) andImm32(r reg, x uint32) { a.wide(); a.emit(0x81, regs(4, byte(r))); a.emit32(x) }
func (a *asm) orImm32(r reg, x uint32)  { a.wide(); a.emit(0x81, regs(1, byte(r))); a.emit32(x) }
func (a *asm) cmpImm32(r reg, x uint32) { a.wide(); a.emit(0x81, regs(7, byte(r))); a.emit32(x) }
func (a *asm) xor(d, s reg)             { a.wide(); a.emit(0x31, regs(byte(s), byte(d))) }
func (a *asm) mov(d, s reg)             { a.wide(); a.emit(0x89, regs(byte(s), byte(d))) }
func (a *asm) add(d, s reg)             { a.wide(); a.emit(0x01, regs(byte(s), byte(d))) }
func (a *asm) xchgEAX(r reg)            { a.wide(); a.emit(0x90 | byte(r)) }
func (a *asm) testAL(x byte)            { a.emit(0xa8, x) }

// movLabel loads a label's address.
func (a *asm) movLabel(r reg, label string) {
	a.want(32, 64)
	a.emit(0xb8 | byte(r))
	a.wait(absolute32, 4, label)
}

// movToSeg and movFromSeg move 16 bits.
func (a *asm) movToSeg(d segReg, s reg)   { a.emit(0x8e, regs(byte(d), byte(s))) }
func (a *asm) movFromSeg(d reg, s segReg) { a.emit(0x8c, regs(byte(s), byte(d))) }

// movToCR and movFromCR move a whole control register: 32 bits, or 64 in
// 64-bit mode, without any prefix (Intel SDM 2B, MOV to/from Control Registers).
func (a *asm) movToCR(n int, s reg)   { a.emit(0x0f, 0x22, regs(byte(n), byte(s))) }
func (a *asm) movFromCR(d reg, n int) { a.emit(0x0f, 0x20, regs(byte(n), byte(d))) }

// movToMem and movImmToMem both store 32 bits at an absolute address.
func (a *asm) movToMem(addr uint32, s reg) {
	a.want(32, 64)
	a.emit(0x89)
	a.absolute(byte(s), addr)
}

// movImmToMem stores the constant x.
func (a *asm) movImmToMem(addr, x uint32) {
	a.want(32, 64)
	a.emit(0xc7)
	a.absolute(0, addr)
	a.emit32(x)
}

// mov64FromMem loads 64 bits from an absolute address.
func (a *asm) mov64FromMem(d reg, addr uint32) {
	a.want(64)
	a.emit(0x48, 0x8b)
	a.absolute(byte(d), addr)
}

// lgdt loads GDTR from the operand at an absolute address.
func (a *asm) lgdt(addr uint32) {
	a.want(32)
	a.emit(0x0f, 0x01)
	a.absolute(2, addr)
}

// lgdt16 loads GDTR from the operand at a label, DS being the segment that
// begins with the first byte of code. The prefix makes it take all 32 bits of
// the base instead of 24.
func (a *asm) lgdt16(label string) {
	a.want(16)
	a.emit(0x66, 0x0f, 0x01, 0x16)
	a.wait(offset16, 2, label)
}

// jmpFar jumps to a label with a new code segment; its offset has 32 bits.
func (a *asm) jmpFar(selector uint16, label string) {
	a.want(16, 32)
	a.wide()
	a.emit(0xea)
	a.wait(absolute32, 4, label)
	a.emit(byte(selector), byte(selector>>8))
}

// jmpReg and jmpMem jump to the 64-bit address in a register or in memory.
func (a *asm) jmpReg(r reg) {
	a.want(64)
	a.emit(0xff, regs(4, byte(r)))
}

// jmpMem takes the address from memory.
func (a *asm) jmpMem(addr uint32) {
	a.want(64)
	a.emit(0xff)
	a.absolute(4, addr)
}

// Short jumps within the code.
func (a *asm) jmp(label string)   { a.emit(0xeb); a.wait(relative8, 1, label) }
func (a *asm) jb(label string)    { a.emit(0x72); a.wait(relative8, 1, label) }
func (a *asm) jz(label string)    { a.emit(0x74); a.wait(relative8, 1, label) }
func (a *asm) jnz(label string)   { a.emit(0x75); a.wait(relative8, 1, label) }
func (a *asm) jecxz(label string) { a.want(32); a.emit(0xe3); a.wait(relative8, 1, label) }
func (a *asm) loop(label string)  { a.emit(0xe2); a.wait(relative8, 1, label) }

// jmpNear jumps to a label at any distance.
func (a *asm) jmpNear(label string) { a.want(32, 64); a.emit(0xe9); a.wait(relative32, 4, label) }

// What follows is for 64-bit code that runs wherever it was put: operands are 64 bits wide unless a name says 32, and
// memory is addressed by a register and an offset, or by the distance to a label. All 16 registers can be named.

// rex emits the prefix that makes an operand 64 bits wide, if w is 1, and that has the fourth bits of the registers in
// ModRM (Intel SDM 2A, 2.2.1); nothing if neither is needed.
func (a *asm) rex(w byte, field, rm reg) {
	if b := w<<3 | byte(field>>3)<<2 | byte(rm>>3); b != 0 {
		a.want(64)
		a.emit(0x40 | b)
	}
}

// mem emits an instruction of one opcode byte with an operand at base+off. RSP and R12 as a base take a SIB byte.
func (a *asm) mem(w, opcode byte, field, base reg, off int32) {
	a.want(64)
	a.rex(w, field, base)
	a.emit(opcode, 2<<6|byte(field&7)<<3|byte(base&7))
	if base&7 == rsp {
		a.emit(0x24)
	}
	a.emit32(uint32(off))
}

// Moves and addresses.
func (a *asm) mov64(d, s reg)                   { a.want(64); a.rex(1, s, d); a.emit(0x89, regs(byte(s&7), byte(d&7))) }
func (a *asm) load(d, base reg, off int32)      { a.mem(1, 0x8b, d, base, off) }
func (a *asm) load32(d, base reg, off int32)    { a.mem(0, 0x8b, d, base, off) }
func (a *asm) store(base reg, off int32, s reg) { a.mem(1, 0x89, s, base, off) }
func (a *asm) lea(d, base reg, off int32)       { a.mem(1, 0x8d, d, base, off) }
func (a *asm) callMem(base reg, off int32)      { a.mem(0, 0xff, 2, base, off) }
func (a *asm) lgdtMem(base reg, off int32)      { a.want(64); a.emit(0x0f); a.mem(0, 0x01, 2, base, off) }

// leaLabel loads a label's address, wherever the code runs.
func (a *asm) leaLabel(d reg, label string) {
	a.want(64)
	a.rex(1, d, 0)
	a.emit(0x8d, byte(d&7)<<3|5)
	a.wait(relative32, 4, label)
}

// Arithmetic on whole registers. Constants are extended by their sign.
func (a *asm) add64(d, s reg) { a.want(64); a.rex(1, s, d); a.emit(0x01, regs(byte(s&7), byte(d&7))) }
func (a *asm) sub64(d, s reg) { a.want(64); a.rex(1, s, d); a.emit(0x29, regs(byte(s&7), byte(d&7))) }
func (a *asm) test(r reg)     { a.want(64); a.rex(1, r, r); a.emit(0x85, regs(byte(r&7), byte(r&7))) }
func (a *asm) cmp64Imm(r reg, x int32) {
	a.want(64)
	a.rex(1, 0, r)
	a.emit(0x81, regs(7, byte(r&7)))
	a.emit32(uint32(x))
}
func (a *asm) sub64Imm(r reg, x int32) {
	a.want(64)
	a.rex(1, 0, r)
	a.emit(0x81, regs(5, byte(r&7)))
	a.emit32(uint32(x))
}
func (a *asm) mul32Imm(r reg, x byte)   { a.emit(0x6b, regs(byte(r), byte(r)), x) }
func (a *asm) half32(r reg)             { a.emit(0xd1, regs(5, byte(r))) } // SHR by 1
func (a *asm) dec32(r reg)              { a.rex(0, 0, r); a.emit(0xff, regs(1, byte(r&7))) }
func (a *asm) addImm32(r reg, x uint32) { a.emit(0x81, regs(0, byte(r))); a.emit32(x) }

// Strings, the stack, and jumps.
func (a *asm) repMovsb()          { a.emit(0xf3, 0xa4) }
func (a *asm) repStosb()          { a.emit(0xf3, 0xaa) }
func (a *asm) lodsw()             { a.emit(0x66, 0xad) }
func (a *asm) stosb()             { a.emit(0xaa) }
func (a *asm) testAH()            { a.emit(0x84, 0xe4) }
func (a *asm) movALImm(x byte)    { a.emit(0xb0, x) }
func (a *asm) pushImm(x uint32)   { a.emit(0x68); a.emit32(x) }
func (a *asm) push(r reg)         { a.emit(0x50 | byte(r)) }
func (a *asm) retFar()            { a.want(64); a.emit(0x48, 0xcb) }
func (a *asm) jbe(label string)   { a.emit(0x76); a.wait(relative8, 1, label) }
func (a *asm) jae(label string)   { a.emit(0x73); a.wait(relative8, 1, label) }
func (a *asm) jrcxz(label string) { a.want(64); a.emit(0xe3); a.wait(relative8, 1, label) }

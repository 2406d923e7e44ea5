#include "go_asm.h"
#include "textflag.h"

// Instructions that Go has no name for. All are leaves: NOSPLIT, no frame.

// func ID() int
TEXT ·ID(SB),NOSPLIT,$0-8
	MOVQ	CPU_id(GS), AX
	MOVQ	AX, ret+0(FP)
	RET

// func in8(port uint16) uint8
TEXT ·in8(SB),NOSPLIT,$0-9
	MOVW	port+0(FP), DX
	XORL	AX, AX
	INB
	MOVB	AX, ret+8(FP)
	RET

// func out8(port uint16, v uint8)
TEXT ·out8(SB),NOSPLIT,$0-3
	MOVW	port+0(FP), DX
	MOVB	v+2(FP), AX
	OUTB
	RET

// func out32(port uint16, v uint32)
TEXT ·out32(SB),NOSPLIT,$0-8
	MOVW	port+0(FP), DX
	MOVL	v+4(FP), AX
	OUTL
	RET

// func read32(addr uintptr) uint32
TEXT ·read32(SB),NOSPLIT,$0-12
	MOVQ	addr+0(FP), AX
	MOVL	(AX), AX
	MOVL	AX, ret+8(FP)
	RET

// func write32(addr uintptr, v uint32)
TEXT ·write32(SB),NOSPLIT,$0-12
	MOVQ	addr+0(FP), AX
	MOVL	v+8(FP), DX
	MOVL	DX, (AX)
	RET

// func counter() uint64
TEXT ·counter(SB),NOSPLIT,$0-8
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, ret+0(FP)
	RET

// func countPhase() (count, over uint64)
TEXT ·countPhase(SB),NOSPLIT,$0-16
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, count+0(FP)
	MOVQ	$0, over+8(FP)
	RET

// func burn(n uint64)
TEXT ·burn(SB),NOSPLIT,$0-8
	MOVQ	n+0(FP), CX
	TESTB	$1, CX
	JEQ	even
	BYTE	$0x90		// NOP
even:
	SHRQ	$1, CX
	JEQ	done
loop:
	DECQ	CX
	JNE	loop
done:
	RET

// func rdmsr(msr uint32) uint64
TEXT ·rdmsr(SB),NOSPLIT,$0-16
	MOVL	msr+0(FP), CX
	RDMSR
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, ret+8(FP)
	RET

// func wrmsr(msr uint32, v uint64)
TEXT ·wrmsr(SB),NOSPLIT,$0-16
	MOVL	msr+0(FP), CX
	MOVQ	v+8(FP), AX
	MOVQ	AX, DX
	SHRQ	$32, DX
	WRMSR
	RET

// func cpuid(leaf, sub uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB),NOSPLIT,$0-24
	MOVL	leaf+0(FP), AX
	MOVL	sub+4(FP), CX
	CPUID
	MOVL	AX, a+8(FP)
	MOVL	BX, b+12(FP)
	MOVL	CX, c+16(FP)
	MOVL	DX, d+20(FP)
	RET

// func xsetbv(mask uint32)
TEXT ·xsetbv(SB),NOSPLIT,$0-4
	MOVL	mask+0(FP), AX
	XORL	CX, CX
	XORL	DX, DX
	BYTE $0x0f; BYTE $0x01; BYTE $0xd1	// XSETBV
	RET

// func fninit()
TEXT ·fninit(SB),NOSPLIT,$0-0
	FINIT
	RET

// func cr4() uint64
TEXT ·cr4(SB),NOSPLIT,$0-8
	MOVQ	CR4, AX
	MOVQ	AX, ret+0(FP)
	RET

// func setCR4(v uint64)
TEXT ·setCR4(SB),NOSPLIT,$0-8
	MOVQ	v+0(FP), AX
	MOVQ	AX, CR4
	RET

// func cr3() uint64
TEXT ·cr3(SB),NOSPLIT,$0-8
	MOVQ	CR3, AX
	MOVQ	AX, ret+0(FP)
	RET

// func FlushTLB()
TEXT ·FlushTLB(SB),NOSPLIT,$0-0
	MOVQ	CR3, AX
	MOVQ	AX, CR3
	RET

// func loadTables(gdt, gdtLimit, idt, idtLimit uintptr)
// The segment registers are reloaded; the TSS is taken from the new GDT.
TEXT ·loadTables(SB),NOSPLIT,$16-32
	MOVQ	gdtLimit+8(FP), AX
	MOVW	AX, 6(SP)
	MOVQ	gdt+0(FP), AX
	MOVQ	AX, 8(SP)
	LGDT	6(SP)
	MOVQ	idtLimit+24(FP), AX
	MOVW	AX, 6(SP)
	MOVQ	idt+16(FP), AX
	MOVQ	AX, 8(SP)
	LIDT	6(SP)
	MOVL	$0x10, AX
	MOVW	AX, DS
	MOVW	AX, ES
	MOVW	AX, SS
	MOVL	$0x20, AX
	BYTE $0x0f; BYTE $0x00; BYTE $0xd8	// LTR AX
	RET

// ENABLE turns interrupts on and lets a pending one in. STI holds interrupts off
// for one more instruction (SDM 2B, STI). That instruction should not be a RET
// or another indirect jump: QEMU (7.2, TCG) goes on from those to the next
// block of code without asking for interrupts. The byte is a NOP, which is no
// instruction to the Go assembler.
#define ENABLE	STI; BYTE $0x90

// func SaveIRQ() (on uintptr)
// Turns interrupts off; on is nonzero if they were on.
TEXT ·SaveIRQ(SB),NOSPLIT,$0-8
	PUSHFQ
	POPQ	AX
	CLI
	ANDL	$0x200, AX
	MOVQ	AX, on+0(FP)
	RET

// func RestoreIRQ(on uintptr)
TEXT ·RestoreIRQ(SB),NOSPLIT,$0-8
	MOVQ	on+0(FP), AX
	TESTQ	AX, AX
	JZ	off
	ENABLE
off:
	RET

// func EnableIRQ()
TEXT ·EnableIRQ(SB),NOSPLIT,$0-0
	ENABLE
	RET

// func DisableIRQ()
TEXT ·DisableIRQ(SB),NOSPLIT,$0-0
	CLI
	RET

// func Halt()
// Waits for an interrupt, with interrupts off on entry and on return.
// STI takes effect after the next instruction, so an interrupt that is pending
// ends the HLT and none is taken between the two (SDM 2B, STI).
TEXT ·Halt(SB),NOSPLIT,$0-0
	STI
	HLT
	CLI
	RET

// func Stop()
// Stops this processor for good. An NMI wakes it, so it loops.
TEXT ·Stop(SB),NOSPLIT,$0-0
loop:
	CLI
	HLT
	JMP	loop

// func Pause()
TEXT ·Pause(SB),NOSPLIT,$0-0
	PAUSE
	RET

// func fence()
TEXT ·fence(SB),NOSPLIT,$0-0
	MFENCE
	LFENCE
	RET

// func Zero(p, n uintptr)
// n is a multiple of 8.
TEXT ·Zero(SB),NOSPLIT,$0-16
	MOVQ	p+0(FP), DI
	MOVQ	n+8(FP), CX
	SHRQ	$3, CX
	XORL	AX, AX
	CLD
	REP; STOSQ
	RET

// Boot is where the runtime's entry point calls, on the boot stack, before
// anything else. It returns argc and argv in DI and SI.
TEXT ·Boot(SB),NOSPLIT|NOFRAME,$0
	// Code compiled for Go's own calling convention takes g from -8(FS).
	LEAQ	·bootTLS+64(SB), AX
	MOVQ	AX, DX
	SHRQ	$32, DX
	MOVL	$0xc0000100, CX	// FS base
	WRMSR
	LEAQ	·noG(SB), R14
	MOVQ	R14, ·bootTLS+56(SB)
	XORPS	X15, X15
	SUBQ	$16, SP
	CALL	·bootKernel(SB)
	MOVQ	0(SP), DI
	MOVQ	8(SP), SI
	ADDQ	$16, SP
	RET

// apEntry is where the stub sends a processor that INIT-SIPI woke, in 64-bit
// mode, on the stack that StartCPU named, DI holding StartCPU's argument.
TEXT ·apEntry(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MOVQ	DI, R12
	// The new processor's thread pointer: argument's tls field, so that the
	// calls below find noG as g.
	MOVQ	APArg_TLS(R12), AX
	MOVQ	AX, DX
	SHRQ	$32, DX
	MOVL	$0xc0000100, CX
	WRMSR
	LEAQ	·noG(SB), R14
	MOVQ	APArg_TLS(R12), AX
	MOVQ	R14, -8(AX)
	XORPS	X15, X15
	XORL	BP, BP
	SUBQ	$16, SP
	MOVQ	R12, 0(SP)
	CALL	·apInit(SB)
	MOVQ	0(SP), R12
	ADDQ	$16, SP
	// From here on this is the runtime's thread: g, then its entry.
	MOVQ	APArg_G(R12), R14
	MOVQ	APArg_TLS(R12), AX
	MOVQ	R14, -8(AX)
	MOVQ	APArg_Entry(R12), AX
	ENABLE
	CALL	AX
	INT	$3

// apTry is where a processor begins that dropAbsent tries: it sets the word at DI, and halts until an INIT. It has no stack, and interrupts are off.
TEXT ·apTry(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MOVL	$1, (DI)
halt:
	HLT
	JMP	halt

// func restart(a *APArg)
// DR7 off: no breakpoints.
TEXT ·restart(SB),NOSPLIT,$0-8
	CLI
	MOVQ	a+0(FP), DI
	MOVQ	APArg_Stack(DI), SP
	XORL	AX, AX
	MOVQ	AX, DR7
	JMP	·apEntry(SB)

// func resetFP(state uintptr, mask uint64)
// Loads x87, SSE and what else mask names with their values after reset: state is
// 576 bytes whose header says that no component is stored (SDM 1, 13.8).
// Without XSAVE (mask 0) state is an FXSAVE area.
TEXT ·resetFP(SB),NOSPLIT,$0-16
	MOVQ	state+0(FP), BX
	MOVQ	mask+8(FP), AX
	TESTQ	AX, AX
	JZ	fx
	XORL	DX, DX
	XRSTOR64 (BX)
	JMP	done
fx:
	FXRSTOR64 (BX)
done:
	XORPS	X15, X15
	RET

// syscallEntry is the target of SYSCALL: the return address in CX, flags in R11 and unchanged, the
// caller's stack. It becomes a call of the function that replaces SYSCALL in the runtime's own
// code.
TEXT ·syscallEntry(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	PUSHQ	CX
	JMP	runtime·sched9Syscall(SB)

// func syscallEntryPC() uintptr
TEXT ·syscallEntryPC(SB),NOSPLIT,$0-8
	LEAQ	·syscallEntry(SB), AX
	MOVQ	AX, ret+0(FP)
	RET

// func apEntryPC() uintptr
TEXT ·apEntryPC(SB),NOSPLIT,$0-8
	LEAQ	·apEntry(SB), AX
	MOVQ	AX, ret+0(FP)
	RET

// func apTryPC() uintptr
TEXT ·apTryPC(SB),NOSPLIT,$0-8
	LEAQ	·apTry(SB), AX
	MOVQ	AX, ret+0(FP)
	RET

// func rdrand() (v uint64, ok bool)
TEXT ·rdrand(SB),NOSPLIT,$0-9
	RDRANDQ	AX
	SETCS	ok+8(FP)
	MOVQ	AX, v+0(FP)
	RET

// func SetJump(c *Jump) (again uintptr)
TEXT ·SetJump(SB),NOSPLIT,$0-16
	MOVQ	c+0(FP), AX
	MOVQ	SP, 0(AX)
	MOVQ	BP, 8(AX)
	MOVQ	0(SP), CX
	MOVQ	CX, 16(AX)
	MOVQ	$0, again+8(FP)
	RET

// func Revert(list, n, store uintptr, c *Jump)
// No string instructions: where instructions are counted each of their words is a turn through QEMU's main loop.
TEXT ·Revert(SB),NOSPLIT,$0-32
	MOVQ	list+0(FP), R8
	MOVQ	n+8(FP), R9
	MOVQ	store+16(FP), SI
	MOVQ	c+24(FP), R10
page:
	TESTQ	R9, R9
	JZ	done
	MOVQ	(R8), DI
	MOVQ	$(4096/128), CX
part:
	MOVOU	0(SI), X0
	MOVOU	16(SI), X1
	MOVOU	32(SI), X2
	MOVOU	48(SI), X3
	MOVOU	64(SI), X4
	MOVOU	80(SI), X5
	MOVOU	96(SI), X6
	MOVOU	112(SI), X7
	MOVOU	X0, 0(DI)
	MOVOU	X1, 16(DI)
	MOVOU	X2, 32(DI)
	MOVOU	X3, 48(DI)
	MOVOU	X4, 64(DI)
	MOVOU	X5, 80(DI)
	MOVOU	X6, 96(DI)
	MOVOU	X7, 112(DI)
	ADDQ	$128, SI
	ADDQ	$128, DI
	DECQ	CX
	JNZ	part
	ADDQ	$8, R8
	DECQ	R9
	JMP	page
done:
	MOVQ	CR3, AX
	MOVQ	AX, CR3
	MOVQ	0(R10), SP
	MOVQ	8(R10), BP
	MOVQ	16(R10), CX
	MOVQ	CX, 0(SP)
	MOVQ	$1, 16(SP) // again
	RET

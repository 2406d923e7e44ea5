#include "go_asm.h"
#include "textflag.h"

// Traps: exceptions, NMI and interrupts.
//
// Every vector has 8 bytes at vectors. It pushes a zero where the processor
// pushes no error code, and calls entry: the return address that the call
// leaves on the stack tells which vector it was. So entry always finds
//
//	ret  error  RIP CS RFLAGS RSP SS
//
// The processor has switched to one of the interrupt stacks (IST) and turned
// interrupts off. Nothing of the interrupted program can be trusted but its
// memory: not R14 (g), not X15, not the direction flag. g is taken from thread
// local storage and put back on the way out, so that the handler, ordinary Go
// code, runs as a g of its own whose stack bounds are right.
//
// There is no user mode, so GS always holds this processor's CPU, and no red
// zone, because the Go compiler uses none.

//
// The handler of an exception touches memory of the interrupted goroutine: its g, its
// stack. A page of that may be absent, never touched before or on its way out, and
// then the handler faults in its turn. The second exception must not begin at the top of
// the stack that the first one is on, so for as long as the first is handled the
// processor is told of a lower top. (NMI, double fault and machine check have another
// stack, and leave this one alone: so if one of them faults, it does no harm either.)

// FAULTSTACK is the stack that the TSS holds for istFault (SDM 3A, 8.7, figure 8-11).
// OTHERSTACK jumps if the vector in AX has another one; it changes CX.
#define FAULTSTACK	(CPU_tss+28+8*const_istFault)(GS)
#define OTHERSTACK(LABEL) \
	MOVL	$(1<<2 | 1<<8 | 1<<18), CX; \
	BTL	AX, CX; \
	JCS	LABEL

#define NOERR	BYTE $0x6a; BYTE $0x00	// PUSHQ $0, 2 bytes
#define ERR	BYTE $0x66; BYTE $0x90	// 2-byte NOP: the processor pushed a code
#define ENTER	CALL ·entry(SB); BYTE $0x90	// 5 bytes and a NOP
#define N	NOERR; ENTER
#define E	ERR; ENTER
#define N8	N; N; N; N; N; N; N; N

// Error codes come with 8, 10 to 14, 17, 21, 29, 30 (SDM 3A, table 6-1).
TEXT ·vectors(SB),NOSPLIT|NOFRAME,$0
	N8				// 0
	E; N; E; E; E; E; E; N		// 8
	N; E; N; N; N; E; N; N		// 16
	N; N; N; N; N; E; E; N		// 24
	N8				// 32
	N8				// 40
	N8				// 48
	N8				// 56
	N8				// 64
	N8				// 72
	N				// 80: vecStray and all above it

TEXT ·entry(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	PUSHQ	R15
	PUSHQ	R14
	PUSHQ	R13
	PUSHQ	R12
	PUSHQ	R11
	PUSHQ	R10
	PUSHQ	R9
	PUSHQ	R8
	PUSHQ	BP
	PUSHQ	DI
	PUSHQ	SI
	PUSHQ	DX
	PUSHQ	CX
	PUSHQ	BX
	PUSHQ	AX
	MOVQ	CR2, AX
	PUSHQ	AX
	MOVQ	-8(FS), AX
	PUSHQ	AX		// the interrupted g
	CLD
	MOVQ	SP, R12		// *Frame

	// Vector number from the return address.
	MOVQ	Frame_Vector(R12), AX
	LEAQ	·vectors+7(SB), CX
	SUBQ	CX, AX
	SHRQ	$3, AX
	MOVQ	AX, Frame_Vector(R12)

	// g of the handler: exceptions may strike while an interrupt's g is in
	// use, so they have another.
	MOVQ	CPU_irqG(GS), R14
	CMPQ	AX, $32
	JGE	irq
	MOVQ	CPU_faultG(GS), R14
	OTHERSTACK(irq)
	SUBQ	$const_faultRoom, FAULTSTACK
irq:
	MOVQ	R14, -8(FS)

	// Floating point and vector registers: the handler and the memmove that
	// it may call use them.
	SUBQ	·fpSize(SB), SP
	ANDQ	$~63, SP
	MOVQ	·fpMask(SB), AX
	TESTQ	AX, AX
	JZ	fxsave
	XORL	DX, DX
	// XSAVE leaves most of the header alone, and XRSTOR wants it zero.
	MOVQ	DX, 512(SP)
	MOVQ	DX, 520(SP)
	MOVQ	DX, 528(SP)
	MOVQ	DX, 536(SP)
	MOVQ	DX, 544(SP)
	MOVQ	DX, 552(SP)
	MOVQ	DX, 560(SP)
	MOVQ	DX, 568(SP)
	XSAVE64	(SP)
	JMP	saved
fxsave:
	FXSAVE64 (SP)
saved:
	PXOR	X15, X15
	XORL	BP, BP
	SUBQ	$16, SP
	MOVQ	R12, 0(SP)
	MOVQ	R12, 8(SP)	// trap owns its argument and all registers, but not this
	CALL	·trap(SB)
	MOVQ	8(SP), R12
	ADDQ	$16, SP

	MOVQ	·fpMask(SB), AX
	TESTQ	AX, AX
	JZ	fxrstor
	XORL	DX, DX
	XRSTOR64 (SP)
	JMP	restored
fxrstor:
	FXRSTOR64 (SP)
restored:
	MOVQ	Frame_Vector(R12), AX
	CMPQ	AX, $32
	JGE	irqEnd
	OTHERSTACK(irqEnd)
	ADDQ	$const_faultRoom, FAULTSTACK
irqEnd:
	MOVQ	R12, SP
	POPQ	AX
	MOVQ	AX, -8(FS)
	POPQ	AX		// CR2
	POPQ	AX
	POPQ	BX
	POPQ	CX
	POPQ	DX
	POPQ	SI
	POPQ	DI
	POPQ	BP
	POPQ	R8
	POPQ	R9
	POPQ	R10
	POPQ	R11
	POPQ	R12
	POPQ	R13
	POPQ	R14
	POPQ	R15
	ADDQ	$16, SP		// vector, error
	IRETQ

// func vectorsPC() uintptr
TEXT ·vectorsPC(SB),NOSPLIT,$0-8
	LEAQ	·vectors(SB), AX
	MOVQ	AX, ret+0(FP)
	RET

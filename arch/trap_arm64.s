
#include "go_asm.h"
#include "textflag.h"

// Traps: exceptions, interrupts and FIQ.
//
// All code runs at EL1 with SP_EL0 as its stack pointer, also handlers. A trap
// switches to SP_EL1, which holds the address of the processor's CPU, masks all
// interrupts, and goes to one of the vectors (D1.3.6). entry saves the interrupted
// program on the stack that the class of trap has on this processor, and goes back
// to SP_EL0: so a trap of another class may come at any time after that, and finds
// the same. Until then everything is masked and nothing faults; a trap of the
// second four vectors is a mistake in here.
//
// The handler of an exception touches memory of the interrupted goroutine: its g, its
// stack. A page of that may be absent, never touched before or on its way out, and
// then the handler faults in its turn. The second exception must not begin at the top of
// the stack that the first one is on, so for as long as the first is handled the CPU
// holds a lower top.
//
// What the interrupted program is, as far as g goes: R28, which compiled code and
// the runtime's assembly never use for anything else; or TPIDR_EL0, where that is
// not zero: then code runs that knows nothing of g (zsched9_arm64.s).

#define MASKALL	MSR	$15, DAIFSet

// CLASS is one of the constants in cpu.go; KIND one of those in trap.go.
#define VECTOR(KIND, CLASS) \
	STP	(R0, R1), CPU_scratch(RSP); \
	STP	(R2, R3), CPU_scratch+16(RSP); \
	MOVD	$KIND, R0; \
	MOVD	(CPU_stacks+8*CLASS)(RSP), R1; \
	B	·entry(SB); \
	PCALIGN	$128

TEXT ·vectors(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	PCALIGN	$2048
	VECTOR(0, 0)	// from SP_EL0
	VECTOR(1, 1)
	VECTOR(2, 2)
	VECTOR(3, 3)
	VECTOR(4, 3)	// from SP_EL1
	VECTOR(4, 3)
	VECTOR(4, 3)
	VECTOR(4, 3)
	VECTOR(4, 3)	// from EL0, where nothing runs
	VECTOR(4, 3)
	VECTOR(4, 3)
	VECTOR(4, 3)
	VECTOR(4, 3)
	VECTOR(4, 3)
	VECTOR(4, 3)
	VECTOR(4, 3)

// entry has the kind in R0 and the top of the stack in R1.
TEXT ·entry(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MRS	ESR_EL1, R2
	CBNZ	R0, trap
	LSR	$26, R2, R3
	CMP	$0x15, R3		// SVC
	BEQ	call
trap:
	SUB	$Frame__size, R1	// a multiple of 16
	MOVD	R0, Frame_Kind(R1)
	MOVD	R2, Frame_ESR(R1)
	MRS	FAR_EL1, R2
	MOVD	R2, Frame_FAR(R1)
	LDP	CPU_scratch(RSP), (R2, R3)
	STP	(R2, R3), (Frame_R+0)(R1)
	LDP	CPU_scratch+16(RSP), (R2, R3)
	STP	(R2, R3), (Frame_R+16)(R1)
	STP	(R4, R5), (Frame_R+32)(R1)
	STP	(R6, R7), (Frame_R+48)(R1)
	STP	(R8, R9), (Frame_R+64)(R1)
	STP	(R10, R11), (Frame_R+80)(R1)
	STP	(R12, R13), (Frame_R+96)(R1)
	STP	(R14, R15), (Frame_R+112)(R1)
	STP	(R16, R17), (Frame_R+128)(R1)
	STP	(R18_PLATFORM, R19), (Frame_R+144)(R1)
	STP	(R20, R21), (Frame_R+160)(R1)
	STP	(R22, R23), (Frame_R+176)(R1)
	STP	(R24, R25), (Frame_R+192)(R1)
	STP	(R26, R27), (Frame_R+208)(R1)
	STP	(g, R29), (Frame_R+224)(R1)
	MOVD	R30, (Frame_R+240)(R1)
	MRS	SP_EL0, R2
	MOVD	R2, Frame_Stack(R1)
	MRS	ELR_EL1, R2
	MOVD	R2, Frame_Next(R1)
	MRS	SPSR_EL1, R2
	MOVD	R2, Frame_State(R1)
	MRS	TPIDR_EL0, R2
	MOVD	R2, Frame_Thread(R1)
	MSR	ZR, TPIDR_EL0
	CBNZ	R2, foreign
	MOVD	g, R2
foreign:
	MOVD	R2, Frame_G(R1)
	MRS	FPCR, R2
	MOVD	R2, Frame_FPCR(R1)
	MRS	FPSR, R2
	MOVD	R2, Frame_FPSR(R1)
	ADD	$Frame_V, R1, R2
	FSTPQ	(F0, F1), 0(R2)
	FSTPQ	(F2, F3), 32(R2)
	FSTPQ	(F4, F5), 64(R2)
	FSTPQ	(F6, F7), 96(R2)
	FSTPQ	(F8, F9), 128(R2)
	FSTPQ	(F10, F11), 160(R2)
	FSTPQ	(F12, F13), 192(R2)
	FSTPQ	(F14, F15), 224(R2)
	FSTPQ	(F16, F17), 256(R2)
	FSTPQ	(F18, F19), 288(R2)
	FSTPQ	(F20, F21), 320(R2)
	FSTPQ	(F22, F23), 352(R2)
	FSTPQ	(F24, F25), 384(R2)
	FSTPQ	(F26, F27), 416(R2)
	FSTPQ	(F28, F29), 448(R2)
	FSTPQ	(F30, F31), 480(R2)

	CBNZ	R0, room
	MOVD	CPU_stacks(RSP), R2
	SUB	$const_faultRoom, R2
	MOVD	R2, CPU_stacks(RSP)
room:
	// g of the handler: other traps may strike while an interrupt's g is in use,
	// so they have another.
	MOVD	CPU_faultG(RSP), g
	CMP	$1, R0
	BNE	other
	MOVD	CPU_irqG(RSP), g
other:
	MSR	R1, SP_EL0
	MSR	$0, SPSel
	// FIQ may strike from here on, unless this is one; so may errors of memory.
	CMP	$2, R0
	BHS	masked
	MSR	$5, DAIFClr
masked:
	MSR	ZR, FPCR
	MOVD	$0, R29
	MOVD	R1, R0
	SUB	$32, RSP
	MOVD	R0, 8(RSP)
	MOVD	R0, 24(RSP)	// trap owns its argument and all registers, but not this
	BL	·trap(SB)
	MOVD	24(RSP), R1
	MASKALL

	ADD	$Frame_V, R1, R2
	FLDPQ	0(R2), (F0, F1)
	FLDPQ	32(R2), (F2, F3)
	FLDPQ	64(R2), (F4, F5)
	FLDPQ	96(R2), (F6, F7)
	FLDPQ	128(R2), (F8, F9)
	FLDPQ	160(R2), (F10, F11)
	FLDPQ	192(R2), (F12, F13)
	FLDPQ	224(R2), (F14, F15)
	FLDPQ	256(R2), (F16, F17)
	FLDPQ	288(R2), (F18, F19)
	FLDPQ	320(R2), (F20, F21)
	FLDPQ	352(R2), (F22, F23)
	FLDPQ	384(R2), (F24, F25)
	FLDPQ	416(R2), (F26, F27)
	FLDPQ	448(R2), (F28, F29)
	FLDPQ	480(R2), (F30, F31)
	MOVD	Frame_FPCR(R1), R2
	MSR	R2, FPCR
	MOVD	Frame_FPSR(R1), R2
	MSR	R2, FPSR
	MOVD	Frame_Thread(R1), R2
	MSR	R2, TPIDR_EL0
	// SP_EL0 can be written only while it is not in use.
	MSR	$1, SPSel
	MOVD	Frame_Kind(R1), R2
	CBNZ	R2, end
	MOVD	CPU_stacks(RSP), R2
	ADD	$const_faultRoom, R2
	MOVD	R2, CPU_stacks(RSP)
end:
	MOVD	Frame_Stack(R1), R2
	MSR	R2, SP_EL0
	MOVD	Frame_Next(R1), R2
	MSR	R2, ELR_EL1
	MOVD	Frame_State(R1), R2
	MSR	R2, SPSR_EL1
	MOVD	(Frame_R+240)(R1), R30
	LDP	(Frame_R+224)(R1), (g, R29)
	LDP	(Frame_R+208)(R1), (R26, R27)
	LDP	(Frame_R+192)(R1), (R24, R25)
	LDP	(Frame_R+176)(R1), (R22, R23)
	LDP	(Frame_R+160)(R1), (R20, R21)
	LDP	(Frame_R+144)(R1), (R18_PLATFORM, R19)
	LDP	(Frame_R+128)(R1), (R16, R17)
	LDP	(Frame_R+112)(R1), (R14, R15)
	LDP	(Frame_R+96)(R1), (R12, R13)
	LDP	(Frame_R+80)(R1), (R10, R11)
	LDP	(Frame_R+64)(R1), (R8, R9)
	LDP	(Frame_R+48)(R1), (R6, R7)
	LDP	(Frame_R+32)(R1), (R4, R5)
	LDP	(Frame_R+16)(R1), (R2, R3)
	LDP	(Frame_R+0)(R1), (R0, R1)
	ERET

	// SVC: it becomes a jump to syscallEntry, with the return address in R16. All
	// other registers are the caller's; nothing is masked that was not.
call:
	MRS	ELR_EL1, R16
	MOVD	$·syscallEntry(SB), R2
	MSR	R2, ELR_EL1
	LDP	CPU_scratch+16(RSP), (R2, R3)
	LDP	CPU_scratch(RSP), (R0, R1)
	ERET

// syscallEntry is the target of SVC. It becomes a call of the function that replaces SVC in the
// runtime's own code. The eight bytes below a caller's stack pointer are its saved frame pointer.
// Code that knows nothing of g gets, during the call, the g that TPIDR_EL0 holds for it.
TEXT ·syscallEntry(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	STP.W	(R16, R17), -64(RSP)
	MOVD	g, 16(RSP)
	MRS	TPIDR_EL0, R16
	MOVD	R16, 32(RSP)
	CBZ	R16, known
	MOVD	R16, g
	MSR	ZR, TPIDR_EL0
known:
	WORD	$0x10000051		// adr x17, .+8
	B	runtime·sched9Syscall(SB)
	MOVD	32(RSP), R16
	MSR	R16, TPIDR_EL0
	MOVD	16(RSP), g
	LDP.P	64(RSP), (R16, R17)
	B	(R16)

//go:build sched9

#include "go_asm.h"
#include "textflag.h"

// Entry from the boot loader: no address translation, no stack, interrupts off, no
// g, the device tree's address in R0. The kernel starts, then the runtime as from
// an operating system.
TEXT _rt0_arm64_linux(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	BL	sched9∕arch·Boot(SB)
	B	runtime·rt0_go(SB)

TEXT _rt0_arm64_linux_lib(SB),NOSPLIT|NOFRAME,$0
	UNDEF

// sched9StandIn gives the g that stands in for one an M that stands in for one. Boot
// calls it when memory is as it should be. It changes R1 and R2.
TEXT runtime·sched9StandIn(SB),NOSPLIT|NOFRAME,$0
	MOVD	$sched9∕arch·noG(SB), R1
	MOVD	$runtime·sched9NoM(SB), R2
	MOVD	R2, g_m(R1)
	MOVD	R1, m_g0(R2)
	RET

// What sched9Syscall keeps on the stack that it goes to, behind what it calls with:
// registers as their names say.
#define LEAF	80	// link register, seven arguments, result
#define KEEP(N)	(LEAF+8*N)(R16)
#define FRAME	(LEAF+8*34)

// sched9Syscall stands where the stock runtime has SVC, with the same registers:
// number in R8, arguments in R0 to R5, result or -errno in R0, all others but R16
// and R17 unchanged. The return address is in R17.
//
// On a goroutine's stack there may be no room, so it goes over to g0's, whose
// saved stack pointer says where that is free while a goroutine runs. From then
// on the M runs as g0: it is not preempted, and code with stack checks works.
// Only on g0, gsignal, or where there is no goroutine does it stay. Below the
// stack pointer a caller has its saved frame pointer, eight bytes.
TEXT runtime·sched9Syscall(SB),NOSPLIT|NOFRAME,$0
	STP	(R9, R10), -32(RSP)
	MOVD	g_m(g), R9
	MOVD	m_g0(R9), R10
	CMP	g, R10
	BEQ	here
	MOVD	m_gsignal(R9), R9
	CMP	g, R9
	BEQ	here
	MOVD	(g_sched+gobuf_sp)(R10), R16
	B	save
here:
	MOVD	g, R10
	SUB	$32, RSP, R16
save:
	AND	$~15, R16
	SUB	$FRAME, R16
	STP	(R1, R2), KEEP(0)
	STP	(R3, R4), KEEP(2)
	STP	(R5, R6), KEEP(4)
	STP	(R7, R8), KEEP(6)
	STP	(R11, R12), KEEP(8)
	STP	(R13, R14), KEEP(10)
	STP	(R15, R17), KEEP(12)
	STP	(R19, R20), KEEP(14)
	STP	(R21, R22), KEEP(16)
	STP	(R23, R24), KEEP(18)
	STP	(R25, R26), KEEP(20)
	STP	(R29, R30), KEEP(22)
	LDP	-32(RSP), (R11, R12)
	STP	(R11, R12), KEEP(24)	// R9 and R10
	MOVD	RSP, R9
	STP	(R9, g), KEEP(26)
	STP	(R8, R0), 8(R16)
	STP	(R1, R2), 24(R16)
	STP	(R3, R4), 40(R16)
	MOVD	R5, 56(R16)
	MOVD	R16, RSP
	MOVD	R10, g
	BL	runtime·sched9Leaf(SB)
	MOVD	RSP, R16
	MOVD	64(R16), R0
	LDP	KEEP(0), (R1, R2)
	LDP	KEEP(2), (R3, R4)
	LDP	KEEP(4), (R5, R6)
	LDP	KEEP(6), (R7, R8)
	LDP	KEEP(8), (R11, R12)
	LDP	KEEP(10), (R13, R14)
	LDP	KEEP(12), (R15, R17)
	LDP	KEEP(14), (R19, R20)
	LDP	KEEP(16), (R21, R22)
	LDP	KEEP(18), (R23, R24)
	LDP	KEEP(20), (R25, R26)
	LDP	KEEP(22), (R29, R30)
	LDP	KEEP(26), (R9, g)
	MOVD	R9, RSP
	LDP	KEEP(24), (R9, R10)
	B	(R17)

// func sched9Append(r *nrecord.Recorder, what, arg, aux uint64)
// record.Append, as record.Plain has it.
// The reservation is seen before any store to the slot: the first barrier. The tag is
// stored last, with release, so that a slot whose tag is new is whole. An interrupt
// between load and store of the reservation makes the store fail, and it is tried
// again. ISB keeps the clock behind what was done before (D12.2.1). Here and not in
// arch, because only this package may have assembly that is called with
// arguments in registers.
TEXT runtime·sched9Append<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-32
	MOVD	const_sched9HeadAt(R0), R4
again:
	LDXR	(R4), R5
	ADD	$1, R5, R6
	STXR	R6, (R4), R7
	CBNZ	R7, again
	DMB	$10			// ISHST
	MOVD	const_sched9MaskAt(R0), R6
	AND	R5, R6
	MOVD	const_sched9SlotsAt(R0), R7
	ADD	R6<<const_sched9SlotShift, R7
	LSR	$const_sched9MinRing, R5
	ADD	$1, R5
	ORR	R5<<const_sched9LapShift, R3
	ISB	$15
	MRS	CNTVCT_EL0, R5
	STP	(R5, R1), const_sched9StampAt(R7)
	MOVD	R2, const_sched9ArgAt(R7)
	ADD	$const_sched9TagAt, R7
	STLR	R3, (R7)
	RET

// func sched9Clock() uint64
// The recorder's clock.
TEXT runtime·sched9Clock<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-8
	ISB	$15
	MRS	CNTVCT_EL0, R0
	RET

// func nanotime1() int64
// The clock, as arch.Nanotime computes it: no call, any stack.
TEXT runtime·nanotime1(SB),NOSPLIT,$0-8
	ISB	$15
	MRS	CNTVCT_EL0, R0
	MOVD	sched9∕arch·countBase(SB), R1
	SUB	R1, R0
	MOVD	sched9∕arch·countMult(SB), R1
	MUL	R0, R1, R2
	UMULH	R0, R1, R3
	EXTR	$32, R2, R3, R0
	ADD	$1, R0
	MOVD	R0, ret+0(FP)
	RET

// func sched9CallForeign(pc, arg uintptr) uintptr
// The code is called as the procedure call standard has it (AAPCS64): argument and
// result in R0; it may change R0 to R18, and R28 as it likes while it runs, so
// TPIDR_EL0 tells traps which g this is.
TEXT runtime·sched9CallForeign(SB),NOSPLIT,$32-24
	MOVD	pc+0(FP), R1
	MOVD	arg+8(FP), R0
	MOVD	g, 24(RSP)
	MSR	g, TPIDR_EL0
	BL	(R1)
	MOVD	24(RSP), g
	MSR	ZR, TPIDR_EL0
	MOVD	R0, ret+16(FP)
	RET

// func sched9BorrowM(g0 *g)
TEXT runtime·sched9BorrowM(SB),NOSPLIT,$32-8
	MOVD	g, 24(RSP)	// the g that was, found again by the stack pointer
	MOVD	g0+0(FP), R0
	MOVD	R0, g
	MOVD	$back<>(SB), R1
	MOVD	R1, (g_sched+gobuf_pc)(g)
	MOVD	RSP, R1
	MOVD	R1, (g_sched+gobuf_sp)(g)
	MOVD	R29, (g_sched+gobuf_bp)(g)
	MOVD	ZR, (g_sched+gobuf_lr)(g)
	MOVD	g, (g_sched+gobuf_g)(g)
	BL	runtime·sched9NeedM(SB)
	UNDEF
	RET

// back is where gogo comes to, with stack and frame pointer as they were: in the
// frame that sched9BorrowM made, which it leaves as RET would.
TEXT back<>(SB),NOSPLIT|NOFRAME,$0
	MOVD	24(RSP), g
	MOVD	-8(RSP), R29
	MOVD	0(RSP), R30
	ADD	$48, RSP
	RET

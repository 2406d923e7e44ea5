//go:build sched9

#include "go_asm.h"
#include "go_tls.h"
#include "textflag.h"

// Entry from the boot stub: 64-bit mode, the boot stack, interrupts off, no g.
// The g that stands in for one gets an M that stands in for one, then the
// kernel starts, then the runtime as from an operating system.
TEXT _rt0_amd64_linux(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	LEAQ	sched9∕arch·noG(SB), R14
	LEAQ	runtime·sched9NoM(SB), AX
	MOVQ	AX, g_m(R14)
	MOVQ	R14, m_g0(AX)
	CALL	sched9∕arch·Boot(SB)
	JMP	runtime·rt0_go(SB)

TEXT _rt0_amd64_linux_lib(SB),NOSPLIT|NOFRAME,$0
	INT	$3

// sched9Syscall stands where the stock runtime has SYSCALL, with the same
// registers: number in AX, arguments in DI, SI, DX, R10, R8, R9, result or
// -errno in AX, all others but CX and R11 unchanged.
//
// On a goroutine's stack there may be no room, so it goes over to g0's, whose
// saved stack pointer says where that is free while a goroutine runs. From then
// on the M runs as g0: it is not preempted, and code with stack checks works.
// Only on g0, gsignal, or where there is no goroutine does it stay.
TEXT runtime·sched9Syscall(SB),NOSPLIT|NOFRAME,$0
	PUSHQ	BP
	MOVQ	SP, BP
	PUSHQ	BX
	PUSHQ	DX
	PUSHQ	SI
	PUSHQ	DI
	PUSHQ	R8
	PUSHQ	R9
	PUSHQ	R10
	PUSHQ	R12
	PUSHQ	R13
	PUSHQ	R14
	PUSHQ	R15
	MOVQ	SP, R12
	get_tls(CX)
	MOVQ	g(CX), R13
	MOVQ	g_m(R13), BX
	MOVQ	m_g0(BX), R14
	CMPQ	R13, R14
	JEQ	here
	CMPQ	R13, m_gsignal(BX)
	JEQ	here
	MOVQ	(g_sched+gobuf_sp)(R14), SP
	MOVQ	R14, g(CX)
here:
	ANDQ	$~15, SP
	SUBQ	$80, SP
	MOVQ	AX, 0(SP)
	MOVQ	DI, 8(SP)
	MOVQ	SI, 16(SP)
	MOVQ	DX, 24(SP)
	MOVQ	R10, 32(SP)
	MOVQ	R8, 40(SP)
	MOVQ	R9, 48(SP)
	MOVQ	R12, 64(SP)
	MOVQ	R13, 72(SP)
	CALL	runtime·sched9Leaf(SB)
	MOVQ	56(SP), AX
	MOVQ	72(SP), R13
	MOVQ	64(SP), SP
	get_tls(CX)
	MOVQ	R13, g(CX)
	POPQ	R15
	POPQ	R14
	POPQ	R13
	POPQ	R12
	POPQ	R10
	POPQ	R9
	POPQ	R8
	POPQ	DI
	POPQ	SI
	POPQ	DX
	POPQ	BX
	POPQ	BP
	XORPS	X15, X15
	RET

// func sched9Append(r *nrecord.Recorder, what, arg, aux uint64)
// record.Append, as record.Plain has it.
// XADD reserves before any store to the slot is seen, and stores are seen in
// their order, so that a slot whose tag is new is whole. LFENCE keeps the clock
// behind what was done before (SDM 2B, RDTSC). Here and not in arch, because
// only this package may have assembly that is called with arguments in registers.
TEXT runtime·sched9Append<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-32
	MOVQ	const_sched9HeadAt(AX), R8
	MOVL	$1, R9
	LOCK
	XADDQ	R9, 0(R8)
	MOVQ	const_sched9MaskAt(AX), R10
	ANDQ	R9, R10
	SHLQ	$const_sched9SlotShift, R10
	ADDQ	const_sched9SlotsAt(AX), R10
	SHRQ	$const_sched9MinRing, R9
	INCQ	R9
	SHLQ	$const_sched9LapShift, R9
	ORQ	DI, R9
	MOVQ	BX, const_sched9WhatAt(R10)
	MOVQ	CX, const_sched9ArgAt(R10)
	LFENCE
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, const_sched9StampAt(R10)
	MOVQ	R9, const_sched9TagAt(R10)
	RET

// func sched9Clock() uint64
// The recorder's clock.
TEXT runtime·sched9Clock<ABIInternal>(SB),NOSPLIT|NOFRAME,$0-8
	LFENCE
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	RET

// func nanotime1() int64
// The clock, as arch.Nanotime computes it: no call, any stack.
TEXT runtime·nanotime1(SB),NOSPLIT,$0-8
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	SUBQ	sched9∕arch·countBase(SB), AX
	MULQ	sched9∕arch·countMult(SB)
	SHRQ	$32, DX, AX
	INCQ	AX
	MOVQ	AX, ret+0(FP)
	RET

// settls makes DI plus 8 the thread pointer: FS base (SDM 4), with g 8 bytes below.
TEXT runtime·settls(SB),NOSPLIT,$0
	ADDQ	$8, DI
	MOVQ	DI, AX
	MOVQ	DI, DX
	SHRQ	$32, DX
	MOVL	$0xc0000100, CX
	WRMSR
	RET

// func sched9CallForeign(pc, arg uintptr) uintptr
// The code is called as the System V ABI has it: argument in DI, result in AX, stack
// aligned; it may change all registers that this ABI lets it, and DF is clear.
TEXT runtime·sched9CallForeign(SB),NOSPLIT,$0-24
	MOVQ	pc+0(FP), AX
	MOVQ	arg+8(FP), DI
	MOVQ	SP, BX
	ANDQ	$~15, SP
	CALL	AX
	MOVQ	BX, SP
	CLD
	XORPS	X15, X15
	MOVQ	AX, ret+16(FP)
	RET

// func sched9BorrowM(g0 *g)
TEXT runtime·sched9BorrowM(SB),NOSPLIT,$16-8
	get_tls(CX)
	MOVQ	g(CX), AX
	MOVQ	AX, 0(SP)	// the g that was, found again by SP
	MOVQ	g0+0(FP), R14
	MOVQ	R14, g(CX)
	LEAQ	back<>(SB), AX
	MOVQ	AX, (g_sched+gobuf_pc)(R14)
	MOVQ	SP, (g_sched+gobuf_sp)(R14)
	MOVQ	BP, (g_sched+gobuf_bp)(R14)
	MOVQ	R14, (g_sched+gobuf_g)(R14)
	CALL	runtime·sched9NeedM(SB)
	INT	$3
	RET

// back is where gogo comes to, with SP and BP as they were.
TEXT back<>(SB),NOSPLIT|NOFRAME,$0
	get_tls(CX)
	MOVQ	0(SP), R14
	MOVQ	R14, g(CX)
	XORPS	X15, X15
	MOVQ	16(SP), BP	// the frame that sched9BorrowM made
	LEAQ	24(SP), SP
	RET

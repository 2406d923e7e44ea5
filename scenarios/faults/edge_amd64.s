#include "textflag.h"

// func edge() (errno uintptr)
// The stack is elsewhere during the call, which would use the page that it takes away.
TEXT ·edge(SB),NOSPLIT|NOFRAME,$0-8
	MOVQ	SP, R12
	MOVQ	SP, DI
	ANDQ	$~4095, DI
	SUBQ	$4096, DI
	MOVQ	$4096, SI
	MOVQ	$4, DX			// MADV_DONTNEED
	MOVQ	$28, AX			// madvise
	LEAQ	·elsewhere+4096(SB), SP
	SYSCALL
	MOVQ	R12, SP
	JMP	·readNil(SB)

// readNil is the rest of edge: a function that changes SP cannot panic.
TEXT ·readNil(SB),NOSPLIT|NOFRAME,$0-8
	TESTQ	AX, AX
	JNZ	failed
	MOVL	(AX), AX
failed:
	NEGQ	AX
	MOVQ	AX, errno+0(FP)
	RET

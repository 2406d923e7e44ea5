#include "textflag.h"

// func edge() (errno uintptr)
// The stack is elsewhere during the call, which would use the page that it takes away. The
// caller has its frame pointer in the word below the stack pointer.
TEXT ·edge(SB),NOSPLIT|NOFRAME,$0-8
	MOVD	RSP, R19
	SUB	$8, R19, R0
	AND	$~4095, R0
	SUB	$4096, R0
	MOVD	$4096, R1
	MOVD	$4, R2			// MADV_DONTNEED
	MOVD	$233, R8		// madvise
	MOVD	$·elsewhere+4096(SB), R3
	MOVD	R3, RSP
	SVC
	MOVD	R19, RSP
	B	·readNil(SB)

// readNil is the rest of edge: a function that changes SP cannot panic.
TEXT ·readNil(SB),NOSPLIT|NOFRAME,$0-8
	CBNZ	R0, failed
	MOVWU	(R0), R0
failed:
	NEG	R0, R0
	MOVD	R0, errno+0(FP)
	RET

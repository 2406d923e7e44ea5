#include "textflag.h"

// func call(num, a, b, c uintptr) (r uintptr, kept bool)
TEXT ·call(SB),NOSPLIT,$0-41
	MOVQ	num+0(FP), AX
	MOVQ	a+8(FP), DI
	MOVQ	b+16(FP), SI
	MOVQ	c+24(FP), DX
	MOVQ	$0x1111, BX
	MOVQ	$0x8888, R8
	MOVQ	$0x9999, R9
	MOVQ	$0x1010, R10
	MOVQ	$0x1212, R12
	MOVQ	$0x1313, R13
	MOVQ	SP, R15
	SYSCALL
	MOVQ	AX, r+32(FP)
	MOVB	$0, kept+40(FP)
	CMPQ	BX, $0x1111
	JNE	lost
	CMPQ	R8, $0x8888
	JNE	lost
	CMPQ	R9, $0x9999
	JNE	lost
	CMPQ	R10, $0x1010
	JNE	lost
	CMPQ	R12, $0x1212
	JNE	lost
	CMPQ	R13, $0x1313
	JNE	lost
	CMPQ	R15, SP
	JNE	lost
	CMPQ	DI, a+8(FP)
	JNE	lost
	CMPQ	SI, b+16(FP)
	JNE	lost
	CMPQ	DX, c+24(FP)
	JNE	lost
	MOVB	$1, kept+40(FP)
lost:
	RET

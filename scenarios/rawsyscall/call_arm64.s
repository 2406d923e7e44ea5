#include "textflag.h"

// func call(num, a, b, c uintptr) (r uintptr, kept bool)
// A leaf without a frame: the return address is where the call left it.
TEXT ·call(SB),NOSPLIT,$0-41
	MOVD	num+0(FP), R8
	MOVD	a+8(FP), R0
	MOVD	b+16(FP), R1
	MOVD	c+24(FP), R2
	MOVD	$0x3333, R3
	MOVD	$0x5555, R5
	MOVD	$0x9999, R9
	MOVD	$0x1010, R10
	MOVD	$0x1717, R17
	MOVD	$0x1919, R19
	MOVD	$0x2626, R26
	MOVD	RSP, R20
	MOVD	R30, R21
	MOVD	R29, R22
	MOVD	g, R23
	SVC
	MOVD	R0, r+32(FP)
	MOVB	ZR, kept+40(FP)
	CMP	$0x3333, R3
	BNE	lost
	CMP	$0x5555, R5
	BNE	lost
	CMP	$0x9999, R9
	BNE	lost
	CMP	$0x1010, R10
	BNE	lost
	CMP	$0x1717, R17
	BNE	lost
	CMP	$0x1919, R19
	BNE	lost
	CMP	$0x2626, R26
	BNE	lost
	MOVD	RSP, R4
	CMP	R4, R20
	BNE	lost
	CMP	R30, R21
	BNE	lost
	CMP	R29, R22
	BNE	lost
	CMP	g, R23
	BNE	lost
	MOVD	num+0(FP), R4
	CMP	R4, R8
	BNE	lost
	MOVD	b+16(FP), R4
	CMP	R4, R1
	BNE	lost
	MOVD	c+24(FP), R4
	CMP	R4, R2
	BNE	lost
	MOVD	$1, R4
	MOVB	R4, kept+40(FP)
lost:
	RET

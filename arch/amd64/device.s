#include "textflag.h"

// Accesses to devices. All are leaves: NOSPLIT, no frame.

// func In32(port uint16) uint32
TEXT ·In32(SB),NOSPLIT,$0-12
	MOVW	port+0(FP), DX
	INL
	MOVL	AX, ret+8(FP)
	RET

// func Read8(addr uintptr) uint8
TEXT ·Read8(SB),NOSPLIT,$0-9
	MOVQ	addr+0(FP), AX
	MOVB	(AX), AX
	MOVB	AX, ret+8(FP)
	RET

// func Read16(addr uintptr) uint16
TEXT ·Read16(SB),NOSPLIT,$0-10
	MOVQ	addr+0(FP), AX
	MOVW	(AX), AX
	MOVW	AX, ret+8(FP)
	RET

// func Read32(addr uintptr) uint32
TEXT ·Read32(SB),NOSPLIT,$0-12
	MOVQ	addr+0(FP), AX
	MOVL	(AX), AX
	MOVL	AX, ret+8(FP)
	RET

// func Write8(addr uintptr, v uint8)
TEXT ·Write8(SB),NOSPLIT,$0-9
	MOVQ	addr+0(FP), AX
	MOVB	v+8(FP), DX
	MOVB	DX, (AX)
	RET

// func Write16(addr uintptr, v uint16)
TEXT ·Write16(SB),NOSPLIT,$0-10
	MOVQ	addr+0(FP), AX
	MOVW	v+8(FP), DX
	MOVW	DX, (AX)
	RET

// func Write32(addr uintptr, v uint32)
TEXT ·Write32(SB),NOSPLIT,$0-12
	MOVQ	addr+0(FP), AX
	MOVL	v+8(FP), DX
	MOVL	DX, (AX)
	RET

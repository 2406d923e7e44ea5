
#include "textflag.h"

// Accesses to devices. All are leaves: NOSPLIT, no frame. There is a barrier before a write, for
// all earlier stores, and after a read, for all later loads (DMB of the outer domain, which devices
// belong to: OSHST and OSHLD).
#define OSHLD	$1
#define OSHST	$2

// func Read8(addr uintptr) uint8
TEXT ·Read8(SB),NOSPLIT,$0-9
	MOVD	addr+0(FP), R0
	MOVBU	(R0), R0
	DMB	OSHLD
	MOVB	R0, ret+8(FP)
	RET

// func Read16(addr uintptr) uint16
TEXT ·Read16(SB),NOSPLIT,$0-10
	MOVD	addr+0(FP), R0
	MOVHU	(R0), R0
	DMB	OSHLD
	MOVH	R0, ret+8(FP)
	RET

// func Read32(addr uintptr) uint32
TEXT ·Read32(SB),NOSPLIT,$0-12
	MOVD	addr+0(FP), R0
	MOVWU	(R0), R0
	DMB	OSHLD
	MOVW	R0, ret+8(FP)
	RET

// func Write8(addr uintptr, v uint8)
TEXT ·Write8(SB),NOSPLIT,$0-9
	MOVD	addr+0(FP), R0
	MOVBU	v+8(FP), R1
	DMB	OSHST
	MOVB	R1, (R0)
	RET

// func Write16(addr uintptr, v uint16)
TEXT ·Write16(SB),NOSPLIT,$0-10
	MOVD	addr+0(FP), R0
	MOVHU	v+8(FP), R1
	DMB	OSHST
	MOVH	R1, (R0)
	RET

// func Write32(addr uintptr, v uint32)
TEXT ·Write32(SB),NOSPLIT,$0-12
	MOVD	addr+0(FP), R0
	MOVWU	v+8(FP), R1
	DMB	OSHST
	MOVW	R1, (R0)
	RET

#include "textflag.h"

// Accesses to devices. All are leaves: NOSPLIT, no frame. Addresses below PORTS are
// ports.
#define PORTS	$0x10000

// func in32(port uint16) uint32
TEXT ·in32(SB),NOSPLIT,$0-12
	MOVW	port+0(FP), DX
	INL
	MOVL	AX, ret+8(FP)
	RET

// func Read8(addr uintptr) uint8
TEXT ·Read8(SB),NOSPLIT,$0-9
	MOVQ	addr+0(FP), DX
	CMPQ	DX, PORTS
	JB	port
	MOVB	(DX), AX
	MOVB	AX, ret+8(FP)
	RET
port:
	INB
	MOVB	AX, ret+8(FP)
	RET

// func Read16(addr uintptr) uint16
TEXT ·Read16(SB),NOSPLIT,$0-10
	MOVQ	addr+0(FP), DX
	CMPQ	DX, PORTS
	JB	port
	MOVW	(DX), AX
	MOVW	AX, ret+8(FP)
	RET
port:
	INW
	MOVW	AX, ret+8(FP)
	RET

// func Read32(addr uintptr) uint32
TEXT ·Read32(SB),NOSPLIT,$0-12
	MOVQ	addr+0(FP), DX
	CMPQ	DX, PORTS
	JB	port
	MOVL	(DX), AX
	MOVL	AX, ret+8(FP)
	RET
port:
	INL
	MOVL	AX, ret+8(FP)
	RET

// func Write8(addr uintptr, v uint8)
TEXT ·Write8(SB),NOSPLIT,$0-9
	MOVQ	addr+0(FP), DX
	MOVB	v+8(FP), AX
	CMPQ	DX, PORTS
	JB	port
	MOVB	AX, (DX)
	RET
port:
	OUTB
	RET

// func Write16(addr uintptr, v uint16)
TEXT ·Write16(SB),NOSPLIT,$0-10
	MOVQ	addr+0(FP), DX
	MOVW	v+8(FP), AX
	CMPQ	DX, PORTS
	JB	port
	MOVW	AX, (DX)
	RET
port:
	OUTW
	RET

// func Write32(addr uintptr, v uint32)
TEXT ·Write32(SB),NOSPLIT,$0-12
	MOVQ	addr+0(FP), DX
	MOVL	v+8(FP), AX
	CMPQ	DX, PORTS
	JB	port
	MOVL	AX, (DX)
	RET
port:
	OUTL
	RET

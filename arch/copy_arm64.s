
#include "textflag.h"

// Accesses that may fault for good. The instructions that may are the first ones of a
// function of its own, which has no frame: Frame.Mend knows them by their addresses, and
// returns from the function in their place, with the registers as they are.

// func Copy(to, from unsafe.Pointer, n uintptr) (left uintptr)
// R2 counts the bytes that are not stored yet. An access that faults leaves its address register as
// it was (D1.3.6); if it was the store, the load is done again. The bytes are moved last, from
// where the pairs stopped: so left is exact.
TEXT ·Copy(SB),NOSPLIT,$16-32
	MOVD	to+0(FP), R0
	MOVD	from+8(FP), R1
	MOVD	n+16(FP), R5
	LSR	$4, R5, R2
	CBZ	R2, bytes
	BL	·copyPairs(SB)
	// Both ends follow from the count, even if the load was done and the store not.
	LSR	$4, R5, R3
	SUB	R2, R3
	LSL	$4, R3
	SUB	R3, R5
	MOVD	to+0(FP), R0
	ADD	R3, R0
	MOVD	from+8(FP), R1
	ADD	R3, R1
bytes:
	MOVD	R5, R2
	CBZ	R2, done
	BL	·copyBytes(SB)
done:
	MOVD	R2, left+24(FP)
	RET

TEXT ·copyPairs(SB),NOSPLIT|NOFRAME,$0
again:
	LDP.P	16(R1), (R3, R4)
	STP.P	(R3, R4), 16(R0)
	SUBS	$1, R2
	BNE	again
	RET

TEXT ·copyBytes(SB),NOSPLIT|NOFRAME,$0
again:
	MOVBU.P	1(R1), R3
	MOVB.P	R3, 1(R0)
	SUBS	$1, R2
	BNE	again
	RET

// func Load(p unsafe.Pointer) (v uint32, ok bool)
TEXT ·Load(SB),NOSPLIT,$16-13
	MOVD	p+0(FP), R0
	MOVD	$0, R2
	BL	·loadWord(SB)
	MOVW	R1, v+8(FP)
	MOVB	R2, ok+12(FP)
	RET

TEXT ·loadWord(SB),NOSPLIT|NOFRAME,$0
	LDARW	(R0), R1
	MOVD	$1, R2
	RET

// func mayFault() (pairs, bytes, word uintptr)
TEXT ·mayFault(SB),NOSPLIT,$0-24
	MOVD	$·copyPairs(SB), R0
	MOVD	R0, pairs+0(FP)
	MOVD	$·copyBytes(SB), R0
	MOVD	R0, bytes+8(FP)
	MOVD	$·loadWord(SB), R0
	MOVD	R0, word+16(FP)
	RET

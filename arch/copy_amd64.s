#include "textflag.h"

// Accesses that may fault for good. The instruction that may is the first of a
// function of its own, which has no frame: Frame.Mend knows it by its address, and
// returns from the function in its place, with the registers as they are.

// func Copy(to, from unsafe.Pointer, n uintptr) (left uintptr)
// When a string instruction faults, CX holds the rest of its count (SDM 2B, REP). The bytes are
// moved last, from where the words stopped: so left is exact.
TEXT ·Copy(SB),NOSPLIT,$0-32
	MOVQ	to+0(FP), DI
	MOVQ	from+8(FP), SI
	MOVQ	n+16(FP), DX
	CLD
	MOVQ	DX, CX
	SHRQ	$3, CX
	ANDQ	$7, DX
	CALL	·copyWords(SB)
	LEAQ	(DX)(CX*8), CX
	CALL	·copyBytes(SB)
	MOVQ	CX, left+24(FP)
	RET

TEXT ·copyWords(SB),NOSPLIT|NOFRAME,$0
	REP; MOVSQ
	RET

TEXT ·copyBytes(SB),NOSPLIT|NOFRAME,$0
	REP; MOVSB
	RET

// func Load(p unsafe.Pointer) (v uint32, ok bool)
TEXT ·Load(SB),NOSPLIT,$0-13
	MOVQ	p+0(FP), SI
	XORL	CX, CX
	CALL	·loadWord(SB)
	MOVL	AX, v+8(FP)
	MOVB	CX, ok+12(FP)
	RET

TEXT ·loadWord(SB),NOSPLIT|NOFRAME,$0
	MOVL	(SI), AX
	INCL	CX
	RET

// func mayFault() (words, bytes, word uintptr)
TEXT ·mayFault(SB),NOSPLIT,$0-24
	LEAQ	·copyWords(SB), AX
	MOVQ	AX, words+0(FP)
	LEAQ	·copyBytes(SB), AX
	MOVQ	AX, bytes+8(FP)
	LEAQ	·loadWord(SB), AX
	MOVQ	AX, word+16(FP)
	RET

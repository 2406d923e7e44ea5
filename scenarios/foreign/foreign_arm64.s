#include "textflag.h"

// Foreign code: it knows nothing of goroutines, stacks that move, or the scheduler.
// It is called as the procedure call standard has it, with its argument in R0, and
// uses R28, which to Go is g, for its own purposes.

// hold counts rounds at R0+8 until there is something at R0, and returns the count.
TEXT ·hold(SB),NOSPLIT|NOFRAME,$0
	STP.W	(g, R30), -16(RSP)
	MOVD	R0, g
again:
	MOVD	8(g), R1
	ADD	$1, R1
	MOVD	R1, 8(g)
	YIELD
	MOVD	(g), R2
	CBZ	R2, again
	MOVD	R1, R0
	LDP.P	16(RSP), (g, R30)
	RET

// device calls back as often as R0 says, with the number of the call, and writes at
// R0+8 how many calls came back.
TEXT ·device(SB),NOSPLIT|NOFRAME,$0
	STP.W	(R19, R20), -32(RSP)
	STP	(g, R30), 16(RSP)
	MOVD	R0, R19
	MOVD	$0, R20
	MOVD	$0x666, g
again:
	MOVD	(R19), R1
	CMP	R1, R20
	BGE	done
	MOVD	$0x9002, R8
	MOVD	R20, R0
	SVC
	CBNZ	R0, done
	CMP	$0x666, g
	BNE	done
	ADD	$1, R20
	MOVD	R20, 8(R19)
	B	again
done:
	LDP	16(RSP), (g, R30)
	LDP.P	32(RSP), (R19, R20)
	RET

// deeper calls itself until there is no stack.
TEXT ·deeper(SB),NOSPLIT|NOFRAME,$0
	MOVD.W	R30, -16(RSP)
	MOVD	$·deeper(SB), R1
	BL	(R1)
	MOVD.P	16(RSP), R30
	RET

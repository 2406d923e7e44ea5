#include "textflag.h"

// later counts down from the number at R0, and then calls Go once with 42. Its caller follows the
// procedure call standard.
TEXT ·later(SB),NOSPLIT|NOFRAME,$0
	MOVD	(R0), R1
again:
	SUBS	$1, R1
	BNE	again
	MOVD	$0x9002, R8
	MOVD	$42, R0
	SVC
	RET

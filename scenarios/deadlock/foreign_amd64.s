#include "textflag.h"

// later counts down from the number at DI, and then calls Go once with 42. Its caller follows the
// System V ABI.
TEXT ·later(SB),NOSPLIT|NOFRAME,$0
	MOVQ	(DI), AX
again:
	DECQ	AX
	JNZ	again
	MOVL	$0x9002, AX
	MOVL	$42, DI
	SYSCALL
	RET

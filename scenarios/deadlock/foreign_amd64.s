#include "textflag.h"

// later counts down from what it finds at DI, and then calls Go once with 42. It is
// called as the System V ABI has it.
TEXT ·later(SB),NOSPLIT|NOFRAME,$0
	MOVQ	(DI), AX
again:
	DECQ	AX
	JNZ	again
	MOVL	$0x9002, AX
	MOVL	$42, DI
	SYSCALL
	RET

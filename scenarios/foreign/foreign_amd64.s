#include "textflag.h"

// Foreign code: it knows nothing of goroutines, stacks that move, or the scheduler.
// It is called as the System V ABI has it, with its argument in DI.

// hold counts rounds at DI+8 until there is something at DI, and returns the count.
TEXT ·hold(SB),NOSPLIT|NOFRAME,$0
again:
	MOVQ	8(DI), AX
	INCQ	AX
	MOVQ	AX, 8(DI)
	PAUSE
	MOVQ	(DI), DX
	TESTQ	DX, DX
	JZ	again
	RET

// device calls back as often as DI says, with the number of the call, and writes at
// DI+8 how many calls came back.
TEXT ·device(SB),NOSPLIT|NOFRAME,$0
	PUSHQ	BX
	PUSHQ	R12
	MOVQ	DI, R12
	XORL	BX, BX
again:
	CMPQ	BX, (R12)
	JGE	done
	MOVL	$0x9002, AX
	MOVQ	BX, DI
	SYSCALL
	TESTQ	AX, AX
	JNZ	done
	INCQ	BX
	MOVQ	BX, 8(R12)
	JMP	again
done:
	POPQ	R12
	POPQ	BX
	RET

// deeper calls itself until there is no stack.
TEXT ·deeper(SB),NOSPLIT|NOFRAME,$0
	LEAQ	·deeper(SB), AX
	CALL	AX
	RET

#include "textflag.h"

// deeper calls itself until there is no stack.
TEXT ·deeper(SB),NOSPLIT|NOFRAME,$0
	LEAQ	·deeper(SB), AX
	CALL	AX
	RET

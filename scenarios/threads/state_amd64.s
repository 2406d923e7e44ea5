#include "textflag.h"

// func sse() uint32
TEXT ·sse(SB),NOSPLIT,$0-4
	STMXCSR	ret+0(FP)
	RET

// func setSSE(v uint32)
TEXT ·setSSE(SB),NOSPLIT,$0-4
	LDMXCSR	v+0(FP)
	RET

// func x87() uint16
TEXT ·x87(SB),NOSPLIT,$0-2
	FSTCW	ret+0(FP)
	RET

// func setX87(v uint16)
TEXT ·setX87(SB),NOSPLIT,$0-2
	FLDCW	v+0(FP)
	RET

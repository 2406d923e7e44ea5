#include "textflag.h"

// func illegal()
TEXT ·illegal(SB),NOSPLIT,$0-0
	UNDEF
	RET

// func abort()
TEXT ·abort(SB),NOSPLIT,$16-0
	CALL	runtime·abort(SB)
	RET

#include "textflag.h"

// func vector()
// LDTILECFG (SDM 2A) wants a state that is not enabled.
TEXT ·vector(SB),NOSPLIT,$64-0
	MOVQ	SP, AX
	BYTE	$0xc4; BYTE $0xe2; BYTE $0x78; BYTE $0x49; BYTE $0x00
	RET

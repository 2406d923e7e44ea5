#include "textflag.h"

// func base() uint64
TEXT ·base(SB),NOSPLIT,$0-8
	MOVL $0x1b, CX
	RDMSR
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET

// func id() uint64
TEXT ·id(SB),NOSPLIT,$0-8
	MOVL $0x802, CX
	RDMSR
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET

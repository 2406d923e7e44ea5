#include "textflag.h"

// func skew(by uint64)
// IA32_TSC_ADJUST.
TEXT ·skew(SB),NOSPLIT,$0-8
	MOVL  $0x3b, CX
	RDMSR
	SHLQ  $32, DX
	ORQ   DX, AX
	ADDQ  by+0(FP), AX
	MOVQ  AX, DX
	SHRQ  $32, DX
	WRMSR
	RET

#include "textflag.h"

// Where an image that UEFI has started takes leave of it (UEFI 2.10, 2.3.6: at EL2 or EL1, memory mapped one to one, a stack, AAPCS64).

// Offsets in UEFI's structures, and in what the kernel finds (package efi); boot/efi_test.go compares them.
#define CONOUT		64
#define SERVICES	96
#define TABLECOUNT	104
#define TABLEARRAY	112

#define ALLOCATEPAGES	40
#define GETMEMORYMAP	56
#define HANDLE		152
#define RUNTIME		88
#define GETTIME		24
#define EXIT		216
#define EXITSERVICES	232

#define OUTPUTSTRING	8

#define OPTIONSSIZE	48
#define OPTIONS		56

#define MAPSIZE		0x20
#define ENTRY		0x28
#define TABLES		0x30
#define TIME		0x68
#define TABLESAT	0x200
#define MAXTABLES	64
#define OPTIONSAT	0x800
#define MAXOPTIONS	0x7ff
#define MAPAT		0x1000
#define MAXMAP		0x10000
#define DATASIZE	0x11000

DATA ·loadedImage+0(SB)/8, $0x11d295625b1b31a1
DATA ·loadedImage+8(SB)/8, $0x3b7269c9a0003f8e
GLOBL ·loadedImage(SB), RODATA, $16

// CALL calls a function of the boot services.
#define CALL(SERVICE) \
	MOVD	SERVICE(R23), R16; \
	BL	(R16)

// efi keeps what only the firmware's services tell, in memory that it gets from them, and ends them. R0 is the image's handle, R1 the system
// table; R24 becomes the memory's address, which holds what package efi says. Interrupts are masked when it returns. It preserves R20 and R21.
// If the firmware refuses, it says so on its console and gives the machine back.
TEXT ·efi(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	SUB	$48, RSP
	MOVD	LR, 40(RSP)
	MOVD	R0, R19
	MOVD	R1, R22
	MOVD	SERVICES(R22), R23

	MOVD	$0, R0			// anywhere
	MOVD	$2, R1			// loader's data
	MOVD	$(DATASIZE/4096), R2
	ADD	$8, RSP, R3
	CALL(ALLOCATEPAGES)
	CBNZ	R0, fail
	MOVD	8(RSP), R24
	MOVD	R24, R1
	ADD	$DATASIZE, R24, R2
blank:
	STP.P	(ZR, ZR), 16(R1)
	CMP	R2, R1
	BLO	blank

	// The load options, if there are any, become bytes.
	MOVD	R19, R0
	MOVD	$·loadedImage(SB), R1
	ADD	$8, RSP, R2
	CALL(HANDLE)
	CBNZ	R0, noOptions
	MOVD	8(RSP), R1
	MOVD	OPTIONS(R1), R3
	CBZ	R3, noOptions
	MOVWU	OPTIONSSIZE(R1), R2
	LSR	$1, R2
	CMP	$MAXOPTIONS, R2
	BLS	few
	MOVD	$MAXOPTIONS, R2
few:
	ADD	$OPTIONSAT, R24, R4
option:
	CBZ	R2, noOptions
	MOVHU.P	2(R3), R5
	CMP	$255, R5
	BLS	byte
	MOVD	$0x3f, R5		// ?
byte:
	MOVB.P	R5, 1(R4)
	SUB	$1, R2
	B	option
noOptions:

	// The table of tables.
	MOVD	TABLECOUNT(R22), R1
	CMP	$MAXTABLES, R1
	BLS	fewTables
	MOVD	$MAXTABLES, R1
fewTables:
	MOVD	R1, TABLES(R24)
	MOVD	TABLEARRAY(R22), R2
	ADD	$TABLESAT, R24, R3
table:
	CBZ	R1, noTables
	MOVD.P	8(R2), R4
	MOVD.P	R4, 8(R3)
	MOVD.P	8(R2), R4
	MOVD.P	R4, 8(R3)
	MOVD.P	8(R2), R4
	MOVD.P	R4, 8(R3)
	SUB	$1, R1
	B	table
noTables:

	// The time; if there is none it stays 0.
	ADD	$TIME, R24, R0
	MOVD	$0, R1
	MOVD	RUNTIME(R22), R2
	MOVD	GETTIME(R2), R16
	BL	(R16)

	// The services end if the map is still the one that was read last; the first try may change it (7.4.6).
	MOVD	$8, R26
again:
	MOVD	$MAXMAP, R0
	MOVD	R0, MAPSIZE(R24)
	ADD	$MAPSIZE, R24, R0
	ADD	$MAPAT, R24, R1
	ADD	$8, RSP, R2
	ADD	$ENTRY, R24, R3
	ADD	$16, RSP, R4
	CALL(GETMEMORYMAP)
	CBNZ	R0, fail
	MOVD	R19, R0
	MOVD	8(RSP), R1
	CALL(EXITSERVICES)
	CBZ	R0, ended
	SUB	$1, R26
	CBNZ	R26, again

fail:
	MOVD	R0, R25
	MOVD	CONOUT(R22), R0
	CBZ	R0, unsaid
	MOVD	$·efiMessage(SB), R1
	MOVD	OUTPUTSTRING(R0), R16
	BL	(R16)
unsaid:
	MOVD	R19, R0
	MOVD	R25, R1
	MOVD	$0, R2
	MOVD	$0, R3
	CALL(EXIT)
stop:
	WFI
	B	stop

ended:
	MSR	$15, DAIFSet
	MOVD	40(RSP), LR
	ADD	$48, RSP
	RET


#include "go_asm.h"
#include "textflag.h"

// The way of a processor from where the loader or the firmware leaves it, at EL2 or EL1, without
// address translation, to Go code.
//
// Until translation is on, the code runs wherever the image lies. MOVD $x(SB) and branches are relative to the program counter, so they lead
// to where x is; what the image builder wrote, and a word with an address, is linked addresses. OFFSET is the difference.
//
// Caches. The loader has cleaned the image to the point of coherency, and has made sure that no instruction cache holds what was at its
// place before (Linux, booting.rst; UEFI's LoadImage and arch/efi_arm64.s). Without translation, loads and stores go past the data caches to
// memory (D8.2.12). So:
//
//   - Instructions and constants are in memory as they are in the file, for the boot processor and for each that is started later. The word
//     of Info that enter reads is never written, so it does not matter that others in its line were, through another processor's cache.
//   - makeTables writes tables to memory. Lines that caches hold of that place are dropped before, as one that is dirty might be written back
//     over them at any time, and after, as one that is clean would hide them from walks, which look into the caches (TCR).
//   - From then on all accesses to memory go through the caches, on all processors, with the same attributes: inner shareable, write-back.
//     What was written through them is seen through them. Zeros behind the file's end are written that way.
//   - A processor that starts later reads, before translation is on, only the file's part of the image and the tables of makeTables,
//     which no one writes later without the caches on: a walk finds the newer ones in the caches.
//   - A processor that spins is told where to go by a word that spinTo cleans (arch/smp_arm64.go). What apTry reads of ours, trying, is cleaned before; it answers
//     at the word that it spun at, which both access past the caches.
//   - No code is written after the loader has. IC IALLU drops what this processor may have fetched ahead of time.
//
// Addresses are of package layout: INFO is layout.InfoAt, RUNS layout.RunsAt, and INFO... are
// fields of layout.Info (boot/arm64_test.go compares them).
#define RUNS	$0x40200200
#define INFO	$0x40201000
#define INFOEND	16
#define INFODATA	24
#define INFOTREE	32
#define INFOZERO	40
#define INFOSTACK	48
#define INFOTABLES	56
#define INFOOFFSET	72
#define INFOLEFT	80

// OFFSET is by how much the image lies higher than it is linked to; 0 with translation on. T is changed, and R27.
#define OFFSET(R, T) \
	MOVD	·linked(SB), T; \
	MOVD	$·Boot(SB), R; \
	SUB	T, R

DATA ·linked(SB)/8, $·Boot(SB)
GLOBL ·linked(SB), RODATA, $8

// ALIAS is where the upper half of the address space ends with 512 GiB that show physical memory as the lower half's
// tables from layout.Switch on do: these are its tables, too.
#define ALIAS	$0xffffff8000000000

// SCTLR_EL1 (D17.2.118): the bits that are always one, and with translation: caches, alignment of
// the stack pointer, and nothing both writable and executable.
#define SCTLROFF	$0x30d00800
#define SCTLRON	$0x30d8180d

// TCR_EL1 (D17.2.131): two halves of 48 bits, 4 KiB pages, walks cached and shared;
// the size of physical addresses is added.
#define TCR	$0xb5103510

// MAIR_EL1: layout.MAIR.
#define MAIR	$0x4ff

// SPSR of EL1 with SP_EL0, all interrupts masked.
#define EL1T	$0x3c4

// enter comes back to LR, which is where the code lies, at EL1, on no stack, with translation on, at its linked address. It changes R0 to
// R5, R17 and R27.
TEXT ·enter(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MRS	CurrentEL, R1
	CMP	$(2<<2), R1
	BNE	el1
	// From EL2 (D17.2.48 and others): EL1 is AArch64; its timer and counter do not
	// trap, nor do floating point and the interrupt controller.
	MOVD	$(1<<31), R1
	WORD	$0xd51c1101		// MSR R1, HCR_EL2
	ISB	$15			// the form of others depends on it
	MOVD	$3, R1
	WORD	$0xd51ce101		// MSR R1, CNTHCTL_EL2
	WORD	$0xd51ce07f		// MSR ZR, CNTVOFF_EL2
	MOVD	$0x33ff, R1
	WORD	$0xd51c1141		// MSR R1, CPTR_EL2
	WORD	$0xd51c117f		// MSR ZR, HSTR_EL2
	MRS	MIDR_EL1, R1
	WORD	$0xd51c0001		// MSR R1, VPIDR_EL2
	MRS	MPIDR_EL1, R1
	WORD	$0xd51c00a1		// MSR R1, VMPIDR_EL2
	MRS	ID_AA64PFR0_EL1, R1
	UBFX	$24, R1, $4, R1
	CBZ	R1, nogic
	MOVD	$0xf, R1
	WORD	$0xd51cc9a1		// MSR R1, ICC_SRE_EL2
	ISB	$15
nogic:
	MOVD	EL1T, R1
	WORD	$0xd51c4001		// MSR R1, SPSR_EL2
	MOVD	$·enterEL1(SB), R1
	WORD	$0xd51c4021		// MSR R1, ELR_EL2
	MOVD	SCTLROFF, R1
	MSR	R1, SCTLR_EL1
	ISB	$15
	ERET
el1:
	B	·enterEL1(SB)

// enterEL1 is its second half.
TEXT ·enterEL1(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MSR	$15, DAIFSet
	MSR	$0, SPSel
	// FPEN: floating point does not trap. SVE and SME do (ZEN and SMEN are 0): a trap saves none of
	// their registers, so no code may use them.
	MOVD	$(3<<20), R1
	MSR	R1, CPACR_EL1
	MOVD	SCTLROFF, R1
	MSR	R1, SCTLR_EL1
	ISB	$15
	MOVD	MAIR, R1
	MSR	R1, MAIR_EL1
	MRS	ID_AA64MMFR0_EL1, R2
	AND	$7, R2			// PARange: what the processor can address
	CMP	$5, R2			// 48 bits; more is not for 4 KiB pages of this form
	BLS	fits
	MOVD	$5, R2
fits:
	MOVD	TCR, R1
	ORR	R2<<32, R1
	MSR	R1, TCR_EL1
	OFFSET(R3, R1)
	SUB	R3, LR
	MOVD	INFO, R1
	ADD	R3, R1
	MOVD	INFOTABLES(R1), R1
	ADD	R3, R1
	ADD	$8192, R1, R2		// layout.Switch
	MSR	R2, TTBR0_EL1
	ADD	$4096, R1, R3		// layout.High
	MSR	R3, TTBR1_EL1
	DSB	$15
	TLBI	VMALLE1
	WORD	$0xd508751f		// IC IALLU
	DSB	$15
	ISB	$15
	MOVD	$·turn(SB), R4
	AND	$0x7fffffffff, R4
	ORR	ALIAS, R4
	MOVD	SCTLRON, R2
	B	·turn(SB)

// turn turns translation on and goes to LR, a linked address. R1 and R3 are the roots of the two halves, R4 is turn's own address in ALIAS, R2 is
// for SCTLR_EL1. All of turn is in one page, and the tables that are in use now show it where it lies, and in ALIAS.
//
// The image's own addresses may be others than those where turn lies, or the same for another page. So turn goes to ALIAS, which stays as it
// is, and takes the low half's tables from there. Between the two the low half has none, because caches of translations may not
// find two for one address (D8.14.1): the upper half's root has nothing for addresses of the low half, none of which is that high.
TEXT ·turn(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	PCALIGN	$64
	CBZ	R4, there
	MSR	R2, SCTLR_EL1
	ISB	$15
	MOVD	R4, R17
	MOVD	$0, R4
	B	(R17)
there:
	MSR	R3, TTBR0_EL1
	ISB	$15
	TLBI	VMALLE1
	DSB	$15
	ISB	$15
	MSR	R1, TTBR0_EL1
	ISB	$15
	RET

// makeTables makes the first page tables of the runs of entries that the image builder left behind the header: how many,
// where to, by how much each is more than the one before, and the upper and the lower half of the first; all are addresses of the image. Then it
// makes the tables that enter needs. No stack, translation off; it changes R0 to R12 and R27.
TEXT ·makeTables(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MOVD	LR, R12
	OFFSET(R10, R0)
	MOVD	INFO, R2
	ADD	R10, R2
	MOVD	INFOTABLES(R2), R0
	ADD	R10, R0
	MOVD	INFOEND(R2), R1
	ADD	R10, R1
	BL	·dropLines(SB)
	MOVD	R0, R2
blank:
	STP.P	(ZR, ZR), 16(R2)
	CMP	R1, R2
	BLO	blank
	MOVD	RUNS, R2
	ADD	R10, R2
run:
	MOVWU.P	4(R2), R3
	CBZ	R3, made
	MOVWU.P	4(R2), R4
	ADD	R10, R4
	MOVWU.P	4(R2), R5
	MOVWU.P	4(R2), R6
	MOVWU.P	4(R2), R7
entry:
	ORR	R6<<32, R7, R8
	ADD	R10, R8
	MOVD.P	R8, 8(R4)
	ADDW	R5, R7
	SUB	$1, R3
	CBNZ	R3, entry
	B	run
made:
	// R2 is turn's page, R3 each table's address, R4 an entry's place in it.
	MOVD	$·turn(SB), R2
	AND	$~4095, R2
	ADD	$8192, R0, R3		// layout.Switch
	UBFX	$39, R2, $9, R4
	ADD	$4096, R3, R5
	ORR	$3, R5			// a table
	MOVD	R5, (R3)(R4<<3)
	MOVD	R5, 8184(R0)		// the last entry of layout.High: ALIAS
	ADD	$4096, R3
	UBFX	$30, R2, $9, R4
	ADD	$4096, R5
	MOVD	R5, (R3)(R4<<3)
	ADD	$4096, R3
	UBFX	$21, R2, $9, R4
	ADD	$4096, R5
	MOVD	R5, (R3)(R4<<3)
	ADD	$4096, R3
	UBFX	$12, R2, $9, R4
	MOVD	$0x40000000000783, R5	// a page: read-only, shared, accessed, executable at EL1 alone
	ORR	R2, R5
	MOVD	R5, (R3)(R4<<3)
	BL	·dropLines(SB)
	MOVD	R12, LR
	RET

// dropLines drops what caches hold from R0 up to R1, after all earlier stores. It changes R8 and R9.
TEXT ·dropLines(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MRS	CTR_EL0, R8
	UBFX	$16, R8, $4, R8		// DminLine: of the shortest line, the logarithm of how many words
	MOVD	$4, R9
	LSL	R8, R9
	MOVD	R0, R8
	DSB	$15
line:
	DC	IVAC, R8
	ADD	R9, R8
	CMP	R1, R8
	BLO	line
	DSB	$15
	RET

// leave turns the firmware's address translation off, after it has cleaned the file's part of the image to the point of coherency: the firmware has
// put it there through its caches. R21 is OFFSET. It returns 0 in R0 and changes R1 to R3.
TEXT ·leave(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MOVD	INFO, R1
	ADD	R21, R1
	MOVD	INFODATA(R1), R2
	ADD	R21, R2
	SUB	$4096, R1
	MRS	CTR_EL0, R3
	UBFX	$16, R3, $4, R3
	MOVD	$4, R0
	LSL	R3, R0
clean:
	DC	CVAC, R1
	ADD	R0, R1
	CMP	R2, R1
	BLO	clean
	DSB	$15
	// Off: translation and caches (SCTLR_ELx.M, C, I).
	MOVD	$0x1005, R2
	MRS	CurrentEL, R1
	CMP	$(2<<2), R1
	BNE	atEL1
	WORD	$0xd53c1001		// MRS SCTLR_EL2, R1
	BIC	R2, R1
	WORD	$0xd51c1001		// MSR R1, SCTLR_EL2
	B	off
atEL1:
	MRS	SCTLR_EL1, R1
	BIC	R2, R1
	MSR	R1, SCTLR_EL1
off:
	ISB	$15
	MOVD	$0, R0
	RET

// Boot is where the runtime's entry point calls, first of all, with the device tree's
// address in R0 and 0 in R1; from UEFI, with the image's handle and the system table. It returns argc and argv in R0 and R1, on the boot stack, to the linked address of its caller.
TEXT ·Boot(SB),NOSPLIT|NOFRAME,$0
	OFFSET(R21, R20)
	SUB	R21, LR, R20
	MOVD	$0, R24
	CBZ	R1, left
	BL	·efi(SB)
	BL	·leave(SB)
left:
	MOVD	R0, R19
	BL	·makeTables(SB)
	BL	·enter(SB)
	// The loader leaves memory beyond the file as it was.
	MOVD	INFO, R0
	MOVD	R19, INFOTREE(R0)
	MOVD	R21, INFOOFFSET(R0)
	MOVD	R24, INFOLEFT(R0)
	MOVD	INFODATA(R0), R1
	MOVD	INFOZERO(R0), R2
zero:
	CMP	R2, R1
	BHS	zeroed
	STP.P	(ZR, ZR), 16(R1)
	B	zero
zeroed:
	MOVD	INFOSTACK(R0), R0
	MOVD	R0, RSP
	MOVD	$0, R29
	BL	runtime·sched9StandIn(SB)
	MOVD	$·noG(SB), g
	SUB	$48, RSP
	MOVD	R20, 32(RSP)
	BL	·resetFP(SB)
	BL	·bootKernel(SB)
	MOVD	8(RSP), R0
	MOVD	16(RSP), R1
	MOVD	32(RSP), LR
	ADD	$48, RSP
	RET

// apEntry is where the firmware leaves a processor that was started, R0 holding
// StartCPU's argument; or, after it has spun, 0 (Linux, booting.rst): then that is in starting.
TEXT ·apEntry(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MOVD	R0, R19
	BL	·enter(SB)
	CBNZ	R19, told
	MOVD	·starting(SB), R19
told:
	MOVD	R19, R0
	B	·apBegin(SB)

// apBegin goes on with translation on: on the stack that StartCPU named, as noG. R0 is
// the argument.
TEXT ·apBegin(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MOVD	APArg_Stack(R0), R1
	MOVD	R1, RSP
	MOVD	$0, R29
	MOVD	$·noG(SB), g
	SUB	$32, RSP
	MOVD	R0, 8(RSP)
	MOVD	R0, 24(RSP)
	BL	·resetFP(SB)
	BL	·apInit(SB)
	MOVD	24(RSP), R0
	ADD	$32, RSP
	// From here on this is the runtime's thread: g, then its entry.
	MOVD	APArg_G(R0), g
	MOVD	APArg_Entry(R0), R1
	MSR	$2, DAIFClr
	BL	(R1)
	UNDEF

// func restart(a *APArg)
TEXT ·restart(SB),NOSPLIT,$0-8
	MOVD	a+0(FP), R0
	MSR	$15, DAIFSet
	B	·apBegin(SB)

// resetFP gives floating-point and vector registers the values of a reset. It
// changes nothing else.
TEXT ·resetFP(SB),NOSPLIT|NOFRAME,$0
	MSR	ZR, FPCR
	MSR	ZR, FPSR
	VEOR	V0.B16, V0.B16, V0.B16
	VEOR	V1.B16, V1.B16, V1.B16
	VEOR	V2.B16, V2.B16, V2.B16
	VEOR	V3.B16, V3.B16, V3.B16
	VEOR	V4.B16, V4.B16, V4.B16
	VEOR	V5.B16, V5.B16, V5.B16
	VEOR	V6.B16, V6.B16, V6.B16
	VEOR	V7.B16, V7.B16, V7.B16
	VEOR	V8.B16, V8.B16, V8.B16
	VEOR	V9.B16, V9.B16, V9.B16
	VEOR	V10.B16, V10.B16, V10.B16
	VEOR	V11.B16, V11.B16, V11.B16
	VEOR	V12.B16, V12.B16, V12.B16
	VEOR	V13.B16, V13.B16, V13.B16
	VEOR	V14.B16, V14.B16, V14.B16
	VEOR	V15.B16, V15.B16, V15.B16
	VEOR	V16.B16, V16.B16, V16.B16
	VEOR	V17.B16, V17.B16, V17.B16
	VEOR	V18.B16, V18.B16, V18.B16
	VEOR	V19.B16, V19.B16, V19.B16
	VEOR	V20.B16, V20.B16, V20.B16
	VEOR	V21.B16, V21.B16, V21.B16
	VEOR	V22.B16, V22.B16, V22.B16
	VEOR	V23.B16, V23.B16, V23.B16
	VEOR	V24.B16, V24.B16, V24.B16
	VEOR	V25.B16, V25.B16, V25.B16
	VEOR	V26.B16, V26.B16, V26.B16
	VEOR	V27.B16, V27.B16, V27.B16
	VEOR	V28.B16, V28.B16, V28.B16
	VEOR	V29.B16, V29.B16, V29.B16
	VEOR	V30.B16, V30.B16, V30.B16
	VEOR	V31.B16, V31.B16, V31.B16
	RET

// func apEntryPC() uintptr
TEXT ·apEntryPC(SB),NOSPLIT,$0-8
	MOVD	$·apEntry(SB), R0
	MOVD	R0, ret+0(FP)
	RET

// apTry is where a processor comes that is tried at boot (smp_arm64.go), at EL2 or EL1, without translation and caches, on no stack. With 1 or 2 in R0 the
// firmware has started it, and turns it off again, by HVC or SMC. With 0 it has spun: it clears the word that it spun at, which
// trying has the address of, and spins there again.
TEXT ·apTry(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	CBZ	R0, spun
	MOVD	R0, R1
	MOVD	$0x84000002, R0		// PSCI's CPU_OFF
	TBNZ	$1, R1, bySMC
	HVC	$0
	B	stuck
bySMC:
	SMC	$0
stuck:
	WFI
	B	stuck
spun:
	MOVD	$·trying(SB), R1
	MOVD	(R1), R1
	MOVD	ZR, (R1)
	DSB	$15
again:
	WFE
	MOVD	(R1), R2
	CBZ	R2, again
	B	(R2)

// func apTryPC() uintptr
TEXT ·apTryPC(SB),NOSPLIT,$0-8
	MOVD	$·apTry(SB), R0
	MOVD	R0, ret+0(FP)
	RET

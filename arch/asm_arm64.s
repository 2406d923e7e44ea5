
#include "go_asm.h"
#include "textflag.h"

// Instructions that Go has no name for. All are leaves: NOSPLIT, no frame.

// Barriers (C6.2.88, C6.2.90): option SY is all there is; ISHST is for stores, among
// processors.
#define SY	$15
#define ISH	$11
#define ISHST	$10

// func ID() int
TEXT ·ID(SB),NOSPLIT,$0-8
	MRS	TPIDR_EL1, R0
	MOVD	CPU_id(R0), R0
	MOVD	R0, ret+0(FP)
	RET

#define READ(NAME, REG) \
TEXT NAME(SB),NOSPLIT,$0-8; \
	MRS	REG, R0; \
	MOVD	R0, ret+0(FP); \
	RET

READ(·readMPIDR, MPIDR_EL1)
READ(·readMIDR, MIDR_EL1)
READ(·readISAR0, ID_AA64ISAR0_EL1)
READ(·readISAR1, ID_AA64ISAR1_EL1)
READ(·readPFR0, ID_AA64PFR0_EL1)
READ(·readFrequency, CNTFRQ_EL0)
READ(·readTTBR0, TTBR0_EL1)
READ(·readTTBR1, TTBR1_EL1)

// func counter() uint64
// The barrier keeps the processor from reading it ahead of time (D12.2.1).
TEXT ·counter(SB),NOSPLIT,$0-8
	ISB	SY
	MRS	CNTVCT_EL0, R0
	MOVD	R0, ret+0(FP)
	RET

// func countPhase() (count, over uint64)
// QEMU's counter is its clock divided by 16, or by less: of 16 readings in a row those that differ from the first are as many
// as the instructions before it for which the counter was the same.
TEXT ·countPhase(SB),NOSPLIT,$0-16
	MRS	CNTVCT_EL0, R0
	MRS	CNTVCT_EL0, R1
	MRS	CNTVCT_EL0, R2
	MRS	CNTVCT_EL0, R3
	MRS	CNTVCT_EL0, R4
	MRS	CNTVCT_EL0, R5
	MRS	CNTVCT_EL0, R6
	MRS	CNTVCT_EL0, R7
	MRS	CNTVCT_EL0, R8
	MRS	CNTVCT_EL0, R9
	MRS	CNTVCT_EL0, R10
	MRS	CNTVCT_EL0, R11
	MRS	CNTVCT_EL0, R12
	MRS	CNTVCT_EL0, R13
	MRS	CNTVCT_EL0, R14
	MRS	CNTVCT_EL0, R15
	MOVD	$0, R19
	CMP	R0, R1
	CINC	NE, R19, R19
	CMP	R0, R2
	CINC	NE, R19, R19
	CMP	R0, R3
	CINC	NE, R19, R19
	CMP	R0, R4
	CINC	NE, R19, R19
	CMP	R0, R5
	CINC	NE, R19, R19
	CMP	R0, R6
	CINC	NE, R19, R19
	CMP	R0, R7
	CINC	NE, R19, R19
	CMP	R0, R8
	CINC	NE, R19, R19
	CMP	R0, R9
	CINC	NE, R19, R19
	CMP	R0, R10
	CINC	NE, R19, R19
	CMP	R0, R11
	CINC	NE, R19, R19
	CMP	R0, R12
	CINC	NE, R19, R19
	CMP	R0, R13
	CINC	NE, R19, R19
	CMP	R0, R14
	CINC	NE, R19, R19
	CMP	R0, R15
	CINC	NE, R19, R19
	MOVD	R0, count+0(FP)
	MOVD	R19, over+8(FP)
	RET

// func burn(n uint64)
TEXT ·burn(SB),NOSPLIT,$0-8
	MOVD	n+0(FP), R0
	TBZ	$0, R0, even
	NOOP
even:
	LSR	$1, R0
	CBZ	R0, done
loop:
	SUB	$1, R0
	CBNZ	R0, loop
done:
	RET

// func setCompare(v uint64)
TEXT ·setCompare(SB),NOSPLIT,$0-8
	MOVD	v+0(FP), R0
	MSR	R0, CNTV_CVAL_EL0
	MOVD	$1, R0			// enabled, not masked
	MSR	R0, CNTV_CTL_EL0
	ISB	SY
	RET

// func stopTimer()
// When it returns the timer's line is low.
TEXT ·stopTimer(SB),NOSPLIT,$0-0
	MSR	ZR, CNTV_CTL_EL0
	ISB	SY
	RET

// func loadCPU(p uintptr)
// The vectors' stack pointer can be written only while it is the one in use.
// MDSCR_EL1: no debug exceptions. TPIDR_EL0: no foreign code (trap_arm64.s).
TEXT ·loadCPU(SB),NOSPLIT,$0-8
	MOVD	p+0(FP), R0
	MSR	$1, SPSel
	MOVD	R0, RSP
	MSR	$0, SPSel
	MSR	R0, TPIDR_EL1
	MSR	ZR, TPIDR_EL0
	MSR	ZR, TPIDRRO_EL0
	MSR	ZR, MDSCR_EL1
	MOVD	$·vectors(SB), R0
	MSR	R0, VBAR_EL1
	ISB	SY
	RET

// func FlushTLB()
// The first barrier: what was stored into tables before is what walks find after it.
TEXT ·FlushTLB(SB),NOSPLIT,$0-0
	DSB	ISH
	TLBI	VMALLE1
	DSB	ISH
	ISB	SY
	RET

// func flushAllTLBs()
TEXT ·flushAllTLBs(SB),NOSPLIT,$0-0
	DSB	ISHST
	TLBI	VMALLE1IS
	DSB	ISH
	ISB	SY
	RET

// func published()
TEXT ·published(SB),NOSPLIT,$0-0
	DSB	ISHST
	ISB	SY
	RET

// func ordered()
TEXT ·ordered(SB),NOSPLIT,$0-0
	DSB	SY
	RET

// func SaveIRQ() (on uintptr)
TEXT ·SaveIRQ(SB),NOSPLIT,$0-8
	MRS	DAIF, R0
	MSR	$2, DAIFSet
	EOR	$0x80, R0
	AND	$0x80, R0
	MOVD	R0, on+0(FP)
	RET

// func RestoreIRQ(on uintptr)
TEXT ·RestoreIRQ(SB),NOSPLIT,$0-8
	MOVD	on+0(FP), R0
	CBZ	R0, off
	MSR	$2, DAIFClr
off:
	RET

// func EnableIRQ()
TEXT ·EnableIRQ(SB),NOSPLIT,$0-0
	MSR	$2, DAIFClr
	RET

// func DisableIRQ()
// A processor that goes to sleep comes here between the store that announces it and the
// last look for work. The architecture orders a store-release and a later load-acquire;
// QEMU (7.2) on an x86 host does not, so there is a barrier here.
TEXT ·DisableIRQ(SB),NOSPLIT,$0-0
	MSR	$2, DAIFSet
	DMB	ISH
	RET

// func unmaskFIQ()
TEXT ·unmaskFIQ(SB),NOSPLIT,$0-0
	MSR	$5, DAIFClr
	RET

// func Halt()
// WFI ends when an interrupt is pending, masked or not (D1.7.2), so none that came
// after the last look is slept through. It is taken when it is let in: at the
// barrier at the latest (D1.3.1).
TEXT ·Halt(SB),NOSPLIT,$0-0
	DSB	SY
	WFI
	MSR	$2, DAIFClr
	ISB	SY
	MSR	$2, DAIFSet
	RET

// func cleanAndSignal(addr uintptr)
TEXT ·cleanAndSignal(SB),NOSPLIT,$0-8
	MOVD	addr+0(FP), R0
	DSB	SY
	DC	CIVAC, R0
	DSB	SY
	SEV
	RET

// func maskAll()
TEXT ·maskAll(SB),NOSPLIT,$0-0
	MSR	$15, DAIFSet
	RET

// func wait()
TEXT ·wait(SB),NOSPLIT,$0-0
loop:
	WFI
	B	loop

// func Pause()
TEXT ·Pause(SB),NOSPLIT,$0-0
	YIELD
	RET

// func spin(n uint32)
TEXT ·spin(SB),NOSPLIT,$0-4
	MOVWU	n+0(FP), R0
	CBZ	R0, done
again:
	NOOP
	SUBS	$1, R0
	BNE	again
done:
	RET

// func Zero(p, n uintptr)
TEXT ·Zero(SB),NOSPLIT,$0-16
	MOVD	p+0(FP), R0
	MOVD	n+8(FP), R1
	SUBS	$64, R1
	BLT	rest
many:
	STP	(ZR, ZR), (R0)
	STP	(ZR, ZR), 16(R0)
	STP	(ZR, ZR), 32(R0)
	STP	(ZR, ZR), 48(R0)
	ADD	$64, R0
	SUBS	$64, R1
	BGE	many
rest:
	ADDS	$64, R1
	BEQ	done
one:
	MOVD.P	ZR, 8(R0)
	SUBS	$8, R1
	BGT	one
done:
	RET

// func randomNumber() (v uint64, ok bool)
TEXT ·randomNumber(SB),NOSPLIT,$0-9
	WORD	$0xd53b2400		// MRS RNDR, R0; Z: none
	CSET	NE, R1
	MOVD	R0, v+0(FP)
	MOVB	R1, ok+8(FP)
	RET

// func semihostExit(status uint64)
// Semihosting for AArch64 (Arm, abi-aa 2.0): operation SYS_EXIT_EXTENDED in R0, and in R1
// the address of the reason, that the application ended, and the status.
TEXT ·semihostExit(SB),NOSPLIT,$32-8
	MOVD	status+0(FP), R2
	MOVD	$0x20026, R1
	STP	(R1, R2), 16(RSP)
	ADD	$16, RSP, R1
	MOVD	$0x20, R0
	BL	·semihost(SB)
	RET

// semihost makes the call.
TEXT ·semihost(SB),NOSPLIT|NOFRAME,$0
	HLT	$0xf000
	RET

// func semihostPC() uintptr
TEXT ·semihostPC(SB),NOSPLIT,$0-8
	MOVD	$·semihost(SB), R0
	MOVD	R0, ret+0(FP)
	RET

// func hvc(fn, a, b, c uint64) uint64
// The calling convention (SMCCC, Arm DEN 0028, 2.6) lets it change R0 to R17.
TEXT ·hvc(SB),NOSPLIT,$0-40
	MOVD	fn+0(FP), R0
	MOVD	a+8(FP), R1
	MOVD	b+16(FP), R2
	MOVD	c+24(FP), R3
	HVC	$0
	MOVD	R0, ret+32(FP)
	RET

// func smc(fn, a, b, c uint64) uint64
TEXT ·smc(SB),NOSPLIT,$0-40
	MOVD	fn+0(FP), R0
	MOVD	a+8(FP), R1
	MOVD	b+16(FP), R2
	MOVD	c+24(FP), R3
	SMC	$0
	MOVD	R0, ret+32(FP)
	RET

// func iccInit() bool
// System registers on; both groups, all priorities (GIC architecture, Arm IHI 0069,
// 12.2).
//
// Where EL3 has kept FIQ for itself (SCR_EL3.FIQ), group 0 is its own, and an access to one of its registers traps there. Then
// the priorities that are seen here are half of all (4.8.1): the highest but 0 becomes 0x80, which reads as 0.
TEXT ·iccInit(SB),NOSPLIT,$0-1
	MRS	ICC_SRE_EL1, R0
	ORR	$7, R0
	MSR	R0, ICC_SRE_EL1
	ISB	SY
	MRS	ICC_CTLR_EL1, R1
	UBFX	$8, R1, $3, R1		// PRIbits: how many there are, less 1
	MOVD	$7, R0
	SUB	R1, R0
	MOVD	$1, R1
	LSL	R0, R1
	MSR	R1, ICC_PMR_EL1
	ISB	SY
	MRS	ICC_PMR_EL1, R2
	MOVD	$0xff, R0
	MSR	R0, ICC_PMR_EL1
	MSR	ZR, ICC_CTLR_EL1
	MOVD	$1, R0
	CBZ	R2, kept
	MSR	R0, ICC_IGRPEN0_EL1
	MOVD	R0, R2
kept:
	MSR	R0, ICC_IGRPEN1_EL1
	ISB	SY
	MOVB	R2, ret+0(FP)
	RET

// func iccClose()
// No priority is high enough.
TEXT ·iccClose(SB),NOSPLIT,$0-0
	MSR	ZR, ICC_PMR_EL1
	ISB	SY
	RET

// func iccAcknowledge0() uint32
TEXT ·iccAcknowledge0(SB),NOSPLIT,$0-4
	MRS	ICC_IAR0_EL1, R0
	DSB	SY
	MOVW	R0, ret+0(FP)
	RET

// func iccAcknowledge1() uint32
TEXT ·iccAcknowledge1(SB),NOSPLIT,$0-4
	MRS	ICC_IAR1_EL1, R0
	DSB	SY
	MOVW	R0, ret+0(FP)
	RET

// func iccEnd0(id uint32)
TEXT ·iccEnd0(SB),NOSPLIT,$0-4
	MOVWU	id+0(FP), R0
	MSR	R0, ICC_EOIR0_EL1
	ISB	SY
	RET

// func iccEnd1(id uint32)
TEXT ·iccEnd1(SB),NOSPLIT,$0-4
	MOVWU	id+0(FP), R0
	MSR	R0, ICC_EOIR1_EL1
	ISB	SY
	RET

// func iccSGI0(v uint64)
// What was stored before is seen by whom it interrupts.
TEXT ·iccSGI0(SB),NOSPLIT,$0-8
	MOVD	v+0(FP), R0
	DSB	ISHST
	MSR	R0, ICC_SGI0R_EL1
	ISB	SY
	RET

// func iccSGI1(v uint64)
TEXT ·iccSGI1(SB),NOSPLIT,$0-8
	MOVD	v+0(FP), R0
	DSB	ISHST
	MSR	R0, ICC_SGI1R_EL1
	ISB	SY
	RET

// func SetJump(c *Jump) (again uintptr)
TEXT ·SetJump(SB),NOSPLIT|NOFRAME,$0-16
	MOVD	c+0(FP), R0
	MOVD	RSP, R1
	MOVD	R1, 0(R0)
	MOVD	R29, 8(R0)
	MOVD	R30, 16(R0)
	MOVD	g, 24(R0)
	MOVD	ZR, again+8(FP)
	RET

// func Revert(list, n, store uintptr, c *Jump)
TEXT ·Revert(SB),NOSPLIT|NOFRAME,$0-32
	MOVD	list+0(FP), R8
	MOVD	n+8(FP), R9
	MOVD	store+16(FP), R10
	MOVD	c+24(FP), R11
page:
	CBZ	R9, done
	MOVD	(R8), R12
	MOVD	$(4096/64), R13
part:
	LDP	0(R10), (R0, R1)
	LDP	16(R10), (R2, R3)
	LDP	32(R10), (R4, R5)
	LDP	48(R10), (R6, R7)
	STP	(R0, R1), 0(R12)
	STP	(R2, R3), 16(R12)
	STP	(R4, R5), 32(R12)
	STP	(R6, R7), 48(R12)
	ADD	$64, R10
	ADD	$64, R12
	SUB	$1, R13
	CBNZ	R13, part
	ADD	$8, R8
	SUB	$1, R9
	B	page
done:
	DSB	ISH
	TLBI	VMALLE1
	DSB	ISH
	ISB	SY
	MOVD	0(R11), R1
	MOVD	R1, RSP
	MOVD	8(R11), R29
	MOVD	16(R11), R30
	MOVD	24(R11), g
	MOVD	$1, R0
	MOVD	R0, 16(RSP) // again
	RET

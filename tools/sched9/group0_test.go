package main

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestGroup0: where firmware in EL3 keeps FIQ and the interrupt controller's group 0 for itself, an image for arm64 does without. A few instructions stand for the firmware; a
// trap to EL3, such as one at a register of that group, they do not survive.
func TestGroup0(t *testing.T) {
	t.Parallel()
	const (
		image, tree = 0x4020_0000, 0x4000_0000
		gicd, gicr  = 0x0800_0000, 0x080a_0000
		isb, eret   = 0xd5033fdf, 0xd69f03e0
	)
	store := func(at, v uint64) []uint32 { // STR W1, [X0]
		return slices.Concat(moveARM64(0, at), moveARM64(1, v), []uint32{0xb9000001})
	}
	code := slices.Concat(
		store(gicd, 0x37),            // GICD_CTLR: affinity for both states, all groups
		store(gicd+0x84, 0xffffffff), // GICD_IGROUPR: devices are group 1
		store(gicd+0x88, 0xffffffff),
		store(gicr+0x14, 0),             // GICR_WAKER
		store(gicr+0x10080, 0xffffffff), // GICR_IGROUPR0
		msrARM64(6, 12, 12, 5, 0xf),     // ICC_SRE_EL3
		msrARM64(0, 4, 6, 0, 0xff),      // ICC_PMR_EL1
		msrARM64(6, 1, 1, 0, 0x535),     // SCR_EL3: non-secure, FIQ, HVC, AArch64
		msrARM64(6, 4, 0, 0, 0x3c5),     // SPSR_EL3: EL1
		msrARM64(6, 4, 0, 1, image),     // ELR_EL3
		moveARM64(0, tree), []uint32{eret})
	stub := t.TempDir() + "/stub"
	if err := os.WriteFile(stub, bytesARM64(code), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "timeout", "120", "qemu-system-aarch64", "-machine", "virt,secure=on,gic-version=3", "-cpu", "cortex-a57",
		"-m", "512M", "-display", "none", "-serial", "stdio", "-monitor", "none", "-no-reboot", "-semihosting-config", "enable=on,target=gdb",
		"-device", "loader,file="+stub+",addr=0x40180000,force-raw=on", "-device", "loader,addr=0x40180000,cpu-num=0",
		"-device", "loader,file="+helloARM64(t)+",addr=0x40200000,force-raw=on").CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != cleanEnd || !strings.Contains(string(out), "hello: done\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

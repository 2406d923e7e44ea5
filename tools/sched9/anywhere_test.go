package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestAnywhere has QEMU put an image for arm64 at addresses where its usual loader would not, with the processor at the first
// instruction and the address of the device tree in X0, as any loader leaves it. It boots there with all processors.
func TestAnywhere(t *testing.T) {
	image := t.TempDir() + "/image"
	if _, stderr, status := sched9(t, "build", "-arch", "arm64", "-o", image, "../../scenarios/hello"); status != 0 {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	type place struct {
		at           uint64
		machine, mem string
	}
	// A page behind the addresses that it is linked to: each of its pages lies where another one is mapped.
	places := []place{{0x4020_1000, "virt", "512M"}}
	if full {
		places = append(places, place{0x4060_0000, "virt,gic-version=2", "128M"}, place{0x4a00_3000, "virt,gic-version=3,virtualization=on", "512M"},
			place{0x1_fff0_0000, "virt,gic-version=3", "8G"}) // above 4 GiB, and in two pieces of 1 GiB of the tables
	}
	for _, p := range places {
		t.Run(fmt.Sprintf("%#x", p.at), func(t *testing.T) {
			const stubAt, tree = 0x4018_0000, 0x4000_0000 // where QEMU puts the tree for firmware
			stub := t.TempDir() + "/stub"
			code := append(append(moveARM64(0, tree), moveARM64(1, p.at)...), 0xd61f0020) // br x1
			if err := os.WriteFile(stub, bytesARM64(code), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.CommandContext(t.Context(), "timeout", "60", "qemu-system-aarch64", "-machine", p.machine, "-cpu", "cortex-a57",
				"-m", p.mem, "-smp", "3", "-display", "none", "-serial", "stdio", "-no-reboot",
				"-device", fmt.Sprintf("loader,file=%s,addr=%#x,force-raw=on", stub, stubAt), "-device", fmt.Sprintf("loader,addr=%#x,cpu-num=0", stubAt),
				"-device", fmt.Sprintf("loader,file=%s,addr=%#x,force-raw=on", image, p.at)).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "hello: cpus=3 ") || !strings.Contains(string(out), "hello: done\n") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// moveARM64 is code that moves v to register r (MOVZ, MOVK).
func moveARM64(r uint32, v uint64) (code []uint32) {
	for part := range uint32(4) {
		op := uint32(0xf2800000)
		if part == 0 {
			op = 0xd2800000
		}
		code = append(code, op|part<<21|uint32(v>>(16*part)&0xffff)<<5|r)
	}
	return code
}

// bytesARM64 is code in memory.
func bytesARM64(code []uint32) (b []byte) {
	for _, c := range code {
		b = binary.LittleEndian.AppendUint32(b, c)
	}
	return b
}

// msrARM64 is code that moves v to the system register S3_op1_Cn_Cm_op2, by X1.
func msrARM64(op1, n, m, op2 uint32, v uint64) []uint32 {
	const msr, isb = 0xd5180001, 0xd5033fdf
	return append(moveARM64(1, v), msr|op1<<16|n<<12|m<<8|op2<<5, isb)
}

package boot

import (
	"debug/elf"

	"sched9/arch/amd64/layout"
)

// ProbeStatus is what the image of Probe writes to the isa-debug-exit port.
// QEMU then exits with status 2*ProbeStatus+1, which nothing else makes it do.
const ProbeStatus = 0x2a

// Probe returns a PVH image that only proves that an accelerator can run a 64-bit guest: the same
// stub, the same kind of page tables, some instructions with which every Go program begins, and
// then ProbeStatus written to port 0xf4. The instructions matter: some hosts' KVM emulates a guest
// like ours instruction by instruction, and stops at the first that uses a vector register. On some
// machines /dev/kvm opens and a 64-bit guest then hangs, so the caller must set a time limit. QEMU
// needs -device isa-debug-exit,iobase=0xf4,iosize=4.
func Probe() []byte {
	img, err := probe().image(PVH)
	if err != nil {
		panic(err) // its input is constant
	}
	return img
}

// probe is the program of the probe's image.
func probe() program {
	const fsBase = 0xc0000100
	a := newAsm(64, layout.PageTablesEnd)
	a.movImm32(ecx, fsBase)
	a.xor(eax, eax)
	a.xor(edx, edx)
	a.wrmsr()
	a.clearX15()
	a.fxsave()
	a.rdtsc()
	exit(a, ProbeStatus)
	return program{
		entry: layout.PageTablesEnd,
		segments: []segment{{
			addr:  layout.PageTablesEnd,
			size:  pageSize,
			flags: elf.PF_R | elf.PF_X,
			data:  a.bytes(),
		}},
	}
}

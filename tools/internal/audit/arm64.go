package audit

import (
	"debug/elf"
	"encoding/binary"
)

// AArch64 instructions are words, so the next one is found without decoding; a few patterns suffice
// (Arm ARM, C4.1).
const (
	trapMask = 0xffe0_001f
	svc      = 0xd400_0001
	hvc      = 0xd400_0002
	smc      = 0xd400_0003

	branchMask = 0x7c00_0000
	branch     = 0x1400_0000 // B, and BL with the uppermost bit
)

// checkARM64 is Check for AArch64.
func checkARM64(f *elf.File) (Report, error) {
	funcs, err := functions(f)
	if err != nil {
		return Report{}, err
	}
	r := Report{Funcs: len(funcs)}
	for _, fn := range funcs {
		r.Findings = append(r.Findings, lookARM64(fn, funcs, isOwn(fn.name))...)
	}
	return r, nil
}

// lookARM64 is look. Data between functions belongs to no function. The Go assembler puts data
// behind a function's end; such data could look like an instruction, though that has not been seen.
func lookARM64(fn function, all []function, own bool) (found []Finding) {
	seen := map[string]bool{}
	add := func(what string) {
		if !seen[what] {
			seen[what] = true
			found = append(found, Finding{fn.name, what})
		}
	}
	for at := 0; at+4 <= len(fn.code); at += 4 {
		in := binary.LittleEndian.Uint32(fn.code[at:])
		switch {
		case in&trapMask == svc:
			if isStock(fn.name) && !own {
				add("makes a system call itself (SVC)")
			}
		case in&trapMask == hvc, in&trapMask == smc:
			if !own {
				add("calls the firmware (HVC or SMC)")
			}
		case own && in&branchMask == branch:
			to := fn.addr + uint64(at) + uint64(int64(int32(in<<6))>>4)
			if what := judge(fn.name, nameAt(all, to)); what != "" {
				add(what)
			}
		}
	}
	return found
}

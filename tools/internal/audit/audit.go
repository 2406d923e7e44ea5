// Package audit proves two things about a linked image by decoding its code:
//
//   - No function of the runtime and the packages below it makes a system call
//     by itself: the overlay has put a call of the kernel in its place. (A
//     program's own assembly may: the processor takes its SYSCALL or SVC to the
//     kernel. Other ways into Linux lead nowhere and are refused everywhere.)
//   - sched9's own packages do not allocate and have no write barrier, nor call
//     anything of the runtime that does or that waits: they run where an M has
//     no P, with interrupts off, or before there is a runtime.
//
// Only direct calls are seen. What they reach in package runtime is the
// runtime's own affair: there go:nowritebarrierrec and the like hold.
package audit

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// Finding is a function that breaks a rule.
type Finding struct {
	Func string // the function's symbol
	What string // what it does, as the end of a sentence
}

// Report is what Check found.
type Report struct {
	Findings []Finding // in the order of addresses
	Unknown  int       // functions with an instruction that could not be decoded; what follows it in them was not seen
	Funcs    int       // functions looked at
}

// Err returns nil if nothing was found, or an error that names the first few
// findings.
func (r Report) Err() error {
	if len(r.Findings) == 0 {
		return nil
	}
	const most = 10
	var lines []string
	for i, f := range r.Findings {
		if i == most {
			lines = append(lines, fmt.Sprintf("and %d more", len(r.Findings)-most))
			break
		}
		lines = append(lines, f.Func+" "+f.What)
	}
	return errors.New("it cannot run without an operating system: " + strings.Join(lines, "; "))
}

// function is a function of an executable.
type function struct {
	name string
	addr uint64
	code []byte
}

// Check looks at every function of exe, an ELF64 for x86-64 or AArch64 with symbols.
// The error says what about exe is not so.
func Check(exe []byte) (Report, error) {
	f, err := elf.NewFile(bytes.NewReader(exe))
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	if f.Machine == elf.EM_AARCH64 {
		return checkARM64(f)
	}
	if f.Machine != elf.EM_X86_64 {
		return Report{}, fmt.Errorf("audit: the program is for %v", f.Machine)
	}
	funcs, err := functions(f)
	if err != nil {
		return Report{}, err
	}
	r := Report{Funcs: len(funcs)}
	for _, fn := range funcs {
		own := isOwn(fn.name)
		// Decoding all code would take a second, so look first for the few pairs of bytes with
		// which a finding begins.
		if !own && !mayTrap(fn.code) {
			continue
		}
		found, whole := look(fn, funcs, own)
		r.Findings = append(r.Findings, found...)
		if !whole {
			r.Unknown++
		}
	}
	return r, nil
}

// functions returns the functions of f in the order of their addresses.
func functions(f *elf.File) ([]function, error) {
	syms, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("audit: the program has no symbols: %w", err)
	}
	data := map[elf.SectionIndex][]byte{}
	var funcs []function
	for _, s := range syms {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Size == 0 || int(s.Section) >= len(f.Sections) {
			continue
		}
		sec := f.Sections[s.Section]
		if _, ok := data[s.Section]; !ok {
			if data[s.Section], err = sec.Data(); err != nil {
				return nil, fmt.Errorf("audit: %w", err)
			}
		}
		text := data[s.Section]
		from := s.Value - sec.Addr
		if s.Value < sec.Addr || from+s.Size > uint64(len(text)) {
			return nil, fmt.Errorf("audit: function %s lies outside of its section", s.Name)
		}
		funcs = append(funcs, function{s.Name, s.Value, text[from : from+s.Size]})
	}
	sort.SliceStable(funcs, func(i, j int) bool { return funcs[i].addr < funcs[j].addr })
	return funcs, nil
}

// traps are the first bytes of SYSCALL, SYSENTER and INT 0x80.
var traps = [][]byte{{0x0f, 0x05}, {0x0f, 0x34}, {0xcd, 0x80}}

// mayTrap reports whether code could hold a system call.
func mayTrap(code []byte) bool {
	return slices.ContainsFunc(traps, func(t []byte) bool { return bytes.Contains(code, t) })
}

// look decodes fn. It ends early at what cannot be decoded, because where the
// next instruction begins is not known then; whole is false if so.
func look(fn function, all []function, own bool) (found []Finding, whole bool) {
	add := func(what string) {
		if !slices.ContainsFunc(found, func(f Finding) bool { return f.What == what }) {
			found = append(found, Finding{fn.name, what})
		}
	}
	for at := 0; at < len(fn.code); {
		in, err := x86asm.Decode(fn.code[at:], 64)
		if err != nil || in.Len == 0 {
			return found, false
		}
		next := fn.addr + uint64(at+in.Len)
		switch in.Op {
		case x86asm.SYSCALL:
			if isStock(fn.name) {
				add("makes a system call itself (SYSCALL)")
			}
		case x86asm.SYSENTER:
			add("makes a system call itself (SYSENTER)")
		case x86asm.INT:
			if in.Args[0] == x86asm.Imm(0x80) {
				add("makes a system call itself (INT 0x80)")
			}
		case x86asm.CALL, x86asm.JMP:
			if rel, ok := in.Args[0].(x86asm.Rel); ok && own {
				if what := judge(fn.name, nameAt(all, next+uint64(int64(rel)))); what != "" {
					add(what)
				}
			}
		}
		at += in.Len
	}
	return found, true
}

// isStock reports whether a function is of a package whose system calls the
// overlay replaces.
func isStock(name string) bool {
	for _, p := range [...]string{"runtime.", "internal/", "syscall.", "time.", "os."} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// nameAt is the name of the function that begins at addr, or "": a jump within
// a function is no call.
func nameAt(all []function, addr uint64) string {
	i := sort.Search(len(all), func(i int) bool { return all[i].addr >= addr })
	if i < len(all) && all[i].addr == addr {
		return all[i].name
	}
	return ""
}

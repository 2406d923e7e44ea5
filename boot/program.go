package boot

import (
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"slices"

	"sched9/arch/amd64/layout"
	arm64 "sched9/arch/arm64/layout"
)

// program is the code and data to boot, at the addresses where they run.
type program struct {
	entry    uint64
	segments []segment // ascending; no two share a page
}

// segment is a piece of physical memory, page-aligned, and its protection.
// Memory behind data is zero.
type segment struct {
	addr, size uint64
	flags      elf.ProgFlag
	data       []byte
}

// end is the address behind the segment.
func (s segment) end() uint64 { return s.addr + s.size }

// end is where the program's last segment ends.
func (p program) end() uint64 { return p.segments[len(p.segments)-1].end() }

// openELF reads the headers of an ELF file; for another file the error says what is wrong.
func openELF(file []byte) (*elf.File, error) {
	if !bytes.HasPrefix(file, []byte(elf.ELFMAG)) {
		return nil, fmt.Errorf("boot: not an ELF file: no ELF magic in %d bytes", len(file))
	}
	f, err := elf.NewFile(bytes.NewReader(file))
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("boot: truncated ELF file: headers reach beyond its %d bytes: %w", len(file), err)
	}
	if err != nil {
		return nil, fmt.Errorf("boot: broken ELF file: %w", err)
	}
	return f, nil
}

// fileBytes is the part of the file that a program header speaks of.
func fileBytes(file []byte, p *elf.Prog) ([]byte, error) {
	n := uint64(len(file))
	if p.Off > n || p.Filesz > n-p.Off {
		return nil, fmt.Errorf("boot: truncated file: %v segment at %#x wants %d bytes at offset %#x, the file has %d",
			p.Type, p.Vaddr, p.Filesz, p.Off, n)
	}
	return file[p.Off:][:p.Filesz], nil
}

// target is what an executable must be for, and where its segments may lie.
type target struct {
	arch    string
	machine elf.Machine
	low     uint64 // below it are the stub and its page tables
	limit   uint64 // the end of the addresses that the first page tables map
}

var (
	forAMD64 = target{"amd64", elf.EM_X86_64, layout.PageTablesEnd, lowLimit}
	forARM64 = target{"arm64", elf.EM_AARCH64, arm64.Program, arm64Limit}
)

// readProgram takes a static linux executable for the target apart. It refuses one that cannot run
// as it was linked.
func readProgram(exe []byte, t target) (program, error) {
	f, err := openELF(exe)
	if err != nil {
		return program{}, err
	}
	if f.Class != elf.ELFCLASS64 || f.Machine != t.machine {
		return program{}, fmt.Errorf("boot: the executable is %v %v, not ELFCLASS64 %v: build it with GOARCH=%s",
			f.Class, f.Machine, t.machine, t.arch)
	}
	var loads []*elf.Prog
	for _, p := range f.Progs {
		switch {
		case p.Type == elf.PT_INTERP:
			return program{}, errors.New("boot: the executable is dynamically linked (PT_INTERP): build it with CGO_ENABLED=0 and without -buildmode=pie")
		case p.Type == elf.PT_LOAD && p.Memsz > 0:
			loads = append(loads, p)
		}
	}
	if f.Type != elf.ET_EXEC {
		return program{}, fmt.Errorf("boot: the file is %v, not ET_EXEC: it has no fixed address", f.Type)
	}
	if len(loads) == 0 {
		return program{}, errors.New("boot: the executable has no PT_LOAD segment")
	}
	slices.SortStableFunc(loads, func(a, b *elf.Prog) int { return cmp.Compare(a.Vaddr, b.Vaddr) })
	p := program{entry: f.Entry}
	withoutHeaders(f, loads[0])
	for i, l := range loads {
		if i > 0 && l.Vaddr < loads[i-1].Vaddr+loads[i-1].Memsz {
			return program{}, fmt.Errorf("boot: segment at %#x overlaps the segment at %#x", l.Vaddr, loads[i-1].Vaddr)
		}
		data, err := fileBytes(exe, l)
		if err != nil {
			return program{}, err
		}
		if err := p.add(l, data, t); err != nil {
			return program{}, err
		}
	}
	last := &p.segments[len(p.segments)-1]
	last.data = bytes.TrimRight(last.data, "\x00") // memory behind data is zero
	for _, s := range p.segments {
		if s.flags&elf.PF_X != 0 && s.addr <= p.entry && p.entry < s.end() {
			return p, nil
		}
	}
	return program{}, fmt.Errorf("boot: entry %#x lies in no executable segment", p.entry)
}

// withoutHeaders takes the file's headers off the first load, if they have its first page for themselves: Go's linker puts them and some
// notes there, before the text, and nothing in the program reads them.
func withoutHeaders(f *elf.File, l *elf.Prog) {
	if l.Off != 0 || l.Vaddr%pageSize != 0 || l.Filesz <= pageSize || len(f.Sections) == 0 {
		return
	}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Type != elf.SHT_NOTE && s.Addr < l.Vaddr+pageSize {
			return
		}
	}
	l.Off, l.Vaddr, l.Paddr = pageSize, l.Vaddr+pageSize, l.Paddr+pageSize
	l.Filesz, l.Memsz = l.Filesz-pageSize, l.Memsz-pageSize
}

// add appends a PT_LOAD with the given bytes. Loads come in ascending order and
// do not overlap. One that begins in the page where the last ended is joined to
// it, if one protection is right for both.
func (p *program) add(l *elf.Prog, data []byte, t target) error {
	if l.Filesz > l.Memsz {
		return fmt.Errorf("boot: segment at %#x has %d bytes in the file but %d in memory", l.Vaddr, l.Filesz, l.Memsz)
	}
	if l.Vaddr < t.low {
		return fmt.Errorf("boot: segment at %#x lies below %#x, where the stub and its page tables are",
			l.Vaddr, t.low)
	}
	if l.Vaddr > t.limit || l.Memsz > t.limit-l.Vaddr {
		return fmt.Errorf("boot: segment at %#x with %#x bytes reaches beyond %#x, the end of the first page tables",
			l.Vaddr, l.Memsz, t.limit)
	}
	flags := l.Flags & (elf.PF_R | elf.PF_W | elf.PF_X)
	switch {
	case flags == 0:
		return fmt.Errorf("boot: segment at %#x may neither be read nor written nor executed", l.Vaddr)
	case flags&elf.PF_W != 0 && flags&elf.PF_X != 0:
		return fmt.Errorf("boot: segment at %#x is both writable and executable", l.Vaddr)
	}
	flags |= elf.PF_R // pages cannot deny it

	start := l.Vaddr &^ (pageSize - 1)
	end := roundUp(l.Vaddr + l.Memsz)
	if n := len(p.segments); n > 0 && start < p.segments[n-1].end() {
		last := &p.segments[n-1]
		if flags != last.flags {
			return fmt.Errorf("boot: page %#x is shared by the segments at %#x (%v) and %#x (%v)",
				start, last.addr, last.flags, l.Vaddr, flags)
		}
		gap := make([]byte, l.Vaddr-last.addr-uint64(len(last.data)))
		last.data = slices.Concat(last.data, gap, data)
		last.size = end - last.addr
		return nil
	}
	p.segments = append(p.segments, segment{
		addr:  start,
		size:  end - start,
		flags: flags,
		data:  slices.Concat(make([]byte, l.Vaddr-start), data),
	})
	return nil
}

// roundUp is the end of the page that x-1 lies in.
func roundUp(x uint64) uint64 { return (x + pageSize - 1) &^ (pageSize - 1) }

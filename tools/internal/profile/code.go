package profile

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"
)

// Code tells of an address what instruction is there, and of which source.
type Code struct {
	symbols Symbols
	data    Symbols // variables, in the form of functions
	machine elf.Machine
	text    []byte
	base    uint64            // of text
	lines   []dwarf.LineEntry // by address
	calls   []inlined         // by address, outer ones first
}

// inlined is a piece of code that the compiler has put in line, from a function of that name that is called in a line of a file.
type inlined struct {
	start, end uint64
	name, file string
	line       int
}

// Instruction is one of the guest's.
type Instruction struct {
	Text  string // in the form of Go's assembler; the bytes if it is not known
	Func  string // the function that it is of, even if that is in line in another; an atomic access is its caller's
	Whole string // the function that it is part of
	File  string // of Func; "" if it is not known
	Line  int
}

// NewCode reads the code of an executable, and what its debugging information says of it.
func NewCode(exe []byte, symbols Symbols) (Code, error) {
	c := Code{symbols: symbols}
	f, err := elf.NewFile(bytes.NewReader(exe))
	if err != nil {
		return c, err
	}
	text := f.Section(".text")
	if text == nil {
		return c, errors.New("the program has no code")
	}
	if c.text, err = text.Data(); err != nil {
		return c, err
	}
	c.base, c.machine = text.Addr, f.Machine
	if c.data, err = symbolsOf(f, elf.STT_OBJECT); err != nil {
		return c, err
	}
	d, err := f.DWARF()
	if err != nil {
		return c, fmt.Errorf("the program's lines cannot be read: %w", err)
	}
	var files []*dwarf.LineFile // of the unit
	for r := d.Reader(); ; {
		e, err := r.Next()
		if err != nil {
			return c, err
		}
		if e == nil {
			break
		}
		switch e.Tag {
		case dwarf.TagCompileUnit:
			files, err = c.addLines(d, e)
		case dwarf.TagInlinedSubroutine:
			err = c.addCall(d, e, files)
		}
		if err != nil {
			return c, err
		}
	}
	// Lines of a unit end where those of the next may begin: the end comes first.
	slices.SortStableFunc(c.lines, func(a, b dwarf.LineEntry) int {
		if a.Address == b.Address && a.EndSequence != b.EndSequence {
			if a.EndSequence {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Address, b.Address)
	})
	slices.SortStableFunc(c.calls, func(a, b inlined) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	return c, nil
}

// addLines adds the lines of a unit, and returns the unit's files.
func (c *Code) addLines(d *dwarf.Data, unit *dwarf.Entry) ([]*dwarf.LineFile, error) {
	r, err := d.LineReader(unit)
	if err != nil || r == nil {
		return nil, err
	}
	for {
		var e dwarf.LineEntry
		if err := r.Next(&e); errors.Is(err, io.EOF) {
			return r.Files(), nil
		} else if err != nil {
			return nil, err
		}
		c.lines = append(c.lines, e)
	}
}

// addCall adds a call that is in line, in a unit of these files.
func (c *Code) addCall(d *dwarf.Data, call *dwarf.Entry, files []*dwarf.LineFile) error {
	ranges, err := d.Ranges(call)
	if err != nil {
		return err
	}
	f := inlined{name: "?"}
	if at, ok := call.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		r := d.Reader()
		r.Seek(at)
		if origin, err := r.Next(); err == nil && origin != nil {
			f.name, _ = origin.Val(dwarf.AttrName).(string)
		}
	}
	if i, ok := call.Val(dwarf.AttrCallFile).(int64); ok && i >= 0 && i < int64(len(files)) && files[i] != nil {
		line, _ := call.Val(dwarf.AttrCallLine).(int64)
		f.file, f.line = files[i].Name, int(line)
	}
	for _, r := range ranges {
		f.start, f.end = r[0], r[1]
		c.calls = append(c.calls, f)
	}
	return nil
}

// At is the instruction at pc.
func (c *Code) At(pc uint64) Instruction {
	in := Instruction{Whole: c.symbols.find(pc).name, Text: "?"}
	in.Func = in.Whole
	if pc >= c.base && pc-c.base < uint64(len(c.text)) {
		in.Text = c.decode(pc, c.text[pc-c.base:])
	}
	i := sort.Search(len(c.lines), func(i int) bool { return c.lines[i].Address > pc }) - 1
	if i >= 0 && !c.lines[i].EndSequence && c.lines[i].File != nil {
		in.File, in.Line = c.lines[i].File.Name, c.lines[i].Line
	}
	// A call's pieces lie in those of the call that it is in, so the smallest is the innermost.
	var size, access uint64
	for _, f := range c.calls[:sort.Search(len(c.calls), func(i int) bool { return c.calls[i].start > pc })] {
		switch n := f.end - f.start; {
		case pc >= f.end:
		case isAtomic(f.name) && n > access:
			in.File, in.Line, access = f.file, f.line, n
		case !isAtomic(f.name) && (size == 0 || n <= size):
			in.Func, size = f.name, n
		}
	}
	return in
}

// isAtomic reports whether a function makes one access to a word.
func isAtomic(name string) bool {
	return strings.HasPrefix(name, "sync/atomic.") || strings.HasPrefix(name, "internal/runtime/atomic.") || strings.Contains(name, "/sched/atomic.")
}

// decode is the text of the first instruction of code, which is at pc.
func (c *Code) decode(pc uint64, code []byte) string {
	name := func(at uint64) (string, uint64) {
		for _, s := range []Symbols{c.data, c.symbols} {
			if f := s.find(at); f.name != "?" && f.end > f.start {
				return f.name, f.start
			}
		}
		return "", 0
	}
	if c.machine == elf.EM_AARCH64 {
		if in, err := arm64asm.Decode(code); err == nil {
			return arm64asm.GoSyntax(in, pc, name, nil)
		}
		if len(code) >= 4 {
			return fmt.Sprintf("%#08x", binary.LittleEndian.Uint32(code)) // some of LSE's are not known to arm64asm
		}
		return "?"
	}
	in, err := x86asm.Decode(code, 64)
	if err != nil {
		return fmt.Sprintf("% x ...", code[:min(len(code), 4)])
	}
	return x86asm.GoSyntax(in, pc, name)
}

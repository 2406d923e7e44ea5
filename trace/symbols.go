package trace

import (
	"debug/gosym"
	"fmt"
)

// Frame is where a code address lies.
type Frame struct {
	PC   uint64
	Func string // "" if nothing is known
	File string
	Line int
}

// symbols finds Frames.
type symbols struct {
	table   *gosym.Table
	funcs   pclntab
	calls   map[uint32][]int32 // Inlined.Calls by Inlined.Func
	callees map[uint64]string
	cache   map[uint64][]Frame
}

// newSymbols reads the runtime's tables; without them nothing is known.
func newSymbols(l Legend) symbols {
	var s symbols
	if len(l.Table) > 0 {
		if t, err := gosym.NewTable(nil, gosym.NewLineTable(l.Table, l.Text)); err == nil {
			s.table = t
			s.funcs = newPclntab(l.Table, l.Text)
		}
	}
	s.callees = l.Callees
	s.calls = map[uint32][]int32{}
	for _, f := range l.Inlined {
		s.calls[f.Func] = f.Calls
	}
	return s
}

// mostInlined bounds how deep calls are put into one another, in a table that goes round in circles.
const mostInlined = 100

// At says where pc lies: first the innermost of the calls that the compiler has put into a function there, at last
// the function itself; each but the first with the line at which it calls the one before. There is always one. A
// function that the compiler makes of `go f(x)`, and puts f into, is passed by.
// Of a return address one looks up the call: pc-1.
func (t *Trace) At(pc uint64) []Frame {
	s := &t.symbols
	if fs, ok := s.cache[pc]; ok {
		return fs
	}
	fs := s.at(pc)
	if s.cache == nil {
		s.cache = map[uint64][]Frame{}
	}
	s.cache[pc] = fs
	return fs
}

// at is At.
func (s *symbols) at(pc uint64) (fs []Frame) {
	whole := Frame{PC: pc}
	if s.table == nil {
		return []Frame{whole}
	}
	line := func(pc uint64) *gosym.Func {
		var fn *gosym.Func
		whole.File, whole.Line, fn = s.table.PCToLine(pc)
		return fn
	}
	fn := line(pc)
	if fn == nil {
		return []Frame{whole}
	}
	if i := s.funcs.find(pc); i >= 0 {
		entry := s.funcs.entry(i)
		calls := s.calls[entry]
		off := pc - s.funcs.text - uint64(entry)
		for range mostInlined {
			k := int(s.funcs.inlined(i, off))
			if k < 0 || 2*k+1 >= len(calls) {
				break
			}
			f := whole
			f.Func = s.funcs.name(calls[2*k])
			fs = append(fs, f)
			off = uint64(uint32(calls[2*k+1]))
			line(s.funcs.text + uint64(entry) + off)
		}
	}
	if len(fs) > 0 && isWrapper(fn.Name) {
		return fs
	}
	whole.Func = fn.Name
	return append(fs, whole)
}

// Frame says in which function pc lies, and at which of its own lines.
func (t *Trace) Frame(pc uint64) Frame {
	fs := t.At(pc)
	return fs[len(fs)-1]
}

// Entry is the name of the function that a goroutine is made of which begins at pc: of `go f(x)` it is f, though
// the goroutine begins with a function that the compiler makes of the statement. It is "" if nothing is known.
func (t *Trace) Entry(pc uint64) string {
	if name, ok := t.symbols.callees[pc]; ok {
		return name
	}
	return t.Frame(pc).Func
}

// Frames are those of a stack, the innermost first, without what the Go
// runtime puts around every one, and the compiler around `go f(x)`. All its addresses are return
// addresses, or as good, but for the one at which an interrupt struck.
func (t *Trace) Frames(stack int32) []Frame {
	if int(stack) >= len(t.Stacks) {
		return nil // a trace that was not read has none
	}
	var fs []Frame
	struck := false // the frame above was pushed by an interrupt
	for i, pc := range t.Stacks[stack] {
		if !struck {
			pc--
		}
		all := t.At(pc)
		struck = all[len(all)-1].Func == "runtime.asyncPreempt"
		for _, f := range all {
			switch f.Func {
			case "runtime.systemstack_switch", "runtime.mcall", "runtime.gopark", "runtime.goparkunlock", "runtime.newproc", "runtime.goexit":
				if i < 2 || f.Func == "runtime.goexit" {
					continue
				}
			}
			if isWrapper(f.Func) && len(fs) > 0 {
				continue
			}
			fs = append(fs, f)
		}
	}
	return fs
}

// String is "main.f file.go:12".
func (f Frame) String() string {
	if f.Func == "" {
		return fmt.Sprintf("%#x", f.PC)
	}
	return fmt.Sprintf("%s %s:%d", f.Func, f.File, f.Line)
}

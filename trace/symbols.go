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
	table *gosym.Table
	cache map[uint64]Frame
}

// newSymbols reads the language's table; without one nothing is known.
func newSymbols(text uint64, table []byte) symbols {
	var s symbols
	if len(table) > 0 {
		if t, err := gosym.NewTable(nil, gosym.NewLineTable(table, text)); err == nil {
			s.table = t
		}
	}
	return s
}

// Frame says where pc lies. Of a return address one looks up the call: pc-1.
func (t *Trace) Frame(pc uint64) Frame {
	if f, ok := t.symbols.cache[pc]; ok {
		return f
	}
	f := Frame{PC: pc}
	if t.symbols.table != nil {
		var fn *gosym.Func
		f.File, f.Line, fn = t.symbols.table.PCToLine(pc)
		if fn != nil {
			f.Func = fn.Name
		}
	}
	if t.symbols.cache == nil {
		t.symbols.cache = map[uint64]Frame{}
	}
	t.symbols.cache[pc] = f
	return f
}

// Frames are those of a stack, the innermost first, without what the language's
// runtime puts around every one. All its addresses are return addresses, or as
// good, but for the one at which an interrupt struck.
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
		f := t.Frame(pc)
		struck = f.Func == "runtime.asyncPreempt"
		switch f.Func {
		case "runtime.systemstack_switch", "runtime.mcall", "runtime.gopark", "runtime.newproc", "runtime.goexit":
			if i < 2 || f.Func == "runtime.goexit" {
				continue
			}
		}
		fs = append(fs, f)
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

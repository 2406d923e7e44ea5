package trace

import (
	"encoding/binary"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// Inlined are the calls that the compiler has put into a function.
type Inlined struct {
	Func  uint32  // the function: where it begins, counted from where code begins
	Calls []int32 // of each: where its function's name is, and the code address that stands for where it was called
}

// inlined reads the calls that the compiler has put into functions. at is where the runtime has its tables of them.
func (c *Collector) inlined(t pclntab, at uint64) (all []Inlined) {
	for i := range t.count {
		n, off := t.inlinedCalls(i)
		if n == 0 || at == 0 {
			continue
		}
		// A call whose own code has gone but that is another's parent has a number above
		// all that code has, at most as often as there are calls: what is behind them is not read.
		p, err := c.linked(at+uint64(off), uint64(n)*inlinedSize)
		if err != nil {
			continue
		}
		f := Inlined{Func: t.entry(i)}
		for k := range n {
			f.Calls = append(f.Calls, int32(word(p, 4*k+1)), int32(word(p, 4*k+2)))
		}
		all = append(all, f)
	}
	return all
}

// wrapper is what the compiler calls the function that it makes of `go f(x)`, behind the name of the one that the
// statement is in and before a number.
const wrapper = ".gowrap"

// isWrapper reports whether a function is one.
func isWrapper(name string) bool {
	i := strings.LastIndex(name, wrapper)
	return i >= 0 && strings.Trim(name[i+len(wrapper):], "0123456789") == ""
}

// callees finds the functions that wrappers call, by the wrappers' addresses. One that calls what a variable holds has none.
func (c *Collector) callees(t pclntab, arm64 bool, all []Inlined) map[uint64]string {
	calls := map[uint32][]int32{}
	for _, f := range all {
		calls[f.Func] = f.Calls
	}
	found := map[uint64]string{}
	for i := range t.count {
		if !isWrapper(t.nameOf(i)) {
			continue
		}
		from := t.text + uint64(t.entry(i))
		name := t.outermost(i, calls[t.entry(i)])
		if code, err := c.linked(from, uint64(t.entry(i+1)-t.entry(i))); err == nil && name == "" {
			name = t.lastCall(code, from, arm64)
		}
		if name != "" {
			found[from] = name
		}
	}
	return found
}

// outermost is the function that the compiler has put into function i, and that none of its others was put into; "" if there is none.
func (t pclntab) outermost(i int, calls []int32) string {
	for k := 0; k+1 < len(calls); k += 2 {
		if t.inlined(i, uint64(uint32(calls[k+1]))) < 0 {
			return t.name(calls[k])
		}
	}
	return ""
}

// lastCall is the function that code at address pc calls last, beside the runtime's for the call itself: a stack that
// grows, a barrier.
func (t pclntab) lastCall(code []byte, pc uint64, arm64 bool) (name string) {
	note := func(to uint64) {
		i := t.find(to)
		if i < 0 || t.text+uint64(t.entry(i)) != to {
			return
		}
		n := t.nameOf(i)
		for _, own := range []string{"runtime.morestack", "runtime.panic", "runtime.gcWriteBarrier", "runtime.racefunc"} {
			if strings.HasPrefix(n, own) {
				return
			}
		}
		name = n
	}
	if arm64 {
		const mask, call = 0xfc00_0000, 0x9400_0000 // BL (Arm ARM, C6.2.33)
		for at := 0; at+4 <= len(code); at += 4 {
			if in := binary.LittleEndian.Uint32(code[at:]); in&mask == call {
				note(pc + uint64(at) + uint64(int64(int32(in<<6))>>4))
			}
		}
		return name
	}
	for at := 0; at < len(code); {
		in, err := x86asm.Decode(code[at:], 64)
		if err != nil {
			break
		}
		at += in.Len
		if rel, ok := in.Args[0].(x86asm.Rel); ok && in.Op == x86asm.CALL {
			note(pc + uint64(at) + uint64(int64(rel)))
		}
	}
	return name
}

// isARM64 reports whether the table is of a guest whose instructions are words.
func (t pclntab) isARM64() bool { return t.quantum == 4 }

// complete adds to l, whose table of functions is there, what that does not tell by itself. at is where the runtime
// has its tables of inlined calls.
func (c *Collector) complete(l *Legend, at uint64) {
	t := newPclntab(l.Table, l.Text)
	l.Inlined = c.inlined(t, at)
	l.Callees = c.callees(t, t.isARM64(), l.Inlined)
}

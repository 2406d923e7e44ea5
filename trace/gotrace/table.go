package gotrace

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"

	"sched9/trace"
)

// table numbers strings and stacks. 0 is the empty one of each.
type table struct {
	strings  [][]byte // entries as they are written
	stacks   [][]byte
	byString map[string]uint64
	byStack  []uint64          // number by the Trace's own
	byEntry  map[uint64]uint64 // number by the address of the function
}

// init makes t ready.
func (t *table) init() {
	t.byString = map[string]uint64{"": 0}
	t.byEntry = map[uint64]uint64{}
}

// str is the number of s, which is cut where readers would refuse it.
func (t *table) str(s string) uint64 {
	id, ok := t.byString[s]
	if ok {
		return id
	}
	cut := s
	if len(cut) > maxString {
		n := maxString
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		cut = s[:n]
	}
	id = uint64(len(t.strings)) + 1
	t.byString[s] = id
	p := binary.AppendUvarint([]byte{wireString}, id)
	p = binary.AppendUvarint(p, uint64(len(cut)))
	t.strings = append(t.strings, append(p, cut...))
	return id
}

// stack is the number of tr's stack s. A stack that tr does not have is empty.
func (t *table) stack(tr *trace.Trace, s int32) uint64 {
	if s <= 0 || int(s) >= len(tr.Stacks) {
		return 0
	}
	if t.byStack == nil {
		t.byStack = make([]uint64, len(tr.Stacks))
	}
	if t.byStack[s] == 0 {
		t.byStack[s] = t.add(tr.Frames(s))
	}
	return t.byStack[s]
}

// entry is the number of the stack of a goroutine that is about to run the
// function at pc: by it the tools name the goroutine.
func (t *table) entry(tr *trace.Trace, pc uint64) uint64 {
	id, ok := t.byEntry[pc]
	if !ok {
		f := tr.Frame(pc)
		f.Func = tr.Entry(pc)
		id = t.add([]trace.Frame{f})
		t.byEntry[pc] = id
	}
	return id
}

// add numbers a stack.
func (t *table) add(frames []trace.Frame) uint64 {
	if len(frames) == 0 {
		return 0
	}
	id := uint64(len(t.stacks)) + 1
	p := binary.AppendUvarint([]byte{wireStack}, id)
	p = binary.AppendUvarint(p, uint64(len(frames)))
	for _, f := range frames {
		name := f.Func
		if name == "" {
			name = "0x" + strconv.FormatUint(f.PC, 16)
		}
		for _, v := range [...]uint64{f.PC, t.str(name), t.str(f.File), uint64(max(f.Line, 0))} {
			p = binary.AppendUvarint(p, v)
		}
	}
	t.stacks = append(t.stacks, p)
	return id
}

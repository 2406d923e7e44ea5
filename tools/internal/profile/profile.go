// Package profile counts a guest's instructions by function, from QEMU's log of executed instructions, one at a
// time. Nothing is sampled: everything between the program's first and last mark is counted.
package profile

import (
	"bufio"
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Symbols finds functions by address.
type Symbols struct {
	funcs []function // by address
}

// function is one of a program's.
type function struct {
	start, end uint64
	name       string
}

// NewSymbols reads the functions of an executable, whose linker left their names.
func NewSymbols(exe []byte) (Symbols, error) {
	f, err := elf.NewFile(bytes.NewReader(exe))
	if err != nil {
		return Symbols{}, err
	}
	return symbolsOf(f, elf.STT_FUNC)
}

// symbolsOf reads the names of a kind.
func symbolsOf(f *elf.File, kind elf.SymType) (Symbols, error) {
	all, err := f.Symbols()
	if err != nil {
		return Symbols{}, fmt.Errorf("the program's symbols cannot be read: %w", err)
	}
	var s Symbols
	for _, y := range all {
		if elf.ST_TYPE(y.Info) == kind && y.Value != 0 {
			s.funcs = append(s.funcs, function{y.Value, y.Value + y.Size, y.Name})
		}
	}
	slices.SortFunc(s.funcs, func(a, b function) int { return cmp.Compare(a.start, b.start) })
	return s, nil
}

// find returns the function that pc is in; its name is "?" if there is none.
func (s Symbols) find(pc uint64) function {
	i := sort.Search(len(s.funcs), func(i int) bool { return s.funcs[i].start > pc }) - 1
	if i < 0 || pc >= s.funcs[i].end && s.funcs[i].end != s.funcs[i].start {
		return function{pc, pc + 1, "?"}
	}
	return s.funcs[i]
}

// Size is how many bytes of code a function has, 0 if there is none of that name.
func (s Symbols) Size(name string) uint64 {
	for _, f := range s.funcs {
		if f.name == name {
			return f.end - f.start
		}
	}
	return 0
}

// Count is what a function took.
type Count struct {
	Func         string
	Instructions float64 // for each mark
	Calls        float64 // how often its first instruction ran, for each mark
}

// Profile is what ran.
type Profile struct {
	Marks  int     // rounds that were counted
	Total  float64 // instructions for each mark
	Counts []Count // the largest first
	Calls  map[Call]float64
}

// Call is a call of a function by another; a Profile's Calls say how often there was one for each mark.
type Call struct{ From, To string }

// Owners of functions.
const (
	Ours     = "sched9"   // scheduler, kernel, and the files that are added to package runtime
	Language = "stock Go" // what the toolchain brings
	Program  = "program"
)

// Owner says whose function a name is.
func Owner(name string) string {
	switch {
	case strings.HasPrefix(name, "main."):
		return Program
	case strings.HasPrefix(name, "internal/runtime/s9/"), strings.HasPrefix(name, "internal/runtime."),
		strings.HasPrefix(name, "runtime.sched9"), strings.HasPrefix(name, "runtime.(*sched9"), strings.HasPrefix(name, "runtime.zsched9"):
		return Ours
	}
	return Language
}

// Owners sums the counts up by owners.
func (p Profile) Owners() map[string]float64 {
	sum := map[string]float64{}
	for _, c := range p.Counts {
		sum[Owner(c.Func)] += c.Instructions
	}
	return sum
}

// errMarks says that a log is of no use.
var errMarks = errors.New("the log holds less than two marks of the program")

// Read counts what the log r holds between the first and the last call of function mark.
// perMark is how many operations the program does between two marks: figures are divided by it.
func Read(r io.Reader, s Symbols, mark string, perMark int) (Profile, error) {
	type tally struct{ instructions, calls int }
	cache := map[uint64]function{}
	total, open := map[string]tally{}, map[string]tally{} // up to the last mark, and since then
	calls, openCalls := map[Call]int{}, map[Call]int{}    // the same
	marks, before := 0, ""
	err := scan(r, func(pc uint64) {
		f, ok := cache[pc]
		if !ok {
			f = s.find(pc)
			cache[pc] = f
		}
		if f.name == mark && pc == f.start {
			if marks++; marks > 1 {
				for name, t := range open {
					sum := total[name]
					total[name] = tally{sum.instructions + t.instructions, sum.calls + t.calls}
				}
			}
			for c, n := range openCalls {
				if marks > 1 {
					calls[c] += n
				}
			}
			clear(open)
			clear(openCalls)
		}
		t := open[f.name]
		t.instructions++
		if pc == f.start {
			t.calls++
			openCalls[Call{before, f.name}]++
		}
		open[f.name] = t
		before = f.name
	})
	if err != nil {
		return Profile{}, err
	}
	if marks < 2 {
		return Profile{}, errMarks
	}
	p := Profile{Marks: marks - 1, Calls: map[Call]float64{}}
	n := float64((marks - 1) * perMark)
	for c, times := range calls {
		p.Calls[c] = float64(times) / n
	}
	for name, t := range total {
		c := Count{name, float64(t.instructions) / n, float64(t.calls) / n}
		p.Total += c.Instructions
		p.Counts = append(p.Counts, c)
	}
	slices.SortFunc(p.Counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Instructions, a.Instructions), cmp.Compare(a.Func, b.Func))
	})
	return p, nil
}

// scan calls each with the address of every instruction in the log r, in order. QEMU writes that it executes one before it looks whether it
// is to stop first; then a line says that it did not, and it writes of the same one again later.
func scan(r io.Reader, each func(pc uint64)) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<16), 1<<20)
	last, told := uint64(0), false // an instruction that each has not been called with yet
	for in.Scan() {
		if pc, ok := executed(in.Bytes()); ok {
			if told {
				each(last)
			}
			last, told = pc, true
		} else if pc, ok := stopped(in.Bytes()); ok && pc == last {
			told = false
		}
	}
	if told {
		each(last)
	}
	return in.Err()
}

// stopped returns the address in a line of the log that tells of what was not executed yet:
//
//	Stopped execution of TB chain before 0x7f8b5c000100 [0000000000401000] ...
func stopped(line []byte) (pc uint64, ok bool) {
	_, rest, ok := bytes.Cut(line, []byte("Stopped execution of TB chain before "))
	if !ok {
		return 0, false
	}
	_, rest, _ = bytes.Cut(rest, []byte("["))
	word, _, ok := bytes.Cut(rest, []byte("]"))
	if !ok {
		return 0, false
	}
	pc, err := strconv.ParseUint(string(word), 16, 64)
	return pc, err == nil
}

// executed returns the address in a line of the log that tells of an execution:
//
//	Trace 0: 0x7f8b5c000100 [00000000/0000000000401000/00c0c0b3/ff000201] ...
//
// The log has other lines too.
func executed(line []byte) (pc uint64, ok bool) {
	if !bytes.HasPrefix(line, []byte("Trace ")) {
		return 0, false
	}
	_, rest, ok := bytes.Cut(line, []byte("/"))
	if !ok {
		return 0, false
	}
	word, _, ok := bytes.Cut(rest, []byte("/"))
	if !ok {
		return 0, false
	}
	pc, err := strconv.ParseUint(string(word), 16, 64)
	return pc, err == nil
}

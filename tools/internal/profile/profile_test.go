package profile

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
)

// three is a program of three functions, 0x10 bytes each.
var three = Symbols{[]function{{0x100, 0x110, "main.mark"}, {0x110, 0x120, "a"}, {0x200, 0x210, "b"}}}

// log is QEMU's log of a run of the given addresses.
func log(pcs ...int) string {
	var b strings.Builder
	for _, pc := range pcs {
		fmt.Fprintf(&b, "Trace 0: 0x7f8b5c000100 [00000000/%016x/00c0c0b3/ff000201] \n", pc)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	// One round of two operations from mark to mark, twice; what is before and behind does not count, nor what is stopped before it is executed: a mark, and
	// an instruction that is the last one.
	text := log(0x200, 0x204, 0x100, 0x104, 0x110, 0x114, 0x118, 0x110) + "Stopped execution of TB chain before 0x1 [0000000000000200] b\n" +
		log(0x100) + "Stopped execution of TB chain before 0x1 [0000000000000100] main.mark\n" + log(0x100, 0x104, 0x110) +
		"Stopped execution of TB chain before 0x1 [0000000000000110] a\n" + log(0x110, 0x204, 0x300, 0x300, 0x100, 0x110) +
		"Stopped execution of TB chain before 0x1 [0000000000000110] a\n"
	p, err := Read(strings.NewReader(text), three, "main.mark", 2)
	if err != nil {
		t.Fatal(err)
	}
	if p.Marks != 2 || p.Total != 12.0/4 {
		t.Errorf("%+v", p)
	}
	want := map[string]Count{"a": {"a", 5.0 / 4, 3.0 / 4}, "main.mark": {"main.mark", 1, 0.5}, "b": {"b", 0.25, 0}, "?": {"?", 0.5, 0.5}}
	for _, c := range p.Counts {
		if c != want[c.Func] {
			t.Errorf("%+v, want %+v", c, want[c.Func])
		}
	}
	if len(p.Counts) != len(want) || p.Counts[0].Func != "a" {
		t.Errorf("%+v", p.Counts)
	}
	calls := map[Call]float64{{"main.mark", "a"}: 0.5, {"a", "a"}: 0.25, {"b", "?"}: 0.25, {"?", "?"}: 0.25, {"b", "main.mark"}: 0.25, {"a", "main.mark"}: 0.25}
	if !maps.Equal(p.Calls, calls) {
		t.Errorf("%+v", p.Calls)
	}
	if three.Size("a") != 16 || three.Size("z") != 0 {
		t.Error("sizes of functions")
	}
}

func TestReadRefuses(t *testing.T) {
	for _, text := range []string{"", "nonsense\nTrace\nTrace 0: 0x1 [\nTrace 0: /zz/\n", log(0x110, 0x114), log(0x100, 0x110)} {
		if _, err := Read(strings.NewReader(text), three, "main.mark", 1); !errors.Is(err, errMarks) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := NewSymbols([]byte("no program")); err == nil {
		t.Error("symbols of nothing")
	}
}

func TestOwners(t *testing.T) {
	p := Profile{Counts: []Count{
		{"internal/runtime/s9/sched.(*Sched).find", 1, 0}, {"runtime.sched9Runtime.Execute", 2, 0}, {"runtime.(*sched9Runtime).Execute", 4, 0},
		{"internal/runtime.TSC.abi0", 8, 0}, {"runtime.casgstatus", 16, 0}, {"internal/runtime/syscall/linux.Syscall6", 32, 0}, {"main.yield", 64, 0}, {"?", 128, 0},
	}}
	if got := p.Owners(); got[Ours] != 15 || got[Language] != 16+32+128 || got[Program] != 64 {
		t.Error(got)
	}
}

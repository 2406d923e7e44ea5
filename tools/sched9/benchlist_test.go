package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sched9/kernel/goruntime"
	"sched9/tools/internal/profile"
)

// TestListing: a line of source stands above the instructions that it is made of, and the counts of functions make the sums.
func TestListing(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"sched/a.go": "one\n\ttwo\n", "arch/c.s": "arch\n", "kernel/goruntime/runtime/zsched9_b.go": "bee\n"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a, b := "/go/src/"+goruntime.Root+"sched/a.go", "/go/src/runtime/zsched9_b.go"
	code := map[uint64]profile.Instruction{
		1: {Text: "NOP", Func: goruntime.Root + "sched.f", File: a, Line: 2}, 2: {Text: "RET", Func: goruntime.Root + "sched.f", File: a, Line: 2},
		3: {Text: "INC", Func: "runtime.g", File: b, Line: 1}, 6: {Text: "HLT", Func: "runtime.g", File: "/go/src/" + goruntime.ArchRoot + "/c.s", Line: 1}, 4: {Text: "DEC", Func: "seldom", File: "/none.go", Line: 9}, 5: {Text: "JMP", Func: "often", File: b, Line: 7},
	}
	s := profile.Stretches{Count: 4, Same: 3, Usual: []uint64{1, 2, 3, 6, 1}, Mean: map[uint64]float64{1: 2, 2: 1, 3: 0.75, 6: 1, 4: 0.25, 5: 1.5}}
	var out strings.Builder
	printListing(&out, "op", s, func(pc uint64) profile.Instruction { return code[pc] }, sourceLines{dir})
	const want = `op: 3 of 4 times as follows (the program's own instructions are not listed)

sched.f a.go:2: two
	1	NOP
	2	RET
runtime.g zsched9_b.go:1: bee
	3	INC
runtime.g c.s:1: arch
	6	HLT
sched.f a.go:2: two
	1	NOP

  listed  mean of all
       3          3.0  sched.f
       2          1.8  runtime.g
       0          1.5  often
       0          0.2  others
       5          6.5  all
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}

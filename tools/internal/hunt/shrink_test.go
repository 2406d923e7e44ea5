package hunt

import (
	"errors"
	"slices"
	"strings"
	"testing"

	schedhunt "sched9/sched/hunt"
	"sched9/tools/internal/report"
)

// TestLeast: what is needed stays, in order, and nothing else, in far fewer tries than there are subsets.
func TestLeast(t *testing.T) {
	var all []schedhunt.Move
	for i := range uint32(100) {
		all = append(all, schedhunt.Move{Kind: schedhunt.AtPoint, G: i, N: 1})
	}
	for _, need := range [][]uint32{{}, {0}, {99}, {17}, {17, 18}, {3, 50, 97}} {
		tries := 0
		got, ok, err := least(all, func(m []schedhunt.Move) (bool, bool, error) {
			tries++
			for _, n := range need {
				if !slices.Contains(m, all[n]) {
					return false, false, nil
				}
			}
			return true, false, nil
		})
		var left []uint32
		for _, m := range got {
			left = append(left, m.G)
		}
		if !ok || err != nil || !slices.Equal(left, need) || tries > 80 {
			t.Errorf("need %v: %v, %v, %v after %d tries", need, left, ok, err, tries)
		}
	}
	tries := 0
	if got, ok, _ := least(all, func(m []schedhunt.Move) (bool, bool, error) {
		tries++
		return slices.Contains(m, all[0]), tries > 3, nil
	}); ok || len(got) == 100 || !slices.Contains(got, all[0]) {
		t.Errorf("over after three tries: %d moves, %v", len(got), ok)
	}
	if _, _, err := least(all, func([]schedhunt.Move) (bool, bool, error) { return false, false, errors.New("no QEMU") }); err == nil {
		t.Error("no error")
	}
}

// switches are of two goroutines that each take two locks, in two orders.
var switches = []report.Switch{
	{From: 1, To: 7, Times: 1, Function: "main.main", File: "/x/main.go", Line: 9, Call: "sync.(*WaitGroup).Wait"},
	{From: 7, To: 7, Times: 1, Other: true, Why: 's', At: 1, Function: "main.a", File: "/x/main.go", Line: 19, Call: "sync.(*Mutex).Lock"},
	{From: 7, To: 8, Times: 1, Why: 's', At: 2, Function: "x/y.a", File: "/x/main.go", Line: 20, Call: "sync.(*Mutex).Lock"},
	{From: 8, To: 9, Times: 1, Other: true, Why: 'c', At: 1234, Function: "main.b", File: "/x/main.go", Line: 30, Call: "-"},
	{From: 9, To: 7, Times: 1, Ended: true, Function: "-", File: "-", Call: "-"},
}

// TestMoves: the moves of switches, and their text; a goroutine that was stopped and went on at once has not moved.
func TestMoves(t *testing.T) {
	if got, want := text(moves(switches)), "s7.2,c8.1234,p8.1.9"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := text(moves(switches[:2])); got != plain {
		t.Errorf("no moves are %q", got)
	}
	few, many := schedhunt.Move{Kind: 's', G: 1, N: 1}, schedhunt.Move{Kind: 's', G: 1e9, N: 1e9} // 5 and 23 bytes with the comma
	for _, c := range []struct {
		move      schedhunt.Move
		all, want int
	}{{few, 0, 0}, {few, 7, 7}, {few, schedhunt.MaxMoves + 1, schedhunt.MaxMoves}, {many, 200, (schedhunt.MaxMovesText + 1) / 23}} {
		if got := fitting(slices.Repeat([]schedhunt.Move{c.move}, c.all)); len(got) != c.want {
			t.Errorf("of %d moves such as %v %d fit, want %d", c.all, c.move, len(got), c.want)
		}
	}
	if !alike("wrong: counted 3", "wrong: counted 12") || alike("a", "b") {
		t.Error("titles that differ in numbers are alike, and no others")
	}
}

// TestCausePrint: two columns, where each move and what is behind it is told.
func TestCausePrint(t *testing.T) {
	var b strings.Builder
	c := Cause{Moves: moves(switches), Switches: switches, Boots: 12, Least: true}
	c.Print(&b)
	for _, want := range []string{
		"needs 2 preemptions and 1 choice of another than the oldest (12 boots)\n",
		"G1 waits at main.go:9 main.main, in sync.(*WaitGroup).Wait ",
		"G7 is stopped at main.go:20 y.a, before sync.(*Mutex).Lock ",
		"G8 is stopped at main.go:30 main.b ",
		" G9 begins\n", " G7 goes on at main.go:20 y.a, before sync.(*Mutex).Lock\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "main.go:19") {
		t.Errorf("a goroutine that has not left is told of\n%s", b.String())
	}
	b.Reset()
	long := Cause{Switches: append(slices.Repeat(switches[:1], 40), switches[3]), Moves: moves(switches[3:4])}
	long.Print(&b)
	if lines := strings.Count(b.String(), "\n"); lines != 3 || !strings.Contains(b.String(), "    ...") || !strings.Contains(b.String(), ", or fewer") {
		t.Errorf("%d lines of a long schedule\n%s", lines, b.String())
	}
}

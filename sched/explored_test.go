//go:build explore

package sched

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"sched9/sched/interleave"
)

// extra is how many more preemptions the environment's MORE asks for.
func extra(t *testing.T) int {
	text := os.Getenv("MORE")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("MORE=%q is no number", text)
	}
	return n
}

// TestExplored tries all interleavings of each program within its bound.
func TestExplored(t *testing.T) {
	more := extra(t)
	for _, p := range uses {
		t.Run(p.name, func(t *testing.T) {
			x := newExplorer(p)
			began := time.Now()
			d, bad := x.exhaust(p.bound+more, 50_000_000)
			if bad != nil {
				t.Fatal(x.show(bad))
			}
			fmt.Printf("model: %-12s %d CPUs %d Ps, %d preemptions: %8d states %8d interleavings %8d abandoned as known, %3d shared words, %.1fs\n",
				p.name, p.ncpu, p.procs, d.Bound, d.States, d.Runs, d.Pruned, x.count(), time.Since(began).Seconds())
		})
	}
}

// TestReplay repeats the run that the environment's SCHEDULE names, and shows it.
func TestReplay(t *testing.T) {
	text := os.Getenv("SCHEDULE")
	if text == "" {
		text = uses[0].name + "/-"
	}
	name, text, _ := strings.Cut(text, "/")
	for _, p := range uses {
		if p.name != name {
			continue
		}
		s, err := interleave.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		x := newExplorer(p)
		x.everything = true
		r := interleave.NewReplay(s)
		w, msg := x.run(r, true)
		t.Logf("\n%s", w.table.String(400))
		if msg != "" || r.Bad != "" {
			t.Fatal(r.Bad, msg)
		}
		return
	}
	t.Fatalf("there is no program %q", name)
}

//go:build explore

package sched

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sched9/sched/interleave"
)

// number is what the environment's name says, or otherwise.
func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s=%q is no number", name, text)
	}
	return n
}

// TestExplored tries all interleavings of each program within its bound, and as many
// preemptions more as the environment's MORE says. STATES is how many states and runs that
// may take; a program that takes more is not exhausted, which is an error unless MORE asks
// for more than its bound.
func TestExplored(t *testing.T) {
	more := number(t, "MORE", 0)
	budget := number(t, "STATES", 50_000_000)
	for _, p := range append(uses, linearUses()...) {
		t.Run(p.name, func(t *testing.T) {
			x := newExplorer(p)
			began := time.Now()
			d, all, bad := x.exhaust(p.bound+more, budget)
			if bad != nil {
				t.Fatal(x.show(bad))
			}
			what := "exhausted"
			if !all {
				what = "NOT EXHAUSTED"
			}
			fmt.Printf("model: %-15s %d CPUs %d Ps, %d preemptions: %8d states %8d interleavings %8d abandoned as known, %3d shared words, %s, %.0fs\n",
				p.name, p.ncpu, p.procs, d.Bound, d.States, d.Runs, d.Pruned, x.count(), what, time.Since(began).Seconds())
			if !all && more <= 0 {
				t.Error("make the program smaller, or the bound")
			}
		})
	}
}

// TestNames prints the names of all programs: those that are explored, and those that are
// only run at random.
func TestNames(t *testing.T) {
	for _, p := range append(uses, linearUses()...) {
		fmt.Printf("explored: %s\n", p.name)
	}
	for _, p := range randomUses() {
		fmt.Printf("random: %s\n", p.name)
	}
}

// TestReplay repeats the run that the environment's SCHEDULE names, and shows it.
func TestReplay(t *testing.T) {
	text := os.Getenv("SCHEDULE")
	if text == "" {
		text = uses[0].name + "/-"
	}
	name, text, _ := strings.Cut(text, "/")
	for _, p := range slices.Concat(randomUses(), linearUses()) {
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

// randomUses are the programs of uses, and the random ones of mixes.
func randomUses() []*use {
	all := append([]*use{}, uses...)
	for _, mix := range mixes {
		all = append(all, &use{
			name: fmt.Sprintf("%s%dM%dP", mix.name, mix.ncpu, mix.procs), ncpu: mix.ncpu, procs: mix.procs, time: true,
			build: func(w *walk) {
				w.mdl.ops = mix.ops
				w.mdl.step = stepTime
				w.mdl.root(1, 20, 10)
				w.seatAt(w.mdl.cpus[0], w.mdl.cpus[0].run)
			},
		})
	}
	return all
}

// TestRandom runs each of the programs, and each of the random ones of mixes, under orders
// that are drawn from seeds: with more changes than all of them could be tried with. The
// environment's SEED names a single one, SEEDS how many.
func TestRandom(t *testing.T) {
	first, n := uint64(1), seeds(60, 5)
	if text := os.Getenv("SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("SEED=%q is no number", text)
		}
		first, n = seed, 1
	}
	for _, p := range randomUses() {
		t.Run(p.name, func(t *testing.T) {
			x := newExplorer(p)
			x.limit = 2_000_000
			steps, points := 500, 0
			draw := func(seed uint64) int {
				w, msg := x.run(interleave.NewPCT(seed, 3+int(seed)%20, steps), false)
				if msg != "" {
					t.Fatalf("SEED=%d\n%s", seed, x.show(&failure{msg, w.schedule}))
				}
				return w.step
			}
			// What is learned first, how long a run is and which words are shared, does not
			// depend on which seeds come then: a seed repeats its run by itself.
			for seed := range uint64(3) {
				steps = draw(seed)
				x.learn()
			}
			for seed := first; seed < first+n; seed++ {
				points += draw(seed)
			}
			fmt.Printf("random: %-15s %d CPUs %d Ps: %5d seeds %9d steps\n", p.name, p.ncpu, p.procs, n, points)
		})
	}
}

// Every program that is explored stands in docs/model.md, with its size, its bound and its
// rules.
func TestDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/model.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(uses, linearUses()...) {
		row := fmt.Sprintf("| %s | %d, %d | %d | %s |", p.name, p.ncpu, p.procs, p.bound, p.rules)
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/model.md has no row that begins with %s", row)
		}
	}
}

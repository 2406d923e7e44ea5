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
	for _, p := range append(uses, linearUses()...) {
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
	for _, p := range append(uses, linearUses()...) {
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
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) {
			x := newExplorer(p)
			x.limit = 2_000_000
			steps, points := 500, 0
			for seed := first; seed < first+n; seed++ {
				w, msg := x.run(interleave.NewPCT(seed, 3+int(seed)%20, steps), false)
				if msg != "" {
					t.Fatalf("SEED=%d\n%s", seed, x.show(&failure{msg, w.schedule}))
				}
				x.learn()
				steps = w.step
				points += steps
			}
			t.Logf("%d seeds, %d steps", n, points)
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

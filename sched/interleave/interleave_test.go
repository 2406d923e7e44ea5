package interleave

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// toy is a program for a search to be tried on: threads that load, store and add to a
// few words, and may wait until a word is not 0.
type toy struct {
	threads [][]step
	words   int
}

type step struct {
	what byte // 'l' load into the register, 's' store a number, 'r' store the register, 'a' add, 'w' wait until not 0
	word int
	n    int
}

// result is what a run ends with.
func (y *toy) run(s Strategy, search *DFS) (result string, schedule Schedule, steps int, whole bool) {
	words := make([]int, y.words)
	regs, pcs := make([]int, len(y.threads)), make([]int, len(y.threads))
	cur := -1
	for {
		p := Point{Step: steps, Cur: Time, Free: true, Word: -1}
		steps++
		able := func(i int) bool {
			if pcs[i] == len(y.threads[i]) {
				return false
			}
			at := y.threads[i][pcs[i]]
			return at.what != 'w' || words[at.word] != 0
		}
		if cur >= 0 {
			p.Cur = Move(cur)
			if able(cur) {
				p.Free = false
				p.Able = append(p.Able, p.Cur)
				at := y.threads[cur][pcs[cur]]
				p.Word, p.Write = at.word, at.what == 's' || at.what == 'r' || at.what == 'a'
			}
		}
		for i := range y.threads {
			if i != cur && able(i) {
				p.Able = append(p.Able, Move(i))
			}
		}
		if len(p.Able) == 0 {
			return fmt.Sprint(words, regs, pcs), schedule, steps, true
		}
		p.State = 1
		for _, list := range [][]int{words, regs, pcs} {
			for _, v := range list {
				p.State = Mix(p.State, uint64(v)+7)
			}
		}
		m, ok := s.Move(&p)
		if !ok {
			return "", schedule, steps, false
		}
		schedule.Note(&p, m)
		cur = int(m)
		at := y.threads[cur][pcs[cur]]
		pcs[cur]++
		switch at.what {
		case 'l':
			regs[cur] = regs[cur]*3 + words[at.word]
		case 's':
			words[at.word] = at.n
		case 'r':
			words[at.word] = regs[cur]
		case 'a':
			words[at.word] += at.n
			regs[cur] = regs[cur]*3 + words[at.word]
		}
		if search != nil {
			search.Access(m, at.word, strings.ContainsRune("sra", rune(at.what)))
		}
	}
}

// random makes a toy.
func random(seed uint64) *toy {
	rnd := rand.New(rand.NewPCG(seed, 1))
	y := &toy{words: 1 + rnd.IntN(3)}
	for range 2 + rnd.IntN(2) {
		var t []step
		for range 1 + rnd.IntN(5) {
			t = append(t, step{"lsraw"[rnd.IntN(5)], rnd.IntN(y.words), 1 + rnd.IntN(3)})
		}
		y.threads = append(y.threads, t)
	}
	return y
}

// all are the results of a search, each with one schedule that leads there.
func (y *toy) all(d *DFS) map[string]Schedule {
	out := map[string]Schedule{}
	for d.Begin() {
		result, schedule, _, whole := y.run(d, d)
		if whole {
			out[result] = schedule
		}
		d.End(!whole)
	}
	return out
}

// What a search leaves out because it is known or sleeps changes no result, whatever the
// bound.
func TestNothingIsLeftOut(t *testing.T) {
	full, reduced := 0, 0
	for seed := range uint64(600) {
		y := random(seed)
		for bound := range 4 {
			f, d := &DFS{Bound: bound, Full: true}, &DFS{Bound: bound}
			want, got := y.all(f), y.all(d)
			full += f.Runs
			reduced += d.Runs + d.Pruned
			for r, s := range want {
				if _, ok := got[r]; !ok {
					t.Fatalf("toy %d, bound %d: %s by %v is missed: %+v", seed, bound, r, s, y)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("toy %d, bound %d: %d results, want %d", seed, bound, len(got), len(want))
			}
		}
	}
	if reduced >= full {
		t.Errorf("%d runs for %d", reduced, full)
	}
	t.Logf("%d runs for %d", reduced, full)
}

// Two threads of m and n steps have as many interleavings as there are ways to choose m
// of m+n places, if there are preemptions enough.
func TestAllOrders(t *testing.T) {
	y := &toy{words: 1, threads: [][]step{
		{{'a', 0, 1}, {'a', 0, 2}, {'a', 0, 1}},
		{{'a', 0, 3}, {'a', 0, 5}, {'a', 0, 3}},
	}}
	d := &DFS{Bound: 10, Full: true}
	y.all(d)
	if d.Runs != 20 {
		t.Errorf("%d interleavings of 3 and 3 steps, want 20", d.Runs)
	}
	for bound, want := range []int{2, 6, 14} {
		d := &DFS{Bound: bound, Full: true}
		y.all(d)
		if d.Runs != want {
			t.Errorf("%d interleavings with %d preemptions, want %d", d.Runs, bound, want)
		}
	}
}

// An update that is lost if the other thread comes between load and store.
var lost = &toy{words: 1, threads: [][]step{{{'l', 0, 0}, {'r', 0, 0}}, {{'s', 0, 7}}}}

// What a search or a seed finds (both threads in turn, either way, and the lost update) is found again by its schedule, also from its text.
func TestSchedulesRepeat(t *testing.T) {
	results := map[string]bool{}
	check := func(result string, s Schedule) {
		t.Helper()
		results[result] = true
		parsed, err := Parse(s.String())
		if err != nil {
			t.Fatal(err)
		}
		r := NewReplay(parsed)
		if again, _, _, _ := lost.run(r, nil); again != result || r.Bad != "" {
			t.Errorf("%v gives %s, then %s %s", s, result, again, r.Bad)
		}
	}
	for result, s := range lost.all(&DFS{Bound: 1}) {
		check(result, s)
	}
	if len(results) != 3 {
		t.Errorf("%d results, want 3", len(results))
	}
	clear(results)
	for seed := range uint64(100) {
		result, s, _, _ := lost.run(NewPCT(seed, 2, 4), nil)
		check(result, s)
		if again, _, _, _ := lost.run(NewPCT(seed, 2, 4), nil); again != result {
			t.Errorf("seed %d gives %s, then %s", seed, result, again)
		}
	}
	if len(results) != 3 {
		t.Errorf("100 seeds find %d results, want 3", len(results))
	}
}

// A malformed schedule is refused, one that does not fit says so.
func TestBadSchedules(t *testing.T) {
	for _, text := range []string{"", "x", "3", "3>", ">1", "3>1,3>0", "5>1,4>0", "3>1000", "3>-2", "3>1;4>0"} {
		if s, err := Parse(text); err == nil {
			t.Errorf("%q is taken for %v", text, s)
		}
	}
	for _, text := range []string{"1>5", "0>T"} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		r := NewReplay(s)
		lost.run(r, nil)
		if r.Bad == "" {
			t.Errorf("%s fits", text)
		}
	}
}

// A state is told by what has happened. A program that passes two points of which nothing tells
// the second from the first would have its run abandoned there, as known.
func TestPointsAreTold(t *testing.T) {
	d := &DFS{Bound: 1}
	d.Begin()
	p := &Point{Cur: 0, Able: []Move{0, 1}, State: 7, Word: -1}
	if _, ok := d.Move(p); !ok {
		t.Fatal("the first point is known")
	}
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "same state twice, at step 1") {
			t.Errorf("nobody notices: %v", r)
		}
	}()
	p.Step = 1
	_, ok := d.Move(p)
	t.Errorf("the run goes on: %v", ok)
}

// A table has a column for each thread, and shows the last rows.
func TestTable(t *testing.T) {
	table := NewTable("M0", "M1")
	table.Add(1, 0, "load")
	table.Add(2, 1, "a longer text")
	table.Add(3, 0, "store")
	want := `(1 rows before these)
  step | M0    | M1
     2 |       | a longer text
     3 | store |
`
	if got := table.String(2); got != want {
		t.Errorf("%q", got)
	}
}

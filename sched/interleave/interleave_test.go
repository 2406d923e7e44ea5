package interleave

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// toy is a program for a search to be tried on: threads that load, store and add to a
// few words, and may wait. A store may stay in the thread's buffer, and lands when a thread of its own says so, or before the thread's next
// store that is none of that kind.
type toy struct {
	threads [][]step
	words   int
}

type step struct {
	what byte // 'l' load into the register, 's' store a number, 'r' store the register, 'a' add, 'b' store a number into the buffer,
	// 'w' wait until not 0, 'v' wait until not 0 while the next word is 0, 'k' wait until 0 and store 1, 'u' store 0
	word int
	n    int
}

// state is where a run of a toy stands.
type state struct {
	*toy
	words, regs, pcs []int
	buffers          [][]step
}

// newState is where they begin.
func newState(y *toy) *state {
	n := len(y.threads)
	return &state{y, make([]int, y.words), make([]int, n), make([]int, n), make([][]step, n)}
}

// next is what thread i does next, nil: nothing. The threads behind the toy's own are their buffers.
func (y *state) next(i int) *step {
	if i >= len(y.threads) {
		if b := y.buffers[i-len(y.threads)]; len(b) > 0 {
			return &step{'s', b[0].word, b[0].n}
		}
		return nil
	}
	if y.pcs[i] == len(y.threads[i]) {
		return nil
	}
	return &y.threads[i][y.pcs[i]]
}

// also is the second word that a step waits for.
func (y *state) also(at *step) int { return (at.word + 1) % y.toy.words }

// waits are the words that a step waits for.
func (y *state) waits(at *step) []int {
	if at.what == 'v' {
		return []int{at.word, y.also(at)}
	}
	return []int{at.word}
}

// able reports whether thread i can go on.
func (y *state) able(i int) bool {
	at := y.next(i)
	switch {
	case at == nil:
		return false
	case at.what == 'w':
		return y.words[at.word] != 0
	case at.what == 'v':
		return y.words[at.word] != 0 && y.words[y.also(at)] == 0
	case at.what == 'k':
		return y.words[at.word] == 0
	}
	return true
}

// load is what thread i reads: its own last store if that is in its buffer.
func (y *state) load(i, word int) int {
	b := y.buffers[i]
	for k := len(b) - 1; k >= 0; k-- {
		if b[k].word == word {
			return b[k].n
		}
	}
	return y.words[word]
}

// do has thread i do its next step, and tells used of each access.
func (y *state) do(i int, used func(word int, wrote bool)) {
	at := *y.next(i)
	land := func(n int) {
		b := y.buffers[n]
		y.words[b[0].word] = b[0].n
		used(b[0].word, true)
		y.buffers[n] = b[1:]
	}
	if n := i - len(y.threads); n >= 0 {
		used(-1-n, true)
		land(n)
		return
	}
	y.pcs[i]++
	if strings.ContainsRune("sraku", rune(at.what)) {
		used(-1-i, false) // what it does depends on what has landed
		for len(y.buffers[i]) > 0 {
			land(i)
		}
	}
	used(at.word, strings.ContainsRune("sraku", rune(at.what)))
	switch at.what {
	case 'l':
		y.regs[i] = y.regs[i]*3 + y.load(i, at.word)
	case 's':
		y.words[at.word] = at.n
	case 'r':
		y.words[at.word] = y.regs[i]
	case 'a':
		y.words[at.word] += at.n
		y.regs[i] = y.regs[i]*3 + y.words[at.word]
	case 'b':
		y.buffers[i] = append(y.buffers[i][:len(y.buffers[i]):len(y.buffers[i])], at)
	case 'k':
		y.words[at.word] = 1
	case 'u':
		y.words[at.word] = 0
	case 'v':
		used(y.also(&at), false)
	}
}

// run runs a toy once; the result is what it ends with.
func (toy *toy) run(s Strategy, search Search) (result string, schedule Schedule, steps int, whole bool) {
	y := newState(toy)
	cur := -1
	for {
		p := Point{Step: steps, Cur: Time, Free: true, Word: -1}
		steps++
		if cur >= 0 {
			p.Cur = Move(cur)
			if y.able(cur) {
				p.Free = false
				p.Able = append(p.Able, p.Cur)
				at := y.next(cur)
				p.Word, p.Write = at.word, !strings.ContainsRune("lbwv", rune(at.what))
				if at.what == 'v' {
					p.Word = -1 // two words: it does not sleep
				}
			}
		}
		for i := range 2 * len(y.threads) {
			if i != cur && y.able(i) {
				p.Able = append(p.Able, Move(i))
			}
			if at := y.next(i); at != nil && !y.able(i) && search != nil {
				search.Waits(Move(i), y.waits(at)...)
			}
		}
		if len(p.Able) == 0 {
			return fmt.Sprint(y.words, y.regs, y.pcs), schedule, steps, true
		}
		p.State = 1
		for _, list := range [][]int{y.words, y.regs, y.pcs} {
			for _, v := range list {
				p.State = Mix(p.State, uint64(v)+7)
			}
		}
		for i, b := range y.buffers {
			for _, at := range b {
				p.State = Mix(p.State, uint64(at.word*64+at.n*8+i)+7)
			}
		}
		m, ok := s.Move(&p)
		if !ok {
			return "", schedule, steps, false
		}
		schedule.Note(&p, m)
		cur = int(m)
		y.do(cur, func(word int, wrote bool) {
			if search != nil {
				search.Access(m, word, wrote)
			}
		})
	}
}

// random makes a toy of the given kinds of steps, at most so many a thread.
func random(seed uint64, ops string, most int) *toy {
	rnd := rand.New(rand.NewPCG(seed, 1))
	y := &toy{words: 1 + rnd.IntN(3)}
	for range 2 + rnd.IntN(2) {
		var t []step
		for range 1 + rnd.IntN(most) {
			t = append(t, step{ops[rnd.IntN(len(ops))], rnd.IntN(y.words), 1 + rnd.IntN(3)})
		}
		y.threads = append(y.threads, t)
	}
	return y
}

// all are the results of a search, each with one schedule that leads there.
func (y *toy) all(d Search) map[string]Schedule {
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
		y := random(seed, "lsraw", 5)
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

package interleave

import "fmt"

// DFS tries all runs of a program with at most Bound preemptions, one after the other. The program
// must do the same whenever the same moves are made.
//
// Two reductions keep it from trying what is known.
//
// It does not continue from a state that it met before with at least as many preemptions left: what
// follows is the same.
//
// A thread that was preempted before an access sleeps until another thread's access touches the
// same word, and one of the two is a store (sleep sets, Godefroid 1996). Had it been chosen before
// that, its access could as well have been made before the preemption, which then comes one access
// later and costs the same; and that run is among those that are tried. Threads that were not
// preempted never sleep: for them the other order would cost one more preemption. All are awake
// again when the running thread cannot go on: it might, had they gone first.
type DFS struct {
	Bound int
	Full  bool // no thread sleeps, and no state is known: for comparison

	States int // different states met
	Runs   int // runs to the end
	Pruned int // runs that were abandoned

	seen  map[uint64]visit // by state and who has it
	run   int32            // how many runs were begun
	path  []node
	at    int       // how much of path the run has followed
	left  int       // preemptions
	sleep []sleeper // by thread
	ended bool
}

// visit is the knowledge of a state: the most preemptions that were left when it was met, and in
// which run that was.
type visit struct {
	left int8
	run  int32
}

// sleeper is a thread that need not be chosen until another thread touches a word.
type sleeper struct {
	asleep bool
	word   int
	write  bool
}

// node is a point where there is more than one move.
type node struct {
	step  int
	moves []Move
	first int // how many of moves cost nothing
	next  int // the move to be made now
}

// Begin begins a run. It reports false if all were made.
func (d *DFS) Begin() bool {
	if d.ended {
		return false
	}
	if d.seen == nil {
		d.seen = map[uint64]visit{}
	}
	d.run++
	d.at, d.left = 0, d.Bound
	clear(d.sleep)
	return true
}

// End ends a run, which was abandoned or not, and chooses the next.
func (d *DFS) End(abandoned bool) {
	if abandoned {
		d.Pruned++
	} else {
		d.Runs++
	}
	for len(d.path) > 0 {
		n := &d.path[len(d.path)-1]
		if n.next++; n.next < len(n.moves) {
			return
		}
		d.path = d.path[:len(d.path)-1]
	}
	d.ended = true
}

// Replaying reports whether the run still repeats an earlier one, and so meets nothing new.
func (d *DFS) Replaying() bool { return d.at < len(d.path) }

// Access tells what thread t has done to a word; wrote: it has stored something.
func (d *DFS) Access(t Move, word int, wrote bool) {
	for i := range d.sleep {
		s := &d.sleep[i]
		if s.asleep && s.word == word && (s.write || wrote) && Move(i) != t {
			s.asleep = false
		}
	}
}

// Wake lets all threads be chosen again: something was done that may concern any.
func (d *DFS) Wake() { clear(d.sleep) }

// Waits says nothing that matters here: a thread that waits is looked at wherever another may go on.
func (d *DFS) Waits(t Move, words ...int) {}

// Rest: see Waits.
func (d *DFS) Rest() {}

// asleep reports whether thread m sleeps.
func (d *DFS) asleep(m Move) bool { return int(m) < len(d.sleep) && d.sleep[m].asleep }

// made notes that move m is made at p, at the price of a preemption or not.
func (d *DFS) made(p *Point, m Move, costs bool) {
	if costs {
		d.left--
	}
	switch {
	case m == Time:
		clear(d.sleep) // interrupts strike where they could not before
	case costs && p.Word >= 0 && !d.Full:
		for len(d.sleep) <= int(p.Cur) {
			d.sleep = append(d.sleep, sleeper{})
		}
		d.sleep[p.Cur] = sleeper{true, p.Word, p.Write}
	}
}

// Move is Strategy's.
func (d *DFS) Move(p *Point) (Move, bool) {
	if d.at < len(d.path) {
		n := &d.path[d.at]
		if p.Step > n.step || p.Step == n.step && !p.can(n.moves[n.next]) {
			panic(fmt.Sprintf("the program did something else at step %d when the same moves were made: it is at %+v, and was at %+v", n.step, *p, *n))
		}
		if p.Step == n.step {
			if p.Free {
				clear(d.sleep)
			}
			d.at++
			d.made(p, n.moves[n.next], n.next >= n.first)
			return n.moves[n.next], true
		}
	}
	if p.Free {
		clear(d.sleep)
	}
	n := node{step: p.Step}
	for i, m := range p.Able {
		if !d.asleep(m) && (p.Free || i == 0 || d.left > 0) {
			n.moves = append(n.moves, m)
		}
	}
	if n.first = len(n.moves); !p.Free {
		n.first = 1
	}
	if p.Time && d.left > 0 {
		n.moves = append(n.moves, Time)
	}
	if len(n.moves) == 0 && len(p.Able) > 0 {
		return 0, false
	}
	if len(n.moves) == 0 {
		n.moves = append(n.moves, Time)
	}
	if d.at < len(d.path) {
		return n.moves[0], true // on the way to the next node there is no choice
	}
	if p.State != 0 && !d.Full && d.known(p) {
		return 0, false
	}
	if len(n.moves) > 1 {
		d.path = append(d.path, n)
		d.at++
	}
	return n.moves[0], true
}

// known reports whether p's state was met before, with as many preemptions left, and
// notes it. Without any left there is seldom a choice until the end; then one state of
// eight is noted, which is met again soon enough.
func (d *DFS) known(p *Point) bool {
	key := p.State
	for i, s := range d.sleep {
		if s.asleep {
			key = Mix(key, uint64(i)+100)
		}
	}
	if !p.Free {
		key = Mix(key, uint64(p.Cur)+1)
	}
	if d.left == 0 && key%8 != 0 {
		return false
	}
	v, met := d.seen[key]
	if met && int(v.left) >= d.left {
		if v.run == d.run {
			// The continuation after the first time is this run itself: it would never be made.
			panic(fmt.Sprintf("a run comes to the same state twice, at step %d: nothing has changed since the point before, not even that it was passed", p.Step))
		}
		return true
	}
	if !met {
		d.States++
	}
	d.seen[key] = visit{int8(d.left), d.run}
	return false
}

// Mix hashes two numbers into one; different pairs almost always have different results.
func Mix(a, b uint64) uint64 {
	x := (a+0x632be59bd9b4e019)*0x9e3779b97f4a7c15 ^ b
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 29
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}

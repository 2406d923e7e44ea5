package text

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sched9/record"
	"sched9/trace"
)

// Verdict says how a run ended and what the program's goroutines were doing then: which waits for
// what, where and how long. It knows only what the recording shows. In particular locking a free
// lock leaves no record, so its owner is not known; which goroutines released it to waiters so far
// is.
type Verdict struct {
	Title  string
	Bad    bool // the run did not end by itself, or not well
	Stands []Stand
	Rest   int      // Stands that are left out
	Notes  []string // what follows, and what cannot be known
}

// Stand is a place at which goroutines of the program stood when the recording
// ended.
type Stand struct {
	Gs    []uint64
	What  string // what they do: "waiting (sync.Mutex.Lock)"
	Where string // "main.f main.go:12", "" if unknown
	For   int64  // for how long the first of them has
	Wakes string // the goroutines that so far ended the waits there, "" if there were none
}

// mostStands bounds a Verdict, whatever the number of goroutines.
const mostStands = 12

// Judge makes the Verdict of a run.
func Judge(v *trace.View) Verdict {
	j := judge{v: v, t: v.Trace, at: map[place]*stand{}, wakers: map[uint64]map[uint64]*waker{}}
	for _, g := range v.Gs {
		if g.Ended >= 0 || g.System {
			continue
		}
		j.alive++
		j.add(g)
	}
	j.history()
	slices.SortStableFunc(j.all, func(a, b *stand) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.since, b.since)) })
	w := Verdict{}
	w.Title, w.Bad = j.title()
	for _, s := range j.all[:min(len(j.all), mostStands)] {
		w.Stands = append(w.Stands, Stand{Gs: s.gs, What: s.what, Where: s.where, For: v.End - s.since, Wakes: j.wakes(s)})
	}
	w.Rest = len(j.all) - len(w.Stands)
	w.Notes = j.notes()
	return w
}

// judge is a Verdict in the making.
type judge struct {
	v      *trace.View
	t      *trace.Trace
	all    []*stand
	at     map[place]*stand
	alive  int // goroutines of the program
	stuck  int // of them wait, and not for the clock
	oldest int64
	wakers map[uint64]map[uint64]*waker // by what is waited for, and by goroutine
}

// stand is a Stand in the making.
type stand struct {
	gs     []uint64
	rank   int // waiting first, then ready, in calls, running, asleep
	what   string
	where  string
	object uint64 // what they wait for, 0: unknown
	lock   bool
	since  int64
}

// place is what those have in common that are one stand.
type place struct {
	what, where string
	object      uint64
}

// waker is what a goroutine did for others that waited for the same.
type waker struct {
	times int
	last  int64
}

// add puts g, which lives, to those that stand where it does.
func (j *judge) add(g *trace.Goroutine) {
	s := stand{since: g.Since}
	stack := g.Stack
	reason := ""
	if n := len(g.Runs); n > 0 {
		r := &j.v.Runs[g.Runs[n-1]]
		stack = r.Stack
		if r.Left == record.EvBlock {
			reason = r.Reason
		}
		if g.State == trace.Waits && r.Finish >= 0 {
			s.object = j.t.Events[r.Finish].Object()
		}
	}
	switch g.State {
	case trace.Waits:
		s.what = "waiting (" + cmp.Or(reason, "not begun") + ")"
		s.lock = strings.Contains(reason, "Mutex")
		if strings.Contains(reason, "sleep") {
			s.rank, s.object = 4, 0
			break
		}
		if j.stuck++; j.oldest == 0 || g.Since < j.oldest {
			j.oldest = g.Since
		}
	case trace.Readies:
		s.rank, s.what = 1, "ready, without a P"
	case trace.Calls:
		s.rank, s.what = 2, "in a system call, without a P"
	case trace.Runs:
		s.rank, s.what, stack = 3, "running", 0
	}
	s.where = Site(j.t, stack)
	key := place{s.what, s.where, s.object}
	old := j.at[key]
	if old == nil {
		old = &s
		j.at[key] = old
		j.all = append(j.all, old)
	}
	old.gs = append(old.gs, g.ID)
	old.since = min(old.since, s.since)
}

// history finds the goroutines that so far woke waiters for the things that goroutines wait for at
// the end.
func (j *judge) history() {
	for _, s := range j.all {
		if s.object != 0 {
			j.wakers[s.object] = map[uint64]*waker{}
		}
	}
	if len(j.wakers) == 0 {
		return
	}
	for _, w := range j.v.Wakes {
		g := j.v.G(w.G)
		if w.New || w.By == 0 || g == nil {
			continue
		}
		// The run that ended before.
		i, _ := slices.BinarySearchFunc(g.Runs, w.At, func(r int, at int64) int { return cmp.Compare(j.v.Runs[r].Start, at) })
		if i == 0 {
			continue
		}
		r := &j.v.Runs[g.Runs[i-1]]
		if r.Left != record.EvBlock || r.Finish < 0 {
			continue
		}
		by := j.wakers[j.t.Events[r.Finish].Object()]
		if by == nil {
			continue
		}
		if by[w.By] == nil {
			by[w.By] = &waker{}
		}
		by[w.By].times++
		by[w.By].last = w.At
	}
}

// wakes says which goroutines ended waits for what s waits for.
func (j *judge) wakes(s *stand) string {
	by := j.wakers[s.object]
	if len(by) == 0 {
		return ""
	}
	ids := slices.SortedFunc(maps.Keys(by), func(a, b uint64) int {
		return cmp.Or(cmp.Compare(by[b].last, by[a].last), cmp.Compare(a, b))
	})
	var parts []string
	for i, id := range ids {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("and %d more", len(ids)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s, last %s before the end (%s)", j.name(id), Plural(by[id].times, "time"), Duration(j.v.End-by[id].last), j.does(id)))
	}
	return "ended so far by " + strings.Join(parts, "; ")
}

// does says what a goroutine does at the end.
func (j *judge) does(id uint64) string {
	g := j.v.G(id)
	switch {
	case g == nil:
		return "unknown"
	case g.Ended >= 0:
		return "it has ended"
	}
	return [...]string{trace.Waits: "it waits", trace.Readies: "it is ready", trace.Calls: "it is in a call", trace.Runs: "it runs"}[g.State]
}

// name is a goroutine's.
func (j *judge) name(id uint64) string {
	if g := j.v.G(id); g != nil {
		return g.Name()
	}
	return trace.Name("", id)
}

// title says how the run ended, and whether that is bad.
func (j *judge) title() (string, bool) {
	t := j.t
	end := ""
	switch {
	case !t.Whole:
		end = "The recording is cut off"
	case t.Why != "":
		end = "The run did not end by itself: " + t.Why
	case t.Status == 2 && j.alive > 0 && j.stuck == j.alive:
		return fmt.Sprintf("Deadlock: %s, the longest for %s, and the runtime ended the program", j.everybody("wait"), Duration(j.v.End-j.oldest)), true
	case t.Status != 0:
		end = fmt.Sprintf("The program ended with status %d", t.Status)
	default:
		end = "The program ended by itself"
	}
	bad := !t.Whole || t.Why != "" || t.Status != 0
	switch {
	case j.stuck == 0:
		return end, bad
	case j.stuck == j.alive:
		return fmt.Sprintf("%s. %s, the longest for %s", end, upper(j.everybody("wait")), Duration(j.v.End-j.oldest)), bad
	}
	return fmt.Sprintf("%s. Of %s of the program %s, the longest for %s", end, Plural(j.alive, "goroutine"), Count(j.stuck)+plural(j.stuck, " waits", " wait"), Duration(j.v.End-j.oldest)), bad
}

// everybody is "all 4 goroutines of the program wait".
func (j *judge) everybody(do string) string {
	if j.alive == 1 {
		return "the program's one goroutine " + do + "s"
	}
	return fmt.Sprintf("all %s goroutines of the program %s", Count(j.alive), do)
}

// plural is one of two words.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// upper begins a sentence.
func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// notes says what follows from all that stand, and what does not.
func (j *judge) notes() []string {
	var notes []string
	if n := j.t.TotalLost(); n > 0 {
		notes = append(notes, Count(n)+plural(int(n), " record was", " records were")+" lost, so some of this may be wrong.")
	}
	for _, ring := range j.rings() {
		if len(ring) == 1 {
			notes = append(notes, j.name(ring[0])+" waits for something that only it has released so far.")
			continue
		}
		notes = append(notes, j.names(ring)+" wait for each other, as far as the recording shows: what each waits for was so far released only by members of this group, and all of them wait.")
	}
	same := map[uint64][]uint64{} // waiting goroutines, by what for
	var objects []uint64
	var free []uint64 // goroutines that wait for a lock of which nothing is known
	locks := 0
	for _, s := range j.all {
		if s.object == 0 {
			continue
		}
		if same[s.object] == nil {
			objects = append(objects, s.object)
			if s.lock && len(j.wakers[s.object]) == 0 {
				locks++
			}
		}
		same[s.object] = append(same[s.object], s.gs...)
		if s.lock && len(j.wakers[s.object]) == 0 {
			free = append(free, s.gs...)
		}
	}
	for _, o := range objects {
		if len(same[o]) > 1 {
			notes = append(notes, j.names(same[o])+" wait for the same.")
		}
	}
	switch {
	case locks == 1:
		notes = append(notes, j.names(free)+plural(len(free), " waits", " wait")+" for a lock that was never released to a waiter so far. A recording does not show which goroutine took it while it was free.")
	case locks > 1:
		notes = append(notes, fmt.Sprintf("%s wait for %d different locks, which were never released to a waiter so far. A recording does not show which goroutine took a lock while it was free: if each holds the lock that another waits for, that is the deadlock.", j.names(free), locks))
	}
	return notes
}

// names are those of goroutines, in the order of their numbers.
func (j *judge) names(ids []uint64) string {
	var names []string
	for _, id := range slices.Sorted(slices.Values(ids)) {
		names = append(names, j.name(id))
	}
	return List(names, 6)
}

// List is "a, b and c", of which it names the first most.
func List(names []string, most int) string {
	if n := len(names); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// rings are the groups of goroutines that wait for each other as far as the past
// tells: what each waits for was released by members of the group only, and by one
// at least, and they all wait.
func (j *judge) rings() [][]uint64 {
	needs := map[uint64][]uint64{} // needed goroutines, by the waiting one
	for _, s := range j.all {
		if s.rank != 0 || len(j.wakers[s.object]) == 0 {
			continue
		}
		for _, g := range s.gs {
			needs[g] = slices.Sorted(maps.Keys(j.wakers[s.object]))
		}
	}
	// Remove goroutines that need one that does not wait, repeatedly, until none is left that does.
	for again := true; again; {
		again = false
		for g, of := range needs {
			if slices.ContainsFunc(of, func(id uint64) bool { return needs[id] == nil }) {
				delete(needs, g)
				again = true
			}
		}
	}
	// Of the rest, each that reaches itself makes a group with those that it reaches and that reach
	// it.
	reach := func(from uint64) map[uint64]bool {
		seen := map[uint64]bool{}
		for next := slices.Clone(needs[from]); len(next) > 0; {
			id := next[len(next)-1]
			next = next[:len(next)-1]
			if !seen[id] {
				seen[id] = true
				next = append(next, needs[id]...)
			}
		}
		return seen
	}
	if len(needs) > mostRing {
		return nil
	}
	var rings [][]uint64
	grouped := map[uint64]bool{}
	for _, g := range slices.Sorted(maps.Keys(needs)) {
		mine := reach(g)
		if grouped[g] || !mine[g] {
			continue
		}
		var ring []uint64
		for _, id := range slices.Sorted(maps.Keys(mine)) {
			if reach(id)[g] {
				ring = append(ring, id)
				grouped[id] = true
			}
		}
		rings = append(rings, ring)
	}
	return rings
}

// mostRing is among how many goroutines groups are looked for.
const mostRing = 500

// verdict writes the Verdict, if the run did not end well.
func (s *summary) verdict() {
	v := Judge(s.v)
	if !v.Bad {
		return
	}
	s.line("\n%s", v.Title)
	shown := v.Stands[:min(len(v.Stands), most-3)]
	for _, st := range shown {
		var names []string
		for _, id := range st.Gs {
			names = append(names, s.v.G(id).Name())
		}
		at := ""
		if st.Where != "" {
			at = " at " + st.Where
		}
		s.line("  %s: %s for %s%s", List(names, 3), st.What, Duration(st.For), at)
		if st.Wakes != "" {
			s.line("    %s", st.Wakes)
		}
	}
	if n := v.Rest + len(v.Stands) - len(shown); n > 0 {
		s.line("  and at %s more", Plural(n, "place"))
	}
	for _, n := range v.Notes {
		s.line("  %s", n)
	}
}

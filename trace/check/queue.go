package check

import (
	"slices"

	"sched9/record"
	"sched9/sched"
)

// The queues. A slot of a ring is told by its index, which counts up for ever, so
// every G's way is followed exactly, whatever the order in which a put by the
// owner and a steal by a thief were recorded.

// take replays that the event's M takes g from where the event says [G3].
func (c *checker) take(g *gState, from record.Place) {
	e := c.e
	where := func(ok bool) {
		c.must(ok, "G3", "G %d is taken from %s but is %v%s", g.id, fromName(from), g.at, c.queueName(g))
	}
	switch from.Kind() {
	case record.FromNowhere, record.FromWorker, record.FromIdleWorker, record.FromGlobal:
		// GetGlobal has put the one from the global queue into this M's hands.
		where(g.at == inHand && g.m == int(e.M))
	case record.FromPass:
		where(g.at == inMine && g.m == int(e.M) || g.at == inHome && g.q == int(e.P))
	case record.FromNext:
		where(g.at == inNext && g.q == int(e.P))
		c.kept(g)
	case record.FromRing:
		where(g.at == inRing && g.q == int(e.P) && g.idx == from.Index())
		c.unring(int(e.P), from.Index(), g)
		c.kept(g)
	case record.FromSteal:
		// Steal has moved it to this index of this P's ring, which the owner
		// alone knows of.
		where(g.at == inRing && g.q == int(e.P) && g.idx == from.Index())
		delete(c.ps[max(int(e.P), 0)].ring, from.Index())
		c.must(c.ms[e.M].stole, "R10", "G %d was stolen, but M %d stole nothing", g.id, e.M)
	default:
		c.fail("G3", "G %d is taken from a place that there is not", g.id)
	}
	c.to(g, nowhere, -1)
}

// unring takes index idx out of P p's ring, at its head [R3].
func (c *checker) unring(p int, idx uint32, g *gState) {
	if p < 0 {
		return
	}
	r := &c.ps[p]
	c.must(r.ring[idx] == g.id, "R3", "slot %d of P %d's ring holds %s, not G %d", idx, p, gName(r.ring[idx]), g.id)
	delete(r.ring, idx)
	c.advance(p, idx, 1)
}

// advance notes that n slots from idx on were taken. Slots are taken in order,
// each once [R3]; the records of two takers may come in either order, so a
// range that is ahead waits for the one before it.
func (c *checker) advance(p int, idx, n uint32) {
	r := &c.ps[p]
	if int32(idx-r.head) < 0 {
		c.fail("R3", "slot %d of P %d's ring is taken again", idx, p)
		return
	}
	r.ahead = append(r.ahead, span{idx, n})
	for {
		i := slices.IndexFunc(r.ahead, func(s span) bool { return s.at == r.head })
		if i < 0 {
			return
		}
		r.head += r.ahead[i].n
		r.ahead = slices.Delete(r.ahead, i, i+1)
	}
}

// span is a range of a ring.
type span struct{ at, n uint32 }

// put replays that g, in the event's M's hands, goes to a queue.
func (c *checker) put(g *gState, at place, q int) {
	e := c.e
	c.must(g.state == runnable, "G3", "G %d is %v and goes to a queue", g.id, g.state)
	back := (g.at == withheld || g.at == inMine && g.m == int(e.M) || g.at == inHome) && at == inGlobal
	c.must(g.at == inHand && g.m == int(e.M) || back, "G3", "G %d goes to a queue of M %d but is %v%s", g.id, e.M, g.at, c.queueName(g))
	c.to(g, at, q)
}

// queueEvent replays what happens to queues: [G3, R1, R2, R3, R5, R6, R7, R9],
// [R10].
func (c *checker) queueEvent() {
	e := c.e
	switch e.Kind {
	case record.EvPutNext:
		c.must(e.P >= 0, "R5", "G %d goes to a runnext of no P", e.G)
		c.put(c.g(), inNext, int(e.P))

	case record.EvPutRing:
		if e.P < 0 {
			c.fail("R2", "G %d goes to the ring of no P", e.G)
			return
		}
		g := c.g()
		if g.at == inNext && g.q == int(e.P) {
			c.hand(g) // another one takes its place there
		}
		c.put(g, inRing, int(e.P))
		c.ringPut(int(e.P), uint32(e.Arg), g)

	case record.EvPutGlobal:
		c.put(c.g(), inGlobal, -1)
		c.global = append(c.global, e.G)

	case record.EvOverflow:
		c.overflow()

	case record.EvGetGlobal:
		c.getGlobal()

	case record.EvTake:
		g := c.g()
		from := e.Place()
		if e.Aux >= record.MaxProcs {
			c.fail("G3", "G %d is taken from P %d, which there cannot be", e.G, e.Aux)
			return
		}
		p := int(e.Aux)
		switch {
		case from.Kind() == record.FromNext:
			c.must(g.at == inNext && g.q == p, "G3", "G %d is taken from P %d's runnext but is %v%s", g.id, p, g.at, c.queueName(g))
		case from.Kind() == record.FromRing:
			c.must(g.at == inRing && g.q == p && g.idx == from.Index(), "G3", "G %d is taken from P %d's ring but is %v%s", g.id, p, g.at, c.queueName(g))
			c.unring(p, from.Index(), g)
		default:
			c.fail("G3", "G %d is taken from a place that there is not", g.id)
		}
		c.hand(g)
		c.kept(g)

	case record.EvSteal:
		c.steal()
	}
}

// ringPut replays a put into slot idx of P p's ring: the next one [R2], and not
// more than there are [R1].
func (c *checker) ringPut(p int, idx uint32, g *gState) {
	r := &c.ps[p]
	c.must(idx == r.tail, "R2", "slot %d of P %d's ring is filled, the next is %d", idx, p, r.tail)
	if old := idx - sched.RingSize; int32(old-r.head) >= 0 && idx >= sched.RingSize {
		// The slot is used again. The M that emptied it may still be about to record that: settled
		// at the end of the trace, by ringEnd.
		r.owed = append(r.owed, owed{old, c.i, c.e.Time, int(c.e.M)})
	}
	r.tail = idx + 1
	r.ring[idx] = g.id
	g.idx = idx
}

// owed is a slot that was used again before its emptying was recorded.
type owed struct {
	idx   uint32
	event int
	time  int64
	m     int
}

// ringEnd makes sure that every slot that was used again had been emptied [R1].
func (c *checker) ringEnd() {
	for p := range c.ps {
		r := &c.ps[p]
		for _, o := range r.owed {
			if int32(o.idx-r.head) >= 0 {
				c.i = o.event
				c.e = &c.t.Events[o.event]
				c.fail("R1", "P %d's ring holds more than %d: slot %d was filled again and never emptied", p, sched.RingSize, o.idx)
			}
		}
	}
}

// overflow replays EvOverflow: half a full ring and one G go to the global queue
// in one step [R6].
func (c *checker) overflow() {
	e := c.e
	if e.P < 0 {
		c.fail("R6", "the ring of no P overflows")
		return
	}
	r := &c.ps[e.P]
	at, n := uint32(e.Arg), uint32(e.Count())
	c.must(n == sched.RingSize/2, "R6", "%d Gs overflow, not half a ring", n)
	n = min(n, sched.RingSize)
	c.must(r.tail-at == sched.RingSize, "R6", "P %d's ring overflows but holds %d", e.P, r.tail-at)
	for i := range n {
		c.moveRing(int(e.P), at+i, "R6", func(g *gState) {
			c.to(g, inGlobal, -1)
			c.global = append(c.global, g.id)
		})
	}
	c.advance(int(e.P), at, n)
	g := c.g()
	if g.at == inNext && g.q == int(e.P) {
		c.hand(g)
	}
	c.put(g, inGlobal, -1)
	c.global = append(c.global, g.id)
}

// moveRing takes slot idx out of P p's ring and has to do with its G.
func (c *checker) moveRing(p int, idx uint32, rule string, to func(*gState)) {
	r := &c.ps[p]
	id, ok := r.ring[idx]
	if !ok {
		c.fail(rule, "slot %d of P %d's ring is taken but is empty", idx, p)
		return
	}
	delete(r.ring, idx)
	g := c.gByID(id)
	c.must(g.at == inRing && g.q == p && g.idx == idx, "G3", "G %d is in slot %d of P %d's ring and also %v%s", id, idx, p, g.at, c.queueName(g))
	to(g)
}

// getGlobal replays EvGetGlobal: the queue's first Gs in order [R7], not more than a fair share
// [R9]; one stays in the M's hands and the others go to its P's ring.
func (c *checker) getGlobal() {
	e := c.e
	n := e.Count()
	if n < 1 || n > len(c.global) || e.P < 0 {
		c.fail("R7", "%d Gs are taken from the global queue, which holds %d", n, len(c.global))
		return
	}
	c.must(c.procs == 0 || n <= len(c.global)/c.procs+1, "R9", "%d of %d Gs are taken from the global queue, more than a fair share among %d Ps", n, len(c.global), c.procs)
	c.must(n <= sched.RingSize/2, "R9", "%d Gs are taken from the global queue, more than half a ring", n)
	c.must(c.global[0] == e.G, "R7", "G %d is taken from the global queue before G %d, which came first", e.G, c.global[0])
	if at := slices.Index(c.global, e.G); c.waives("R7") && at > 0 {
		copy(c.global[1:at+1], c.global[:at]) // what is taken with it is what was first of the others
		c.global[0] = e.G
	}
	for i, id := range c.global[:n] {
		g := c.gByID(id)
		c.must(g.at == inGlobal, "G3", "G %d is in the global queue and also %v%s", id, g.at, c.queueName(g))
		if i == 0 {
			c.hand(g)
			continue
		}
		c.to(g, inRing, int(e.P))
		c.ringPut(int(e.P), uint32(e.Arg)+uint32(i-1), g)
	}
	c.global = c.global[n:]
}

// steal replays EvSteal: half of the victim's ring, rounded up [R10], or its
// runnext [R5], goes to the thief's ring, the last for the thief to run.
func (c *checker) steal() {
	e := c.e
	m := &c.ms[e.M]
	victim, n := e.Victim(), uint32(e.Count())
	from, to := uint32(e.Arg), uint32(e.Arg>>record.CountShift)
	c.must(m.spinning, "M2", "M %d steals but does not spin", e.M)
	if e.P < 0 || victim >= record.MaxProcs || victim == int(e.P) {
		c.fail("R10", "M %d steals with %s from P %d", e.M, name("P", int(e.P)), victim)
		return
	}
	thief := &c.ps[e.P]
	c.must(to == thief.tail, "R2", "stolen Gs go to slot %d of P %d's ring, the next is %d", to, e.P, thief.tail)
	m.stole = true
	if e.G != 0 {
		g := c.g()
		c.must(m.look == record.LookSteal && m.pass == stealTries-1, "R10", "G %d is stolen from a runnext before the last pass", e.G)
		c.must(g.at == inNext && g.q == victim, "R5", "G %d is stolen from P %d's runnext but is %v%s", e.G, victim, g.at, c.queueName(g))
		c.to(g, inRing, int(e.P))
		g.idx = to
		g.stolen()
		thief.ring[to] = e.G
		return
	}
	c.must(n >= 1 && n <= sched.RingSize/2, "R10", "%d Gs are stolen at once", n)
	n = min(n, sched.RingSize)
	for i := range n {
		c.moveRing(victim, from+i, "R10", func(g *gState) {
			c.to(g, inRing, int(e.P))
			g.idx = to + i
			g.stolen()
			thief.ring[to+i] = g.id
		})
	}
	c.advance(victim, from, n)
	// The thief may have looked before the last puts, never after later ones: half of what it saw
	// is at most half of what we see.
	c.must(n <= (c.ps[victim].tail-from+1)/2, "R10", "%d of %d Gs are stolen, more than half", n, c.ps[victim].tail-from)
	thief.tail = to + n - 1 // the last one is not published
}

// stealTries is how often a thief walks all Ps.
const stealTries = 4

// fromName is for messages.
func fromName(p record.Place) string {
	switch p.Kind() {
	case record.FromNowhere:
		return "its own M"
	case record.FromNext:
		return "the P's runnext"
	case record.FromRing:
		return "the P's ring"
	case record.FromGlobal:
		return "the global queue"
	case record.FromSteal:
		return "a steal"
	case record.FromPass:
		return "another M, which passed it on"
	}
	return "the runtime's workers"
}

// queueName adds the P to a G's place.
func (c *checker) queueName(g *gState) string {
	switch g.at {
	case inNext, inRing, inHome:
		return " of " + name("P", g.q)
	case inHand:
		return ", of " + name("M", g.m)
	}
	return ""
}

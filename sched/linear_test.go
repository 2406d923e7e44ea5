package sched

import (
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"
)

// Histories of a P's queue and the global one are linearizable: all that was put and taken,
// by whomever at once, could have been put and taken one after the other, each in the
// time that its call took. Porcupine looks for such an order.

// queues is what the queues hold in the sequential model: letters for Gs.
type queues struct {
	ring, next, global string
	hand               string // a runnext that was displaced, and is on its way to the ring
	moving             string // half a ring, on its way to the global queue
	due                kind   // what the owner, in the middle of a put, does next; 0: nothing
}

// kind is what is done.
type kind int

const (
	putNext   kind = iota // a G becomes runnext; its predecessor is in the owner's hand
	putRing               // what is in the hand goes to the ring; a full one loses its half
	putMoved              // that half goes to the global queue
	get                   // the owner takes the first
	steal                 // a thief takes half of the ring, or the runnext
	isEmpty               // a test for emptiness
	putGlobal             // a G goes to the global queue
	getGlobal             // the owner takes from it, for itself and for the ring
	getOther              // another M does so, for a ring of its own
)

// call is the input of an operation: what it does, and with which G.
type call struct {
	kind kind
	g    string
}

// linear is the sequential model. The output of an operation is the Gs that it took, in
// their order; "yes" or "no" of isEmpty.
var linear = porcupine.Model{
	Init: func() any { return queues{} },
	Step: func(state, input, output any) (bool, any) {
		q := state.(queues)
		got := output.(string)
		ok := q.step(input.(call), got)
		return ok, q
	},
	Equal: func(a, b any) bool { return a == b },
	DescribeOperation: func(input, output any) string {
		return fmt.Sprintf("%v -> %v", input, output)
	},
}

// step does what c says, and reports whether that can have had the result got.
func (q *queues) step(c call, got string) bool {
	switch c.kind {
	case putNext:
		if q.due != 0 {
			return false
		}
		q.hand, q.next, q.due = q.next, c.g, putRing
	case putRing:
		if (c.g == "") != (q.due == putRing) {
			return false
		}
		if c.g != "" {
			q.hand = c.g
		}
		q.due = putMoved
		if q.hand != "" && letters(q.ring) == RingSize {
			half := upTo(q.ring, RingSize/2)
			q.moving, q.ring = half+q.hand, q.ring[len(half):]
		} else {
			q.ring += q.hand
		}
		q.hand = ""
	case putMoved:
		if q.due != putMoved {
			return false
		}
		q.global += q.moving
		q.moving, q.due = "", 0
	case get:
		want := &q.next
		if q.next == "" {
			want = &q.ring
		}
		first := upTo(*want, 1)
		*want = (*want)[len(first):]
		return got == first
	case steal:
		half := upTo(q.ring, (letters(q.ring)+1)/2)
		switch {
		case got == "":
			return true // a thief may fail for any reason: he does not rely on it
		case got == half:
			q.ring = q.ring[len(half):]
		case got == q.next:
			q.next = ""
		default:
			return false
		}
	case isEmpty:
		return (got == "yes") == (q.ring == "" && q.next == "")
	case putGlobal:
		q.global += c.g
	case getGlobal, getOther:
		if got == "" {
			return q.global == ""
		}
		if !strings.HasPrefix(q.global, got) {
			return false
		}
		q.global = q.global[len(got):]
		if c.kind == getGlobal {
			q.ring += got[len(upTo(got, 1)):]
		}
	}
	return true
}

// letters is how many Gs s names.
func letters(s string) int { return len([]rune(s)) }

// upTo is the first n of them, or all.
func upTo(s string, n int) string {
	r := []rune(s)
	return string(r[:min(n, len(r))])
}

// letter names a task.
func letter(t *task) string { return string(rune('a' + t.id)) }

// lettersOf names tasks.
func lettersOf(ts []*task) (s string) {
	for _, t := range ts {
		s += letter(t)
	}
	return s
}

// clerk makes the operations of one M, and keeps their history.
type clerk struct {
	mdl *model
	m   *M
	p   *P // that m owns
	of  *P // whose queue this is about
	now func() int64
	ops []porcupine.Operation
}

// did notes operations of a call that began at from, and is over.
func (k *clerk) did(from int64, got string, calls ...call) {
	to := k.now()
	for _, c := range calls {
		k.ops = append(k.ops, porcupine.Operation{ClientId: int(k.m.ID), Input: c, Call: from, Output: got, Return: to})
	}
}

// put makes a G and puts it on the queue: as runnext, or at the ring's end.
func (k *clerk) put(next bool) {
	t := k.mdl.newTask(leaf)
	from := k.now()
	k.mdl.s.runqPut(k.m, k.p, &t.G, next)
	if next {
		k.did(from, "", call{putNext, letter(t)}, call{putRing, ""}, call{putMoved, ""})
	} else {
		k.did(from, "", call{putRing, letter(t)}, call{putMoved, ""})
	}
}

// get takes the queue's first. The owner's.
func (k *clerk) get() {
	from := k.now()
	g, _ := k.mdl.s.runqPop(k.p)
	got := ""
	if g != nil {
		k.mdl.s.dequeue(g)
		got = letter(taskOf(g))
	}
	k.did(from, got, call{get, ""})
}

// rest takes what m's own ring holds after g was taken with it: the Gs in the order of
// the ring that they come from. last says that g was the last of them, not the first.
func (k *clerk) rest(g *G, last bool) string {
	if g == nil {
		return ""
	}
	k.mdl.s.dequeue(g)
	others := lettersOf(k.mdl.takeAll(k.p))
	if last {
		return others + letter(taskOf(g))
	}
	return letter(taskOf(g)) + others
}

// steal takes what a thief takes.
func (k *clerk) steal(runnext bool) {
	from := k.now()
	g := k.mdl.s.runqSteal(k.m, k.p, k.of, runnext)
	at := k.now()
	k.did(from, k.rest(g, true), call{steal, ""})
	k.ops[len(k.ops)-1].Return = at // what follows is of no concern to the queue
}

// empty asks whether the queue is empty.
func (k *clerk) empty() {
	from := k.now()
	got := "no"
	if k.of.runqEmpty() {
		got = "yes"
	}
	k.did(from, got, call{isEmpty, ""})
}

// putGlobal makes a G and puts it on the global queue.
func (k *clerk) putGlobal() {
	t := k.mdl.newTask(leaf)
	from := k.now()
	k.mdl.Lock()
	k.mdl.s.GlobrunqPut(k.m, &t.G)
	k.mdl.Unlock()
	k.did(from, "", call{putGlobal, letter(t)})
}

// getGlobal is the owner's if m owns the P that this is about. What the owner takes for
// its ring is told by the global queue, which shows its head under the lock.
func (k *clerk) getGlobal() {
	from := k.now()
	k.mdl.Lock()
	before := ""
	for h := k.mdl.s.runq.head; h != 0; h = h.ptr().link {
		before += letter(taskOf(h.ptr()))
	}
	g := k.mdl.s.globrunqGet(k.m, k.p, RingSize/2)
	got := upTo(before, letters(before)-int(k.mdl.s.runq.n))
	k.mdl.Unlock()
	if k.p == k.of {
		if g != nil {
			k.mdl.s.dequeue(g)
		}
		k.did(from, got, call{getGlobal, ""})
		return
	}
	k.did(from, k.rest(g, false), call{getOther, ""})
}

// owns does n operations of an owner, drawn from seed.
func (k *clerk) owns(seed uint32, n int) {
	for range n {
		seed = seed*1664525 + 1013904223
		switch seed >> 16 % 12 {
		case 0, 1, 2:
			k.put(true)
		case 3, 4, 5:
			k.put(false)
		case 6, 7, 8:
			k.get()
		case 9:
			k.putGlobal()
		case 10:
			k.getGlobal()
		case 11:
			k.empty()
		}
	}
}

// steals does n operations of a thief.
func (k *clerk) steals(seed uint32, n int) {
	for range n {
		seed = seed*1664525 + 1013904223
		switch seed >> 16 % 6 {
		case 0, 1, 2:
			k.steal(true)
		case 3:
			k.steal(false)
		case 4:
			k.empty()
		case 5:
			k.getGlobal()
		}
	}
}

// clerks are the owner of P 0 and n thieves, each with a P of its own. The ring begins at
// position at, and holds fill Gs.
func (mdl *model) clerks(n int, at uint32, fill int, now func() int64) (list []*clerk) {
	setRing(mdl.s.P(0), at)
	for i := range n + 1 {
		m := mdl.running(int32(i))
		list = append(list, &clerk{mdl: mdl, m: m, p: m.P(), of: mdl.s.P(0), now: now})
	}
	for range fill {
		list[0].put(false)
	}
	return list
}

// history joins what the clerks noted.
func joined(clerks []*clerk) (ops []porcupine.Operation) {
	for _, k := range clerks {
		ops = append(ops, k.ops...)
	}
	return ops
}

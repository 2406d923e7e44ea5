//go:build sched9 && sched9names

package runtime

import (
	nkernel "sched9/kernel"
	"sched9/kernel/names"
	nrecord "sched9/record"
)

// /proc/trace: the recorder's events of goroutines, as text, while they happen. Each open file has a goroutine that reads the rings, as the
// host does, and writes lines to the file's pipe. If the host records the run, the rings are the host's, and only read here; else they
// are the guest's own, and on while something is traced.

// sched9Traced says what is traced.
var sched9Traced struct {
	lock mutex
	all  bool
	ids  [64]uint64 // goroutines; 0: none
}

// sched9Tracing reports whether anything is traced, sched9TracesG whether goroutine id is.
func sched9Tracing() (any bool) {
	t := &sched9Traced
	lock(&t.lock)
	any = t.all
	for _, id := range t.ids {
		any = any || id != 0
	}
	unlock(&t.lock)
	return any
}

// sched9TracesG: see sched9Tracing.
func sched9TracesG(id uint64) (is bool) {
	t := &sched9Traced
	lock(&t.lock)
	is = t.all && id != 0
	for _, one := range t.ids {
		is = is || one == id && id != 0
	}
	unlock(&t.lock)
	return is
}

// sched9TraceAll and sched9TraceOne change what is traced, and the recorder with it.
func sched9TraceAll(on bool) names.Errno {
	if on && !sched9HasRings() {
		return names.SchedCtl.Err(names.NoRecorder)
	}
	t := &sched9Traced
	lock(&t.lock)
	t.all = on
	unlock(&t.lock)
	sched9SwitchRecorder()
	return 0
}

// sched9TraceOne: see sched9TraceAll.
func sched9TraceOne(id uint64, on bool) (e names.Errno) {
	if on && !sched9HasRings() {
		return names.ProcCtl.Err(names.NoRecorder)
	}
	t := &sched9Traced
	lock(&t.lock)
	free := -1
	for i, one := range t.ids {
		if one == id || one != 0 && !sched9HasG(one) {
			t.ids[i] = 0
		}
		if t.ids[i] == 0 {
			free = i
		}
	}
	switch {
	case on && free < 0:
		e = names.ProcCtl.Err(names.Traced)
	case on:
		t.ids[free] = id
	}
	unlock(&t.lock)
	sched9SwitchRecorder()
	return e
}

// sched9HasRings reports whether there are rings.
func sched9HasRings() bool {
	_, ok := nkernel.Ring(0)
	return ok
}

// sched9SwitchRecorder turns the guest's own recorder on if anything is traced, and else off. No goroutine changes its state meanwhile, so that none
// is recorded by halves.
func sched9SwitchRecorder() {
	if !nkernel.OwnRings() {
		return
	}
	stop := sched9HoldWorld()
	if on := sched9Tracing(); on != sched9Recording {
		for i := range sched9.MaxMs() {
			sched9.M(i).Rec.Switch(on)
		}
		sched9Recording = on
		sched9QuickEdges(on)
	}
	sched9FreeWorld(stop)
}

// sched9OpenTrace makes the open file of that number one of what is traced from now on.
func sched9OpenTrace(number uintptr) (errno names.Errno) {
	if !sched9Tracing() {
		return names.Trace.Err(names.Untraced)
	}
	place := 0
	systemstack(func() {
		var e int
		place, e = nkernel.FollowFile(number)
		errno = names.Errno(e)
	})
	if errno != 0 {
		return errno
	}
	f := &sched9Follower{place: place}
	for i := range int(sched9.MaxMs()) {
		r, _ := nkernel.Ring(i)
		f.rings = append(f.rings, r)
	}
	go f.follow()
	return 0
}

// sched9Follower writes what happens to an open /proc/trace.
type sched9Follower struct {
	place int
	rings []nrecord.Ring
	// pending are records that were read, by their Ms, and until is the time up to which all have been: what the next
	// round reads is later, but for a record that was being written.
	pending []sched9Event
	until   uint64
	text    names.Text
}

// sched9Event is a record and its M.
type sched9Event struct {
	m int
	nrecord.Record
}

const (
	sched9TraceEvery = 5_000_000 // nanoseconds between two looks at the rings
	sched9TraceRoom  = 32 << 10  // bytes of text at a time
	sched9TraceBatch = 512       // records of a ring at a time
)

// follow is its goroutine.
func (f *sched9Follower) follow() {
	f.text.Buf = make([]byte, sched9TraceRoom)
	f.until = sched9Clock()
	for open := true; open; {
		more := sched9Tracing() // before the look: what was traced until now is told
		now := sched9Clock()
		f.read()
		if !more {
			f.until = now
		}
		open = f.tell() && more
		f.until = now
		if open {
			timeSleep(sched9TraceEvery)
		}
	}
	systemstack(func() { nkernel.FollowEnd(f.place) })
}

// read empties the rings.
func (f *sched9Follower) read() {
	batch := make([]nrecord.Record, 0, sched9TraceBatch)
	for m := range f.rings {
		for more := true; more; {
			var recs []nrecord.Record
			var lost uint64
			recs, lost, more = f.rings[m].Read(batch, false)
			if lost > 0 {
				f.pending = append(f.pending, sched9Event{m, nrecord.Pack(f.until, nrecord.EvNone, nrecord.NoP, 0, lost, 0, 0)})
			}
			for _, r := range recs {
				if !r.IsStack() && sched9TracesG(r.G()) && r.G() != getg().goid {
					f.pending = append(f.pending, sched9Event{m, r})
				}
			}
		}
	}
}

// tell writes the records up to f.until, in their order, and reports whether anybody reads.
func (f *sched9Follower) tell() bool {
	p := f.pending
	// They are nearly in order, ring by ring: insertion would take for ever, merging needs another slice. This is a heap's sort.
	sched9SortEvents(p)
	n := 0
	for ; n < len(p) && p[n].Stamp <= f.until; n++ {
		if len(f.text.Buf)-f.text.N < 512 && !f.flush() {
			return false
		}
		f.line(&p[n])
	}
	f.pending = append(p[:0], p[n:]...)
	return f.flush()
}

// sched9SortEvents sorts by time: heapsort.
func sched9SortEvents(p []sched9Event) {
	sift := func(at, n int) {
		for {
			child := 2*at + 1
			if child >= n {
				return
			}
			if child+1 < n && p[child+1].Stamp > p[child].Stamp {
				child++
			}
			if p[at].Stamp >= p[child].Stamp {
				return
			}
			p[at], p[child] = p[child], p[at]
			at = child
		}
	}
	for at := len(p)/2 - 1; at >= 0; at-- {
		sift(at, len(p))
	}
	for n := len(p) - 1; n > 0; n-- {
		p[0], p[n] = p[n], p[0]
		sift(0, n)
	}
}

// line adds the line of a record, of less than 512 bytes but for a function's name.
func (f *sched9Follower) line(e *sched9Event) {
	t := &f.text
	start := t.N
	t.Int(nkernel.ClockOf(e.Stamp))
	t.Int(int64(e.m))
	if e.P() == nrecord.NoP {
		t.Int(-1)
	} else {
		t.Int(int64(e.P()))
	}
	if e.Event() == nrecord.EvNone {
		t.Int(-1)
		t.Word("Lost")
		t.Int(int64(e.Arg))
		t.Int(-1)
		t.End()
		return
	}
	t.Int(int64(e.G()))
	t.Word(e.Event().String())
	switch e.Event() {
	case nrecord.EvBlock, nrecord.EvHold:
		t.Word(waitReason(e.Arg >> nrecord.ReasonShift).String())
	case nrecord.EvCreate:
		t.Word(sched9EntryName(uintptr(e.Arg &^ nrecord.CreateParked)))
	default:
		t.Int(int64(e.Arg & (1<<62 - 1)))
	}
	if w := findfunc(uintptr(e.Aux())); w.valid() {
		t.Word(funcNameForPrint(funcname(w)))
	} else {
		t.Int(-1)
	}
	if t.End(); t.Full { // a name longer than the room: the line goes
		t.N, t.Full = start, false
	}
}

// flush writes the text, and reports whether anybody reads. It waits while the pipe is full; the rings' records are lost meanwhile.
func (f *sched9Follower) flush() bool {
	for text := f.text.Buf[:f.text.N]; ; timeSleep(sched9TraceEvery / 5) {
		ended := false
		systemstack(func() {
			var n int
			n, ended = nkernel.FollowWrite(f.place, text)
			text = text[n:]
		})
		if ended {
			return false
		}
		if len(text) == 0 {
			f.text.N = 0
			return true
		}
	}
}

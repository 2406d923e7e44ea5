package sched

import (
	"fmt"
	"strings"

	"sched9/record"
)

// history is the last of what the Ms of a model recorded, in their order: what a
// failure in turns is understood by.
type history struct {
	last [400]struct {
		m    int32
		what record.Record
	}
	n int
}

// remember has the recorders of mdl's Ms write into a history. One M runs at a time.
func (mdl *model) remember() {
	h := new(history)
	mdl.history = h
	for i := range mdl.ncpu {
		head := new(record.Head)
		mdl.recs[i].Init(head, 1, record.MinRing, 0, func(r *record.Recorder, what, arg, aux uint64) {
			at := &h.last[h.n%len(h.last)]
			at.m, at.what = int32(i), record.Record{Stamp: uint64(mdl.Now()), What: what, Arg: arg, Tag: aux}
			h.n++
		}, nil)
	}
	if p := mdl.s.M(0).P(); p != nil {
		mdl.recs[0].SetP(uint8(p.ID))
	}
}

// String shows it, the oldest first.
func (h *history) String() string {
	if h == nil {
		return ""
	}
	var b strings.Builder
	for i := max(0, h.n-len(h.last)); i < h.n; i++ {
		e := &h.last[i%len(h.last)]
		p := "-"
		if e.what.P() != record.NoP {
			p = fmt.Sprint(e.what.P())
		}
		fmt.Fprintf(&b, "%11d M%d P%s %-8s G%d %#x %#x\n", e.what.Stamp, e.m, p, e.what.Event(), e.what.G(), e.what.Arg, e.what.Aux())
	}
	return b.String()
}

package sched

import (
	"slices"
	"testing"

	"sched9/record"
)

// FuzzRing plays operations of an owner and of a thief, one after the other, on
// the ring and on slices that say what it should hold. The first byte is how
// far the ring is from passing 2^32; each further one is an operation and how
// often it is repeated.
func FuzzRing(f *testing.F) {
	f.Add([]byte{0, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05})
	f.Add([]byte{255, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf9, 0xf9, 0x03, 0x04, 0xfa})
	f.Add([]byte{100, 0xf9, 0x0b, 0x04, 0xf8, 0x1c, 0x15, 0x07, 0x06})
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) == 0 || len(ops) > 200 {
			return
		}
		mdl := newModel(2, 2)
		s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
		thief, tp := s.M(1), s.P(1)
		setRing(p, -uint32(ops[0]))
		setRing(tp, -uint32(ops[0])*3)
		s.WireP(thief, s.GetIdleP(s.M(0), 0))

		var ring, global []*task
		var next *task
		// push is what a put at the ring's end does to the slices.
		push := func(task *task) {
			if len(ring) == RingSize {
				global = append(append(global, ring[:RingSize/2]...), task)
				ring = slices.Clone(ring[RingSize/2:])
				return
			}
			ring = append(ring, task)
		}
		check := func(what string, g *G, want *task) {
			t.Helper()
			if want == nil && g != nil || want != nil && g != &want.G {
				t.Fatalf("%s gives a wrong G", what)
			}
			if g != nil {
				s.dequeue(g)
			}
		}
		for _, op := range ops[1:] {
			for n := op>>3 + 1; n > 0; n-- {
				switch op % 8 {
				case 0:
					task := mdl.gs(1)[0]
					s.RunqPut(m, &task.G, false)
					push(task)
				case 1:
					task := mdl.gs(1)[0]
					s.RunqPut(m, &task.G, true)
					if next != nil {
						push(next)
					}
					next = task
				case 2:
					g, from := s.runqPop(p)
					inherit := from == record.FromNext
					want := next
					if inherit != (want != nil) {
						t.Fatalf("inherit is %v", inherit)
					}
					if next = nil; want == nil && len(ring) > 0 {
						want, ring = ring[0], ring[1:]
					}
					check("get", g, want)
				case 3, 4: // with and without runnext
					g := s.runqSteal(thief, tp, p, op%8 == 3)
					var want *task
					switch half := (len(ring) + 1) / 2; {
					case half > 0:
						want = ring[half-1]
						if got := mdl.takeAll(tp); !slices.Equal(got, ring[:half-1]) {
							t.Fatalf("the thief has %d Gs, want %d", len(got), half-1)
						}
						ring = ring[half:]
					case op%8 == 3:
						want, next = next, nil
					}
					check("steal", g, want)
				case 5:
					m.sliceState.Store(sliceUsed)
					g, inherit := s.runqGet(m, p)
					if next != nil {
						push(next)
						next = nil
					}
					var want *task
					if len(ring) > 0 {
						want, ring = ring[0], ring[1:]
					}
					if inherit {
						t.Fatalf("a new slice is inherited")
					}
					check("next", g, want)
				case 6:
					s.Lock()
					g := s.globrunqGet(m, p, RingSize/2)
					s.Unlock()
					take := min(len(global), len(global)/2+1, RingSize/2)
					take = min(take, RingSize-len(ring)+1)
					var want *task
					if take > 0 {
						want = global[0]
						ring = append(ring, global[1:take]...)
						global = global[take:]
					}
					check("getGlobal", g, want)
				case 7:
					s.Lock()
					s.RunqDrain(s.M(0), p)
					s.Unlock()
					if next != nil {
						global = append(global, next)
					}
					global = append(global, ring...)
					next, ring = nil, nil
				}
				want := len(ring)
				if next != nil {
					want++
				}
				if p.Len() != want || p.runqEmpty() != (want == 0) || int(s.GlobrunqLen()) != len(global) || int(s.runq.n) != len(global) {
					t.Fatalf("op %#x: P %d of %d, global %d of %d", op, p.Len(), want, s.GlobrunqLen(), len(global))
				}
			}
		}
		if g, _ := s.runqPop(p); next != nil {
			check("the last get", g, next)
		} else if len(ring) > 0 {
			check("the last get", g, ring[0])
			ring = ring[1:]
		}
		if got := mdl.takeAll(p); !slices.Equal(got, ring) {
			t.Fatalf("the ring ends with %d Gs, want %d", len(got), len(ring))
		}
		var rest []*task
		s.getGlobalAll(func(g *G) { rest = append(rest, taskOf(g)) })
		if !slices.Equal(rest, global) {
			t.Fatalf("the global queue ends with %d Gs, want %d", len(rest), len(global))
		}
	})
}

// takeAll takes all of p, for good.
func (mdl *model) takeAll(p *P) (ts []*task) {
	for g, _ := mdl.s.runqPop(p); g != nil; g, _ = mdl.s.runqPop(p) {
		mdl.s.dequeue(g)
		ts = append(ts, taskOf(g))
	}
	return ts
}

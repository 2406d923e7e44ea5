package record

import "sync/atomic"

// Ring is the reader's end of an M's ring, outside the machine or in it.
type Ring struct {
	Head  *Head
	Slots []Record
	At    uint64 // the number of the record to be read next
}

// Read reads into b, which is empty, up to its capacity. lost counts what was
// lost before that. more says that there may be more. With last, when the writer runs no more, it passes by records that
// will never be whole. The orderings are argued in record.go.
func (r *Ring) Read(b []Record, last bool) (recs []Record, lost uint64, more bool) {
	size := uint64(len(r.Slots))
	next := r.Head.Next.Load()
	if next-r.At > size {
		// Overwritten. Leave the writer some room, or we lose again at once.
		to := next - size + size/8
		if last {
			to = next - size
		}
		lost = to - r.At
		r.At = to
	}
	start := r.At
	for r.At < next && len(b) < cap(b) {
		s := &r.Slots[r.At%size]
		if tag := atomic.LoadUint64(&s.Tag); tag>>LapShift != (r.At>>MinRing+1)&0xffff {
			if !last {
				break // not whole yet
			}
			// Its writer died. What stands behind it is whole.
			if len(b) > 0 {
				break
			}
			r.At++
			start = r.At
			continue
		}
		b = append(b, *s)
		r.At++
	}
	// What was reserved again while we copied may be a mixture.
	if after := r.Head.Next.Load(); len(b) > 0 && after-start > size {
		n := min(after-size-start, uint64(len(b)))
		b = b[n:]
		lost += n
	}
	return b, lost, r.At < next && (len(b) > 0 || last) || lost > 0
}

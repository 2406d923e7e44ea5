package trace

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"sched9/record"
)

// Stream reads a recording while it is written, for those who watch the run. It
// is a Writer: what is written to it are the recording's bytes, cut anywhere.
//
// Ms are drained one after another, so what one M did comes before what
// another did earlier. A Stream therefore holds events back until they are older
// than the newest by hold, in guest's time, and hands the others over in order.
// The latest that each M told of would be no bound: one that sleeps tells
// nothing. What comes later than hold allows for (its M was held up by the
// host, or lost records) is handed over late, so a receiver must bear an event
// that is older than the one before it. While no M tells anything nothing is
// handed over either, until Flush.
//
// A Stream is not safe for concurrent use.
type Stream struct {
	sink func([]Event)
	hold int64

	buf     []byte  // what is no whole chunk yet
	begun   bool    // fileMagic has come
	err     error   // stays
	l       loader  // raw holds records whose stack is still to come
	pending []Event // in order
	tail    []Event // room for merge
	newest  int64
	stacks  map[string]int32 // numbers of Trace.Stacks
	key     []byte
}

// NewStream returns a Stream that holds events back for hold and hands them to
// sink, which keeps none of the slice.
func NewStream(hold time.Duration, sink func([]Event)) *Stream {
	s := &Stream{sink: sink, hold: int64(hold), stacks: map[string]int32{}}
	s.l.t.Stacks = [][]uint64{nil}
	return s
}

// Trace returns what is known of the run beside its events: Meta, Legend and
// Lost as far as they have come, the Stacks that events name, and End if Whole.
// It is the same one at every call, and changes with every Write.
func (s *Stream) Trace() *Trace { return &s.l.t }

// Write takes more of the recording. The error says that it is no recording, or broken; then
// nothing more is taken. Bytes after the recording's end are ignored.
func (s *Stream) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.l.t.Whole {
		return len(p), nil
	}
	s.buf = append(s.buf, p...)
	rest := s.buf
	for s.err == nil && !s.l.t.Whole {
		n, err := s.chunk(rest)
		s.err = err
		if n == 0 {
			break
		}
		rest = rest[n:]
	}
	s.buf = append(s.buf[:0], rest...)
	if s.l.t.Whole {
		s.Flush()
	} else {
		s.release(s.newest - s.hold)
	}
	if s.err != nil {
		return 0, s.err
	}
	return len(p), nil
}

// Flush hands over what is held back. For when nothing has come for a while,
// and what is held back is all that there is.
func (s *Stream) Flush() { s.release(s.newest) }

// chunk takes the chunk that p begins with and returns its length, 0 if it is
// not whole.
func (s *Stream) chunk(p []byte) (int, error) {
	if !s.begun {
		n := min(len(p), len(fileMagic))
		if !bytes.Equal(p[:n], []byte(fileMagic[:n])) {
			return 0, errNoRecording
		}
		if n < len(fileMagic) {
			return 0, nil
		}
		s.begun = true
		return n, nil
	}
	if len(p) < 5 {
		return 0, nil
	}
	n := binary.LittleEndian.Uint32(p[1:])
	if n > maxChunk {
		return 0, errors.New("the recording is broken: a chunk of impossible length")
	}
	if uint64(len(p)-5) < uint64(n) {
		return 0, nil
	}
	kind, body := p[0], p[5:5+n]
	if kind == chunkRecords {
		body = bytes.Clone(body) // the loader keeps it
	}
	if err := s.l.chunk(kind, body); err != nil {
		return 0, fmt.Errorf("the recording is broken: %w", err)
	}
	switch kind {
	case chunkRecords:
		s.decode(int(binary.LittleEndian.Uint32(body)), false)
	case chunkLegend:
		s.l.t.symbols = newSymbols(s.l.t.Legend)
	case chunkEnd:
		for m := range s.l.raw {
			s.decode(m, true)
		}
	}
	return 5 + int(n), nil
}

// decode makes events of the records of M m. Unless it is the end, a record at
// the end of what has come waits for the stack that belongs to it.
func (s *Stream) decode(m int, end bool) {
	recs, gaps := s.l.raw[m], s.l.gaps[m]
	n := len(recs)
	if !end {
		n = whole(recs, gaps)
	}
	// A loader of its own for these: it decodes as one for all would.
	part := loader{t: Trace{Meta: s.l.t.Meta}, raw: make([][]record.Record, m+1), gaps: make([][]gap, m+1)}
	part.raw[m] = recs[:n]
	var later []gap
	for _, g := range gaps {
		if g.at <= n {
			part.gaps[m] = append(part.gaps[m], g)
		} else {
			later = append(later, gap{g.at - n, g.lost})
		}
	}
	s.l.raw[m], s.l.gaps[m] = recs[n:], later
	t, err := part.trace()
	if err != nil {
		s.err = err
		return
	}
	for len(s.l.t.Lost) < len(t.Lost) {
		s.l.t.Lost = append(s.l.t.Lost, 0)
	}
	s.l.t.Overrun += t.Overrun
	for i, n := range t.Lost {
		s.l.t.Lost[i] += n
	}
	for i := range t.Events {
		e := &t.Events[i]
		e.Stack = s.stack(t.Stacks[e.Stack])
		s.newest = max(s.newest, e.Time)
	}
	s.merge(t.Events)
}

// order is how events follow one another.
func order(a, b Event) int {
	return cmp.Or(cmp.Compare(a.Stamp, b.Stamp), cmp.Compare(a.M, b.M))
}

// merge adds events, which are in order, to those that are held back. Most come
// behind nearly all that are there.
func (s *Stream) merge(es []Event) {
	if len(es) == 0 {
		return
	}
	at := len(s.pending)
	for at > 0 && order(s.pending[at-1], es[0]) > 0 {
		at--
	}
	s.tail = append(s.tail[:0], s.pending[at:]...)
	s.pending = s.pending[:at]
	old := s.tail
	for len(old) > 0 && len(es) > 0 {
		if order(old[0], es[0]) <= 0 {
			s.pending = append(s.pending, old[0])
			old = old[1:]
		} else {
			s.pending = append(s.pending, es[0])
			es = es[1:]
		}
	}
	s.pending = append(append(s.pending, old...), es...)
}

// whole returns how many of recs, in which there are gaps, are decoded alike
// whatever comes behind them.
func whole(recs []record.Record, gaps []gap) int {
	i := 0
	for i < len(recs) {
		n := 1
		if r := recs[i]; !r.IsStack() {
			n += r.Slots()
		}
		for len(gaps) > 0 && gaps[0].at <= i {
			gaps = gaps[1:]
		}
		if len(gaps) > 0 {
			n = min(n, gaps[0].at-i) // the rest of its stack is lost
		}
		if n > len(recs)-i {
			break
		}
		i += n
	}
	return i
}

// stack returns the number that the Stream's Trace has for a stack.
func (s *Stream) stack(pcs []uint64) int32 {
	if len(pcs) == 0 {
		return 0
	}
	s.key = s.key[:0]
	for _, pc := range pcs {
		s.key = binary.LittleEndian.AppendUint64(s.key, pc)
	}
	id, ok := s.stacks[string(s.key)]
	if !ok {
		id = int32(len(s.l.t.Stacks))
		s.stacks[string(s.key)] = id
		s.l.t.Stacks = append(s.l.t.Stacks, pcs)
	}
	return id
}

// release hands over what is as old as to, or older.
func (s *Stream) release(to int64) {
	n, _ := slices.BinarySearchFunc(s.pending, to, func(e Event, to int64) int {
		if e.Time <= to {
			return -1
		}
		return 1
	})
	if n > 0 {
		s.sink(s.pending[:n])
		s.pending = slices.Delete(s.pending, 0, n)
	}
}

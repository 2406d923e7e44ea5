package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"unsafe"

	"sched9/record"
)

// Reader reads the events of a recording of any length in order, in bounded memory.
// It goes through the file twice.
//
// The Ms' records come in chunks, a chunk for each time an M was drained, so what one M
// did may stand behind what another did later. The first time a Reader notes, for each
// stretch of the file, the earliest record in it. The second time it holds events back
// only until no later stretch can have an earlier one. That is exact, whatever the
// host delayed, and what is held back is what was drained in a few stretches.
type Reader struct {
	r       io.ReadSeeker
	t       Trace
	earlier []stretch
}

// stretch is a piece of the file: where it ends, and the earliest stamp in all of
// the file behind it.
type stretch struct {
	end  int64
	next uint64
}

// stretchSize is how much of the file a stretch is at least.
const stretchSize = 1 << 20

// NewReader looks through a recording, which is to stand at its begin.
func NewReader(r io.ReadSeeker) (*Reader, error) { return newReader(r, stretchSize) }

// newReader is NewReader with stretches of at least some size.
func newReader(r io.ReadSeeker, size int64) (*Reader, error) {
	d := &Reader{r: r}
	d.t.Stacks = [][]uint64{nil}
	l := loader{}
	var last [record.MaxProcs]uint64 // the stamp of each M's last record
	first := uint64(math.MaxUint64)  // the least of the stretch
	at := int64(len(fileMagic))
	err := chunks(r, func(kind byte, p []byte) error {
		at += int64(5 + len(p))
		if kind != chunkRecords {
			return l.chunk(kind, p)
		}
		m, recs, err := records(p)
		if err != nil {
			return err
		}
		for _, rec := range recs {
			if !rec.IsStack() {
				last[m] = rec.Stamp
			}
			// A slot of a stack at a chunk's begin belongs to the record before.
			first = min(first, last[m])
		}
		if len(d.earlier) == 0 || at-d.earlier[len(d.earlier)-1].end >= size {
			d.earlier = append(d.earlier, stretch{at, first})
			first = math.MaxUint64
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !l.began {
		return nil, errors.New("the recording is cut off before it began")
	}
	d.earlier = append(d.earlier, stretch{math.MaxInt64, first})
	// Of each stretch what is earliest behind it, not in it.
	next := uint64(math.MaxUint64)
	for i := len(d.earlier) - 1; i >= 0; i-- {
		s := &d.earlier[i]
		next, s.next = min(next, s.next), next
	}
	d.t.Meta, d.t.Legend, d.t.End, d.t.Whole = l.t.Meta, l.t.Legend, l.t.End, l.t.Whole
	d.t.symbols = newSymbols(d.t.Legend)
	return d, nil
}

// Trace is what is known of the run beside its events. Its Stacks and Lost grow as
// Each goes on.
func (d *Reader) Trace() *Trace { return &d.t }

// Each hands the events over, in order, some at a time. What is handed over is not
// to be kept. It may be called once.
func (d *Reader) Each(f func([]Event) error) error {
	if _, err := d.r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var failed error
	s := NewStream(0, func(es []Event) {
		if failed == nil {
			failed = f(es)
		}
	})
	s.l.t = d.t
	at := int64(len(fileMagic))
	left := d.earlier
	err := chunks(d.r, func(kind byte, p []byte) error {
		at += int64(5 + len(p))
		if kind != chunkRecords {
			return nil
		}
		if err := s.l.chunk(kind, p); err != nil {
			return err
		}
		s.decode(int(binary.LittleEndian.Uint32(p)), false)
		d.t.Stacks, d.t.Lost = s.l.t.Stacks, s.l.t.Lost
		if at >= left[0].end {
			s.release(d.t.before(left[0].next))
			left = left[1:]
		}
		return errors.Join(s.err, failed)
	})
	for m := range s.l.raw {
		s.decode(m, true)
	}
	d.t.Stacks, d.t.Lost = s.l.t.Stacks, s.l.t.Lost
	s.Flush()
	return errors.Join(err, s.err, failed)
}

// before is the last moment at which all that happened has an earlier stamp.
func (t *Trace) before(stamp uint64) int64 {
	if stamp == math.MaxUint64 {
		return math.MaxInt64
	}
	return t.nanoseconds(stamp) - 1
}

// records takes a chunk of records apart.
func records(p []byte) (m int, recs []record.Record, err error) {
	if len(p) < 16 || (len(p)-16)%recordSize != 0 {
		return 0, nil, errors.New("a piece of records that is not whole")
	}
	m = int(binary.LittleEndian.Uint32(p))
	if m >= record.MaxProcs {
		return 0, nil, fmt.Errorf("records of M %d", m)
	}
	if p = p[16:]; len(p) > 0 {
		recs = unsafe.Slice((*record.Record)(unsafe.Pointer(&p[0])), len(p)/recordSize)
	}
	return m, recs, nil
}

// chunks calls f for each chunk of a recording, as far as it goes.
func chunks(r io.Reader, f func(kind byte, p []byte) error) error {
	br := bufio.NewReaderSize(r, 1<<20)
	magic := make([]byte, len(fileMagic))
	n, err := io.ReadFull(br, magic)
	switch {
	case err == nil && string(magic) == fileMagic:
	case err == nil || errors.Is(err, io.ErrUnexpectedEOF):
		return errNoRecording
	case errors.Is(err, io.EOF) && n == 0:
		return NotRecording("it is empty: no recording of a run, or of one whose guest has not begun")
	default:
		return err
	}
	for {
		var head [5]byte
		if _, err := io.ReadFull(br, head[:]); err != nil {
			return nil // the end, or it was cut off
		}
		n := binary.LittleEndian.Uint32(head[1:])
		if n > maxChunk {
			return errors.New("the recording is broken: a chunk of impossible length")
		}
		p := make([]byte, n)
		if _, err := io.ReadFull(br, p); err != nil {
			return nil
		}
		if err := f(head[0], p); err != nil {
			return fmt.Errorf("the recording is broken: %w", err)
		}
		if head[0] == chunkEnd {
			return nil
		}
	}
}

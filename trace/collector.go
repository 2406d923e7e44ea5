package trace

import (
	"bytes"
	"errors"
	"fmt"
	"unsafe"

	"sched9/record"
)

// Collector empties a guest's rings from outside. The guest does not notice: it
// works while the guest runs, hangs, or is gone, as long as its memory is there.
type Collector struct {
	mem   []byte
	base  uint64 // guest-physical address of mem
	dir   *record.Directory
	rings []record.Ring
	batch []record.Record // room for a piece
}

// Attach finds the rings in the memory of a guest that has told the address of
// its directory. mem is its memory from physical address base on, which addresses in
// the recorder and of the image are.
func Attach(mem []byte, base, directory uint64) (*Collector, error) {
	c := &Collector{mem: mem, base: base, batch: make([]record.Record, 0, 4096)}
	p, err := c.span(directory, uint64(unsafe.Sizeof(record.Directory{})))
	if err != nil || directory%8 != 0 {
		return nil, fmt.Errorf("the recorder's directory: %w", errors.Join(err, errAddress))
	}
	c.dir = (*record.Directory)(unsafe.Pointer(&p[0]))
	if string(c.dir.Magic[:]) != record.Magic {
		return nil, fmt.Errorf("no recorder's directory at %#x", directory)
	}
	if c.dir.Rings > record.MaxProcs || c.dir.Shift > 30 {
		return nil, fmt.Errorf("the recorder's directory at %#x is broken", directory)
	}
	for i := range c.dir.Rings {
		h := &c.dir.Head[i]
		n := uint64(1) << c.dir.Shift
		p, err := c.span(h.Slots, n*uint64(unsafe.Sizeof(record.Record{})))
		if err != nil {
			return nil, fmt.Errorf("the ring of M %d: %w", i, err)
		}
		c.rings = append(c.rings, record.Ring{Head: h, Slots: unsafe.Slice((*record.Record)(unsafe.Pointer(&p[0])), n)})
	}
	return c, nil
}

var errAddress = errors.New("its address cannot be right")

// span is the guest's memory from addr on.
func (c *Collector) span(addr, n uint64) ([]byte, error) {
	at := addr - c.base
	if n == 0 || addr < c.base || at > uint64(len(c.mem)) || n > uint64(len(c.mem))-at {
		return nil, fmt.Errorf("%d bytes at %#x are not in the guest's memory", n, addr)
	}
	return c.mem[at : at+n], nil
}

// Rings returns how many Ms record.
func (c *Collector) Rings() int { return len(c.rings) }

// Scale returns how nanoseconds are made of stamps: see record.Directory.
func (c *Collector) Scale() (base, mult uint64) { return c.dir.Base, c.dir.Mult }

// Drain hands what has come since the last call to sink, ring by ring, in pieces
// that are valid during the call. lost counts records that were overwritten
// before the first of the piece. It reads as far as the guest has written
// whole records; with last, when the guest runs no more, it passes by those
// that will never be whole: an M was stopped while it wrote them, so there is
// nothing after them but what stopped it.
func (c *Collector) Drain(last bool, sink func(m int, lost uint64, recs []record.Record) error) error {
	for m := range c.rings {
		r := &c.rings[m]
		for {
			recs, lost, more := r.Read(c.batch[:0], last)
			if len(recs) > 0 || lost > 0 {
				if err := sink(m, lost, recs); err != nil {
					return err
				}
			}
			if !more {
				break
			}
		}
	}
	return nil
}

// Legend is what the numbers in records mean.
type Legend struct {
	Version string // of the runtime
	Reasons []string
	Stops   []string
	Text    uint64
	Table   []byte // of functions and lines, as package debug/gosym reads it
	Policy  string // of the scheduler
	Waives  string // the rules that it does not keep, with spaces between

	// Inlined are the functions into which the compiler has put calls of others, and Callees what functions
	// call that the compiler makes of `go f(x)`, by their addresses.
	Inlined []Inlined         `json:",omitempty"`
	Callees map[uint64]string `json:",omitempty"`
}

// linked is the guest's memory from addr on, an address that something in the image is linked to.
func (c *Collector) linked(addr, n uint64) ([]byte, error) { return c.span(addr+c.dir.Image, n) }

// Legend reads what the guest's records mean. A guest that has not come as far
// as its runtime has an empty one. It takes some time, and may be called while the rings are drained.
func (c *Collector) Legend() Legend {
	a := c.dir.About
	var l Legend
	l.Text = a.Text
	if p, err := c.linked(a.Table.At, a.Table.Len); err == nil {
		l.Table = bytes.Clone(p)
		c.complete(&l, a.Funcs)
	}
	l.Version, l.Policy, l.Waives = c.text(a.Version), c.text(a.Policy), c.text(a.Waives)
	l.Reasons, l.Stops = c.texts(a.Reasons), c.texts(a.Stops)
	return l
}

// Ready reports whether the guest has come so far that there is a Legend.
func (c *Collector) Ready() bool {
	a := c.dir.About
	return a.Text != 0 && a.Table.Len != 0 && a.Version.Len != 0 && a.Reasons.Len != 0 && a.Stops.Len != 0
}

// text is a string in the guest, or "".
func (c *Collector) text(s record.Span) string {
	p, err := c.linked(s.At, s.Len)
	if err != nil || s.Len > 1<<12 {
		return ""
	}
	return string(p)
}

// texts is an array of strings in the guest.
func (c *Collector) texts(s record.Span) []string {
	const size = uint64(unsafe.Sizeof(record.Span{}))
	if s.Len > 1<<10 {
		return nil
	}
	var all []string
	for i := range s.Len {
		p, err := c.linked(s.At+i*size, size)
		if err != nil {
			return nil
		}
		all = append(all, c.text(*(*record.Span)(unsafe.Pointer(&p[0]))))
	}
	return all
}

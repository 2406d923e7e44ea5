package trace

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"sched9/record"
)

// machine is a guest's memory with rings in it, and the recorders of its Ms.
type machine struct {
	mem  []byte
	dir  *record.Directory
	recs []record.Recorder
	tick atomic.Uint64 // the clock
}

const dirAt, ringsAt = 4096, 1 << 16

// newMachine is a machine of n Ms with rings of 1<<shift records.
func newMachine(n int, shift uint32) *machine {
	size := uint64(recordSize) << shift
	// Of words, so that what lies in it is aligned.
	words := make([]uint64, (ringsAt+uint64(n)*size)/8)
	m := &machine{mem: unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*8), recs: make([]record.Recorder, n)}
	m.dir = (*record.Directory)(unsafe.Pointer(&m.mem[dirAt]))
	copy(m.dir.Magic[:], record.Magic)
	m.dir.Rings, m.dir.Shift = uint32(n), shift
	m.dir.Mult = 1 << 32
	for i := range m.recs {
		h := &m.dir.Head[i]
		h.Slots = ringsAt + uint64(i)*size
		m.recs[i].Init(h, uintptr(unsafe.Pointer(&m.mem[h.Slots])), shift, record.MaxStack, record.Plain, func() uint64 { return m.tick.Add(1) })
	}
	return m
}

// attach attaches a Collector.
func (m *machine) attach(t *testing.T) *Collector {
	t.Helper()
	c, err := Attach(m.mem, 0, dirAt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// drained gathers what a Collector hands out.
type drained struct {
	recs [record.MaxProcs][]record.Record
	lost [record.MaxProcs]uint64
}

func (d *drained) sink(m int, lost uint64, recs []record.Record) error {
	d.lost[m] += lost
	d.recs[m] = append(d.recs[m], recs...)
	return nil
}

func TestDrainInPieces(t *testing.T) {
	m := newMachine(2, record.MinRing)
	c := m.attach(t)
	var d drained
	for i := range uint64(10_000) {
		m.recs[i%2].Record(record.EvTick, i, i+1, i+2)
		if i%1000 == 0 {
			if err := c.Drain(false, d.sink); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.Drain(true, d.sink)
	for id := range 2 {
		if len(d.recs[id]) != 5000 || d.lost[id] != 0 {
			t.Fatalf("M %d: %d records, %d lost", id, len(d.recs[id]), d.lost[id])
		}
		for k, r := range d.recs[id] {
			i := uint64(2*k + id)
			if r.Event() != record.EvTick || r.G() != i || r.Arg != i+1 || r.Aux() != i+2 || r.P() != record.NoP {
				t.Fatalf("M %d, record %d: %v", id, k, r)
			}
		}
	}
}

func TestOverwrittenRecordsAreCounted(t *testing.T) {
	const size = 1 << record.MinRing
	m := newMachine(1, record.MinRing)
	c := m.attach(t)
	var d drained
	for i := range uint64(3*size + 10) {
		m.recs[0].Record(record.EvTick, 0, i, 0)
	}
	c.Drain(true, d.sink)
	got := d.recs[0]
	if len(got) != size || d.lost[0] != 2*size+10 {
		t.Fatalf("%d records, %d lost", len(got), d.lost[0])
	}
	if got[0].Arg != 2*size+10 || got[size-1].Arg != 3*size+9 {
		t.Errorf("records %d to %d", got[0].Arg, got[size-1].Arg)
	}
}

// A record whose writer was stopped in the middle holds up those behind it, which
// an interrupt wrote, until the machine is known to have ended.
func TestTornRecord(t *testing.T) {
	m := newMachine(1, record.MinRing)
	c := m.attach(t)
	m.recs[0].Record(record.EvTick, 0, 1, 0)
	m.dir.Head[0].Next.Add(1) // reserved and never written
	m.recs[0].Record(record.EvTick, 0, 3, 0)
	var d drained
	c.Drain(false, d.sink)
	if len(d.recs[0]) != 1 || d.lost[0] != 0 {
		t.Fatalf("%d records, %d lost while it runs", len(d.recs[0]), d.lost[0])
	}
	c.Drain(true, d.sink)
	if len(d.recs[0]) != 2 || d.recs[0][1].Arg != 3 || d.lost[0] != 0 {
		t.Fatalf("%v, %d lost at the end", d.recs[0], d.lost[0])
	}
}

// The reader races a writer that laps it: what it hands out must be whole, and
// what it does not must be counted.
func TestReaderRacesWriter(t *testing.T) {
	m := newMachine(1, record.MinRing)
	c := m.attach(t)
	const n = 3_000_000
	done := make(chan bool)
	go func() {
		for i := range uint64(n) {
			m.recs[0].Record(record.EvTick, i, i*3, i*5)
		}
		close(done)
	}()
	var read, lost uint64
	sink := func(_ int, l uint64, recs []record.Record) error {
		lost += l
		for _, r := range recs {
			if i := read + lost; r.G() != i || r.Arg != i*3 || r.Aux() != i*5 {
				t.Fatalf("record %d holds %d, %d, %d", i, r.G(), r.Arg/3, r.Aux()/5)
			}
			read++
		}
		return nil
	}
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		c.Drain(!running, sink)
	}
	if read+lost != n {
		t.Errorf("%d read and %d lost of %d", read, lost, n)
	}
	if read == 0 {
		t.Error("nothing was read")
	}
}

func TestAttachRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*machine){
		"magic":      func(m *machine) { m.dir.Magic[0]++ },
		"many rings": func(m *machine) { m.dir.Rings = 1000 },
		"far ring":   func(m *machine) { m.dir.Head[0].Slots = 1 << 40 },
		"long ring":  func(m *machine) { m.dir.Shift = 29 },
	} {
		m := newMachine(1, record.MinRing)
		spoil(m)
		if _, err := Attach(m.mem, 0, dirAt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	m := newMachine(1, record.MinRing)
	for _, at := range []uint64{dirAt + 4, 1 << 50, uint64(len(m.mem)) - 8} {
		if _, err := Attach(m.mem, 0, at); err == nil {
			t.Errorf("directory at %#x: no error", at)
		}
	}
}

func TestLegend(t *testing.T) {
	m := newMachine(1, record.MinRing)
	c := m.attach(t)
	if c.Ready() || c.Legend().Version != "" {
		t.Error("a legend before there is one")
	}
	const image = 0x1000 // it lies higher than it is linked to
	m.dir.Image = image
	at := uint64(8192)
	text := func(s string) record.Span {
		copy(m.mem[at:], s)
		at += 64
		return record.Span{At: at - 64 - image, Len: uint64(len(s))}
	}
	words := func(list ...string) record.Span {
		var spans []record.Span
		for _, s := range list {
			spans = append(spans, text(s))
		}
		start := at
		for _, s := range spans {
			*(*record.Span)(unsafe.Pointer(&m.mem[at])) = s
			at += 16
		}
		return record.Span{At: start - image, Len: uint64(len(list))}
	}
	m.dir.About = record.About{Text: 0x401000, Table: text("table"), Version: text("go1.26"), Reasons: words("", "sleep"), Stops: words("none")}
	l := c.Legend()
	if !c.Ready() || l.Version != "go1.26" || string(l.Table) != "table" || !slices.Equal(l.Reasons, []string{"", "sleep"}) || !slices.Equal(l.Stops, []string{"none"}) {
		t.Errorf("%+v", l)
	}
	m.dir.About.Reasons.At = 1 << 60
	m.dir.About.Version.Len = 1 << 40
	if l := c.Legend(); l.Reasons != nil || l.Version != "" {
		t.Errorf("a legend from nowhere: %+v", l)
	}
}

// recordStacks writes a recording of three events with stacks.
func recordStacks(t *testing.T) []byte {
	t.Helper()
	m := newMachine(2, record.MinRing)
	// A stack of frames: frame pointer, return address.
	stack := make([]uint64, 32)
	base := uintptr(unsafe.Pointer(&stack[0]))
	for i := range 6 {
		stack[2*i] = uint64(base) + uint64(16*(i+1))
		stack[2*i+1] = uint64(0x1000 * (i + 1))
	}
	lo, hi := base, base+uintptr(6*16)
	m.recs[0].RecordStack(record.EvBlock, 7, 1<<record.ReasonShift|0xabc, 0x500, base, lo, hi)
	m.recs[1].RecordStack(record.EvUnblock, 7, 0, 0x500, base, lo, hi) // the same
	m.recs[1].RecordStack(record.EvYield, 8, 0, 0x600, 0, lo, hi)      // no frames
	var b bytes.Buffer
	w := NewWriter(&b, Meta{Program: "p", SMP: 2, Mult: 1 << 32})
	if err := m.attach(t).Drain(true, w.Records); err != nil {
		t.Fatal(err)
	}
	w.Legend(Legend{Reasons: []string{"", "sleep"}})
	if err := w.Close(End{Status: 3, Why: "x"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFileRoundTrip(t *testing.T) {
	data := recordStacks(t)
	tr, err := Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if tr.Program != "p" || tr.Status != 3 || tr.Why != "x" || !tr.Whole || tr.TotalLost() != 0 || len(tr.Events) != 3 {
		t.Fatalf("%+v", tr)
	}
	e := tr.Events[0]
	if e.Kind != record.EvBlock || e.G != 7 || e.M != 0 || e.P != -1 || e.Object() != 0xabc || tr.Reason(e) != "sleep" {
		t.Errorf("%+v", e)
	}
	want := []uint64{0x500, 0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000}
	if got := tr.Stacks[e.Stack]; !slices.Equal(got, want) {
		t.Errorf("stack %x, want %x", got, want)
	}
	if tr.Events[1].Stack != e.Stack {
		t.Error("one stack has two numbers")
	}
	if got := tr.Stacks[tr.Events[2].Stack]; !slices.Equal(got, []uint64{0x600}) {
		t.Errorf("stack %x", got)
	}
	again, _ := Read(bytes.NewReader(data))
	if !tr.Same(again) {
		t.Error("a trace differs from itself")
	}
	again.Events[2].Stamp++
	if tr.Same(again) || tr.Same(nil) {
		t.Error("different traces are the same")
	}
}

func TestReadCutOff(t *testing.T) {
	data := recordStacks(t)
	for n := range len(data) {
		tr, err := Read(bytes.NewReader(data[:n]))
		if err == nil && tr.Whole {
			t.Fatalf("whole after %d of %d bytes", n, len(data))
		}
	}
	if _, err := Read(strings.NewReader("something else entirely")); err == nil {
		t.Error("no error for another file")
	}
	broken := bytes.Clone(data)
	broken[len(fileMagic)+1] = 0xff
	broken[len(fileMagic)+4] = 0xff
	if _, err := Read(bytes.NewReader(broken)); err == nil {
		t.Error("no error for an impossible length")
	}
}

func TestWriterTellsErrors(t *testing.T) {
	w := NewWriter(failing{}, Meta{})
	if err := w.Close(End{}); err == nil {
		t.Error("no error")
	}
}

// failing is a Writer that does not.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

// Behind a gap there may be the stack of a record that is gone.
func TestGapBeforeStack(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, Meta{SMP: 1, Mult: 1 << 32})
	slot := record.Pack(1, record.EvTick, 0, 0, 0, 0, 0)
	slot.What |= 1 << 63
	w.Records(0, 0, []record.Record{record.Pack(1, record.EvYield, 0, 1, 0, 9, 2)})
	w.Records(0, 5, []record.Record{slot, record.Pack(2, record.EvTick, 0, 1, 0, 9, 0)})
	w.Close(End{})
	tr, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Events) != 2 || tr.Events[0].Kind != record.EvYield || tr.Events[1].Kind != record.EvTick || tr.TotalLost() != 6 {
		t.Errorf("%+v, %d lost", tr.Events, tr.TotalLost())
	}
}

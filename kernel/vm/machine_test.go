package vm

import (
	"math/rand"
	"testing"
	"unsafe"

	"sched9/arch/paging"
	"sched9/kernel/frame"
)

// machine is simulated memory and processors around a VM. A processor keeps what the
// architectures let it keep at worst: whatever a walk finds present, pages and ways to tables, until
// it flushes; and walks happen at any time, between any two stores to the tables.
type machine struct {
	t    testing.TB
	r    *rand.Rand
	vm   *VM
	hold []byte  // memory
	base uintptr // of its first frame
	cpus []*cpu
	own  *cpu      // the one that is in a call
	hot  []uintptr // where walks go

	give func(va uintptr) Outcome // brings a page of a file
}

// cpu is what a processor keeps.
type cpu struct {
	pages  map[uintptr]leaf // by address of the page
	tables map[way]uint64   // tables, by the part of the address that leads there
}

// leaf is an entry that maps 1<<shift bytes.
type leaf struct {
	entry uint64
	shift uint
}

// way is an address without its lowest shift bits.
type way struct {
	part  uintptr
	shift uint
}

// wordAt is the word at p.
func wordAt(p uintptr) *uint64 { return (*uint64)(unsafe.Pointer(p)) }

// Entries are like those of no architecture.
const (
	bitP    = 1 << 0
	bitW    = 1 << 1
	bitT    = 1 << 2
	bitLent = 1 << 3
	bitAddr = 1<<40 - 1 - 0xfff
)

// The part of address space that is the kernel's.
const (
	kernelLow  = 1 << 44
	kernelHigh = kernelLow + 16<<20
)

// newMachine returns one with size bytes and n processors. absent: a page of 2 MiB has to be taken
// away before it becomes a table.
func newMachine(t testing.TB, seed int64, size, n int, absent bool) *machine {
	m := &machine{t: t, r: rand.New(rand.NewSource(seed))}
	m.hold = make([]byte, size+hugeSize)
	m.base = (uintptr(unsafe.Pointer(&m.hold[0])) + hugeSize - 1) &^ (hugeSize - 1)
	for range n {
		c := &cpu{}
		c.flush()
		m.cpus = append(m.cpus, c)
	}
	m.own = m.cpus[0]
	v := &VM{Low: 1 << 30, High: 1 << 46, Base: 1 << 45, HugeFrom: 64}
	m.vm = v
	v.Frames.Init(make([]frame.Table, size/frame.Block))
	v.Frames.Add(pageSize, uint64(size)) // the first one is the table of the first level
	m.dirty(pageSize, uintptr(size)-pageSize)
	v.Zero = func(p, n uintptr) { clear(unsafe.Slice((*byte)(unsafe.Pointer(p)), n)) }
	v.Fatal = func(why string) { t.Fatal(why) }
	v.Flush = m.flush
	v.FlushOwn = func() { m.own.flush() }
	v.Pages = &paging.Tables{
		Format: paging.Format{
			Addr:    bitAddr,
			Table:   bitP | bitT,
			IsTable: bitT,
			Page:    [3]uint64{paging.None: bitW, paging.Read: bitP, paging.Write: bitP | bitW},
			Huge:    [3]uint64{paging.None: bitW, paging.Read: bitP, paging.Write: bitP | bitW},
			Lent:    bitLent,
		},
		Base:      m.base,
		Root:      func(uintptr) uint64 { return 0 },
		Get:       v.Table,
		Free:      m.free,
		Ordered:   func() {},
		Published: func() {},
		Step:      m.step,
	}
	if absent {
		v.Pages.Break = m.flush
	}
	v.Open(kernelLow, kernelHigh)
	return m
}

// dirty fills frames with bytes that no reader expects.
func (m *machine) dirty(pa uint64, n uintptr) {
	b := unsafe.Slice((*uint64)(unsafe.Pointer(m.base+uintptr(pa))), n/8)
	for i := range b {
		b[i] = 0xbad0_0bad_0bad_0bad
	}
}

// free is Tables' Free: no processor may have a translation to the frame.
func (m *machine) free(pa uint64, size uintptr) {
	for i, c := range m.cpus {
		for at, l := range c.pages {
			if from := l.entry & bitAddr; from < pa+uint64(size) && pa < from+1<<l.shift {
				m.t.Fatalf("frame %#x is freed, and processor %d reaches it at %#x", pa, i, at)
			}
		}
		for w, table := range c.tables {
			if table == pa {
				m.t.Fatalf("table %#x is freed, and processor %d walks through it to %#x", pa, i, w.part<<w.shift)
			}
		}
	}
	m.dirty(pa, size)
	m.vm.Free(pa, size)
}

// step lets processors walk to where they like.
func (m *machine) step() {
	for _, c := range m.cpus {
		if len(m.hot) > 0 && m.r.Intn(4) == 0 {
			m.walk(c, m.hot[m.r.Intn(len(m.hot))])
		}
	}
}

// flush has all processors flush, one after the other.
func (m *machine) flush() {
	for _, i := range m.r.Perm(len(m.cpus)) {
		m.step()
		m.cpus[i].flush()
	}
	m.step()
}

// flush drops what the processor keeps.
func (c *cpu) flush() {
	c.pages = map[uintptr]leaf{}
	c.tables = map[way]uint64{}
}

// walk returns the entry that maps va, as a processor finds it: kept, or by a walk that may begin
// at any table that is kept. It keeps what it finds.
func (m *machine) walk(c *cpu, va uintptr) (l leaf, ok bool) {
	for _, shift := range []uint{12, 21} {
		if l, ok := c.pages[va>>shift<<shift]; ok && l.shift == shift {
			return l, true
		}
	}
	table, s := uint64(0), uint(39)
	for from := uint(21); from < 39; from += 9 {
		if t, ok := c.tables[way{va >> from, from}]; ok && m.r.Intn(4) > 0 {
			table, s = t, from-9
			break
		}
	}
	for ; ; s -= 9 {
		e := *(*uint64)(unsafe.Pointer(m.base + uintptr(table) + va>>s&511*8))
		if e&bitP == 0 {
			return leaf{}, false
		}
		if s > 12 && e&bitT != 0 {
			table = e & bitAddr
			c.tables[way{va >> s, s}] = table
			continue
		}
		l = leaf{e, s}
		c.pages[va>>s<<s] = l
		return l, true
	}
}

// access has processor c read or write the word at va, and returns what it read.
func (m *machine) access(c *cpu, va uintptr, write bool, v uint64) (old uint64, out Outcome) {
	m.own = c
	for range 3 {
		if l, ok := m.walk(c, va); ok && (!write || l.entry&bitW != 0) {
			p := (*uint64)(unsafe.Pointer(m.base + uintptr(l.entry&bitAddr) + va&(1<<l.shift-1)))
			old = *p
			if write {
				*p = v
			}
			return old, Done
		}
		if out = m.vm.Serve(va, write); out == File {
			out = m.give(va)
		}
		if out != Done {
			return 0, out
		}
	}
	m.t.Fatalf("an access to %#x is served again and again", va)
	return 0, Refused
}

package race

import (
	"fmt"
	"math/rand"
	"testing"
	"unsafe"
)

// memory is what a test watches: no access touches it.
const memory, memorySize = 0x10000, 3 * pageSize

// newDetector returns a detector of memory with an arena of the given size.
func newDetector(t testing.TB, size int) *Detector {
	area := make([]uint64, size/8)
	t.Cleanup(func() { clear(area) }) // it lives as long as the test
	return newDetectorIn(area)
}

// newDetectorIn returns a detector of memory with that arena, which is zero.
func newDetectorIn(area []uint64) *Detector {
	d := &Detector{Fatal: func(why string) { panic(why) }}
	d.Init(uintptr(unsafe.Pointer(&area[0])), uintptr(len(area))*8)
	d.Watch(0, memory, memory+memorySize, memorySize)
	return d
}

// events is a set of accesses, by number.
type events map[int]bool

// or adds those of others.
func (e events) or(others events) {
	for n := range others {
		e[n] = true
	}
}

// past is an access that was made.
type past struct {
	n    int
	kind Kind
	by   int
}

// model is happens-before by its definition: for each goroutine, and each address that is synchronised on, the set of all accesses that
// happened before.
type model struct {
	n     int
	knows map[int]events
	locks map[uintptr]events
	bytes map[uintptr][]past
}

// access adds an access, and reports whether it races.
func (m *model) access(g int, addr, size uintptr, kind Kind) (races bool) {
	m.n++
	for a := addr; a < addr+size; a++ {
		for _, p := range m.bytes[a] {
			conflict := (p.kind|kind)&Write != 0 && p.kind&kind&Atomic == 0
			races = races || conflict && !m.knows[g][p.n]
		}
		m.bytes[a] = append(m.bytes[a], past{m.n, kind, g})
	}
	m.knows[g][m.n] = true
	return races
}

// forget makes words new.
func (m *model) forget(addr, size uintptr) {
	for a := addr; a < addr+size; a++ {
		delete(m.bytes, a)
		delete(m.locks, a)
	}
}

// clone returns a copy.
func clone(e events) events {
	c := events{}
	c.or(e)
	return c
}

// TestModel makes random operations, and compares each verdict with the model's.
func TestModel(t *testing.T) {
	runs := 3000
	if testing.Short() {
		runs = 300
	}
	found := 0
	area := make([]uint64, 1<<19)
	for seed := range runs {
		found += compare(t, newDetectorIn(area), int64(seed))
		clear(area)
		if t.Failed() {
			return
		}
	}
	if found < runs {
		t.Errorf("%d races in %d runs: they try too little", found, runs)
	}
}

// compare is one run of TestModel. It returns how many races there were.
func compare(t *testing.T, d *Detector, seed int64) (found int) {
	rnd := rand.New(rand.NewSource(seed))
	m := model{knows: map[int]events{}, locks: map[uintptr]events{}, bytes: map[uintptr][]past{}}
	m.knows[0] = events{}
	live := []int{0}
	ctx := map[int]Ctx{0: d.Go(0, 0)}
	next := 1
	words := uintptr(1 + rnd.Intn(6)) // few words: more meets
	base := uintptr(memory + pageSize - 16)
	log := ""
	note := func(format string, args ...any) { log += fmt.Sprintf(format+"\n", args...) }
	for range 200 {
		i := rnd.Intn(len(live))
		g := live[i]
		addr := base + uintptr(rnd.Intn(int(words)*8))
		lock := base + uintptr(rnd.Intn(int(words)*8))
		switch op := rnd.Intn(20); {
		case op < 10:
			kind := Kind(rnd.Intn(4))
			size := []uintptr{1, 1, 1, 2, 4, 8, 8, 16, 24}[rnd.Intn(9)]
			if kind&Atomic != 0 {
				size = min(size, 8)
				addr &^= size - 1
			}
			note("%d: access %x %d kind %d", g, addr, size, kind)
			if kind&Atomic == 0 && d.Known(ctx[g], addr, size, kind&Write != 0) {
				if m.access(g, addr, size, kind) {
					t.Fatalf("seed %d: Known, and it is a race\n%s", seed, log)
				}
				continue
			}
			r, got := d.Access(ctx[g], addr, size, kind, 0)
			if want := m.access(g, addr, size, kind); got != want {
				t.Fatalf("seed %d: race %v, want %v\n%s", seed, got, want, log)
			}
			if got {
				found++
				if r.Addr < addr || r.Addr >= addr+size || r.Kind != kind || (r.Prev|kind)&Write == 0 || r.Prev&kind&Atomic != 0 {
					t.Fatalf("seed %d: report %+v\n%s", seed, r, log)
				}
				from := addr &^ 7
				to := (addr + size + 7) &^ 7
				d.New(from, to-from)
				m.forget(from, to-from)
			}
		case op < 12:
			note("%d: acquire %x", g, lock)
			d.Acquire(ctx[g], lock)
			m.knows[g].or(m.locks[lock])
		case op < 14:
			merge := rnd.Intn(2) == 0
			note("%d: release %x %v", g, lock, merge)
			d.Release(ctx[g], lock, merge)
			l := clone(m.knows[g])
			if merge {
				l.or(m.locks[lock])
			}
			m.locks[lock] = l
		case op < 15:
			note("%d: exchange %x", g, lock)
			d.Exchange(ctx[g], lock)
			old := m.locks[lock]
			m.locks[lock] = clone(m.knows[g])
			m.knows[g].or(old)
		case op < 17:
			note("%d: go %d", g, next)
			ctx[next] = d.Go(ctx[g], 0)
			m.knows[next] = clone(m.knows[g])
			live = append(live, next)
			next++
		case op < 18 && len(live) > 1:
			note("%d: end", g)
			d.End(ctx[g])
			live[i] = live[len(live)-1]
			live = live[:len(live)-1]
		case op < 19:
			note("new %x", addr&^7)
			d.New(addr&^7, 8)
			m.forget(addr&^7, 8)
		case rnd.Intn(10) == 0:
			note("%d: acquire all", g)
			d.AcquireAll(ctx[g])
			for _, k := range m.knows {
				m.knows[g].or(k)
			}
		}
	}
	return found
}

// TestSlots: a goroutine that was waited for leaves its slot to the next one, one that nobody waited for does not.
func TestSlots(t *testing.T) {
	d := newDetector(t, 1<<22)
	main := d.Go(0, 0)
	join := func(release bool) {
		g := d.Go(main, 0)
		d.Access(g, memory, 1, Write, 0)
		if release {
			d.Release(g, memory+8, true)
		}
		d.End(g)
		d.Acquire(main, memory+8)
		d.New(memory, 8)
	}
	for range 1000 {
		join(true)
	}
	if d.slots != 2 {
		t.Errorf("%d slots for a goroutine and one at a time that it waits for, want 2", d.slots)
	}
	for range 10 {
		join(false)
	}
	if d.slots < 11 {
		t.Errorf("%d slots: some goroutine has that of one that may race with it", d.slots)
	}
}

// TestStrangers: goroutines of which nobody knows that they have ended, as timers start them, do not make vectors longer and longer. The
// last ones' races are found.
func TestStrangers(t *testing.T) {
	d := newDetector(t, 1<<22)
	timer := d.Go(0, 0)
	for i := range 5000 {
		g := d.Go(timer, 0)
		if _, found := d.Access(g, memory, 1, Write, 0); found != (i > 0) {
			t.Fatalf("goroutine %d: race %v", i, found)
		}
		d.End(g)
	}
	if d.slots > maxIdle+3 {
		t.Errorf("%d slots for one goroutine at a time", d.slots)
	}
}

// TestFreed: what is made again and again fits in a bounded memory.
func TestFreed(t *testing.T) {
	d := newDetector(t, 1<<22)
	main := d.Go(0, 0)
	var used uintptr
	for i := range 2000 {
		var gs []Ctx
		for range 20 {
			g := d.Go(main, 0)
			for a := uintptr(0); a < 64; a++ {
				d.Access(g, memory+a, 1+a%8, Read, 0)
				d.Access(g, memory+64+a&^7, 8, AtomicWrite, 0)
				d.Release(g, memory+128+a, true)
			}
			gs = append(gs, g)
		}
		for _, g := range gs {
			d.End(g)
		}
		for a := uintptr(0); a < 64; a++ {
			d.Acquire(main, memory+128+a)
		}
		d.New(memory, 256)
		if i == 10 {
			used = d.Used()
		}
	}
	if d.Used() > used {
		t.Errorf("%d bytes used, after 10 rounds %d", d.Used(), used)
	}
}

// TestFull: when the memory is full it is said.
func TestFull(t *testing.T) {
	d := newDetector(t, 1<<20)
	g := d.Go(0, 0)
	defer func() {
		if why, _ := recover().(string); why == "" {
			t.Error("it did not end")
		}
	}()
	for i := uintptr(0); ; i++ {
		d.Stack([]uintptr{i})
		d.Access(g, memory, 8, Write, 0)
	}
}

// TestCrowd: more goroutines than there is room for are an error, and not a wrong verdict.
func TestCrowd(t *testing.T) {
	d := newDetector(t, 1<<26)
	main := d.Go(0, 0)
	for range MaxGoroutines - 1 {
		d.Access(d.Go(main, 0), memory, 1, Read, 0)
	}
	if _, found := d.Access(main, memory, 1, Write, 0); !found {
		t.Error("no race between main and its many goroutines")
	}
	defer func() {
		if why, _ := recover().(string); why == "" {
			t.Error("one more goroutine was possible")
		}
	}()
	d.Go(main, 0)
}

// TestStacks: a stack has one name, whatever size the table has.
func TestStacks(t *testing.T) {
	d := newDetector(t, 1<<22)
	names := map[Stack]int{}
	for round := range 2 {
		for i := range 5000 {
			callers := []uintptr{uintptr(i), uintptr(i / 7), 42}[:1+i%3]
			s := d.Stack(callers)
			if round == 0 {
				names[s] = i
			}
			for k, c := range d.Callers(s) {
				if uintptr(c) != callers[k] {
					t.Fatalf("stack %d is %v, want %v", i, d.Callers(s), callers)
				}
			}
			if len(d.Callers(s)) != len(callers) || round == 1 && names[s] != i {
				t.Fatalf("stack %d was given the name of %d", i, names[s])
			}
		}
	}
	if !d.Once(1, 2) || d.Once(2, 1) || !d.Once(1, 1) {
		t.Error("a pair of stacks is told once, in either order")
	}
}

// TestNames: a report knows who did what, also of a goroutine that has ended, until its slot has another.
func TestNames(t *testing.T) {
	d := newDetector(t, 1<<22)
	main := d.Go(0, 0)
	g := d.Go(main, 5)
	d.Name(g, 7)
	d.Access(g, memory, 8, Write, 3)
	d.End(g)
	r, found := d.Access(main, memory, 1, Read, 4)
	want := Race{Addr: memory, Kind: Read, Prev: Write, Then: Info{7, 5, true}, Stack: 4, Old: 3}
	if !found || r != want {
		t.Errorf("%+v %v, want %+v", r, found, want)
	}
}

// BenchmarkAccess: reads of memory that several have read.
func BenchmarkAccess(b *testing.B) {
	d := newDetector(b, 1<<22)
	main := d.Go(0, 0)
	var gs [4]Ctx
	for i := range gs {
		gs[i] = d.Go(main, 0)
	}
	for i := range b.N {
		d.Access(gs[i%4], memory+uintptr(i%512)*8, 1, Read, 1)
	}
}

package vm

import (
	"encoding/binary"
	"testing"

	"sched9/arch/paging"
	"sched9/kernel/space"
)

// page is what the model knows of a page in an area: what may be done with it, and the word that is at its
// start.
type page struct {
	p paging.Prot
	v uint64   // if it is a file's, only once it has a copy
	f *mapping // the file's, nil: no file's
}

// model is a machine and what a program should see of it.
type model struct {
	*machine
	pages map[uintptr]page
	files []*content
	maps  map[uint32]*mapping
	stamp uint64
	short int // calls that failed for want of memory
}

// windows are where things happen: around ends of tables of each level, and the place for those
// without a wish.
var windows = []uintptr{1<<30 + 1<<20, 3<<30 - 2<<20, 1<<39 - 1<<20, 1 << 45}

const window = 4 << 20

func newModel(t testing.TB, seed int64, size, cpus int, absent bool) *model {
	m := &model{machine: newMachine(t, seed, size, cpus, absent), pages: map[uintptr]page{}, maps: map[uint32]*mapping{}}
	m.filed()
	for _, w := range windows {
		for i := uintptr(0); i < 8; i++ {
			m.hot = append(m.hot, w+i*window/8)
		}
	}
	return m
}

// in calls fn for each page of [at, at+n).
func in(at, n uintptr, fn func(at uintptr)) {
	for end := at + n; at < end; at += pageSize {
		fn(at)
	}
}

// whole reports whether all pages of [at, at+n) are in areas.
func (m *model) whole(at, n uintptr) bool {
	yes := true
	in(at, n, func(at uintptr) { _, ok := m.pages[at]; yes = yes && ok })
	return yes
}

// enough is called when a call failed for want of memory, and fails the test if there was some. A call may want as many
// frames.
func (m *model) enough(what string, most uint64) {
	m.t.Helper()
	m.short++
	if total, used, _ := m.vm.Frames.Stats(); total-used >= most {
		m.t.Fatalf("%s says that there is no memory, and %d frames are free", what, total-used)
	}
}

// The calls. errno is the machine's answer, compared with what the model expects.

func (m *model) mmap(at, n uintptr, p paging.Prot, fixed bool) (got uintptr) {
	got, errno := m.vm.Map(at, n, p, fixed, 0)
	if errno == noMemory {
		m.enough("Map", 1)
		return 0
	}
	if errno != 0 || fixed && got != at {
		m.t.Fatalf("Map(%#x, %#x, %d, %v) is %#x, %d", at, n, p, fixed, got, errno)
	}
	in(got, n, func(at uintptr) {
		if _, there := m.pages[at]; there && !fixed {
			m.t.Fatalf("Map gave %#x, where something is", at)
		}
		m.pages[at] = page{p: p}
	})
	return got
}

func (m *model) munmap(at, n uintptr) {
	switch errno := m.vm.Unmap(at, n); errno {
	case 0:
		in(at, n, func(at uintptr) { delete(m.pages, at) })
	case noMemory:
		m.enough("Unmap", 1)
		a := m.vm.Space.Lookup(at)
		if a.Kind == space.Unused || a.Start >= at || a.End <= at+n {
			m.t.Fatalf("Unmap(%#x, %#x) says that there is no memory, and parts nothing: %v", at, n, a)
		}
	default:
		m.t.Fatalf("Unmap(%#x, %#x) is %d", at, n, errno)
	}
}

func (m *model) discard(at, n uintptr) {
	want := 0
	if !m.whole(at, n) {
		want = noMemory
	}
	if errno := m.vm.Discard(at, n); errno != want {
		m.t.Fatalf("Discard(%#x, %#x) is %d, not %d", at, n, errno, want)
	}
	if want == 0 {
		in(at, n, func(at uintptr) { m.pages[at] = page{p: m.pages[at].p, f: m.pages[at].f} })
	}
}

func (m *model) mprotect(at, n uintptr, p paging.Prot) {
	errno := m.vm.Protect(at, n, p)
	switch whole := m.whole(at, n); {
	case !whole && errno == noMemory:
	case whole && errno == 0:
		in(at, n, func(at uintptr) { m.pages[at] = page{p, m.pages[at].v, m.pages[at].f} })
	case whole && errno == noMemory:
		m.enough("Protect", 4)
	default:
		m.t.Fatalf("Protect(%#x, %#x, %d) is %d", at, n, p, errno)
	}
}

// touch has a processor access the page at at.
func (m *model) touch(c *cpu, at uintptr, write bool) {
	p, there := m.pages[at]
	m.stamp++
	before, beyond := m.value(at)
	old, out := m.access(c, at, write, m.stamp)
	switch allowed := there && (p.p == paging.Write || p.p == paging.Read && !write); {
	case beyond && allowed && out == Beyond:
	case out == NoFrame && allowed:
		m.enough("Serve", 5)
	case allowed != (out == Done):
		m.t.Fatalf("an access (write %v) to %#x, which is %v %+v: %d", write, at, there, p, out)
	case beyond && allowed:
		m.t.Fatalf("an access to %#x, behind its file's end, is %d", at, out)
	case allowed && old != before:
		m.t.Fatalf("%#x holds %#x, not %#x", at, old, before)
	case allowed:
		if write {
			before = m.stamp
		}
		m.keeps(at, before)
	}
}

// check compares all that is there.
func (m *model) check() {
	held := 0
	for _, w := range windows {
		in(w, window, func(at uintptr) {
			p, there := m.pages[at]
			s := m.vm.Pages.Look(at)
			switch {
			case !there && s.Held, s.Present && p.p == paging.None, s.Writable && p.p != paging.Write,
				s.Held && p.p != paging.None && !s.Present, s.Present && p.p == paging.Write && !s.Writable:
				m.t.Fatalf("%#x is %v %+v, and the tables say %+v", at, there, p, s)
			case s.Held && p.f != nil && p.f.shared:
			case s.Held:
				held++
			case p.v != 0:
				m.t.Fatalf("%#x should hold %#x, and has no frame", at, p.v)
			}
			if a := m.vm.Space.Lookup(at); there != (a.Kind != space.Unused) || there && protOf(a.Kind) != p.p {
				m.t.Fatalf("%#x is %v %+v, and the area is %v", at, there, p, a)
			}
		})
	}
	for id, f := range m.maps {
		if f.pages != m.count(id) {
			m.t.Fatalf("file %d has %d pages, and %d were not lost", id, m.count(id), f.pages)
		}
	}
	for _, c := range m.files {
		held += len(c.frames)
	}
	m.balance(held)
}

// balance compares the frames in use with their purposes: pages, tables, areas, and the reserve.
func (m *model) balance(held int) {
	_, used, _ := m.vm.Frames.Stats()
	rest := int(used) - held - int(m.vm.Pages.InUse) - m.vm.nkept
	if least, most := m.vm.Space.Areas()/60, m.vm.Space.Areas()+2; rest < least || rest > most {
		m.t.Fatalf("%d frames are in use: %d pages, %d tables, %d kept; %d are left for %d areas",
			used, held, m.vm.Pages.InUse, m.vm.nkept, rest, m.vm.Space.Areas())
	}
}

// operate does one thing that three numbers choose.
func (m *model) operate(what, where, length uint16) {
	w := windows[int(what)>>8%len(windows)]
	at := w + uintptr(where)*pageSize%window
	n := min(uintptr(length)%600+1, (w+window-at)/pageSize) * pageSize
	if length&0x8000 != 0 { // whole pages of 2 MiB, or nearly
		at &^= hugeSize - 1
		at = max(at, w)
		n = min(hugeSize+uintptr(length)%3*pageSize, w+window-at)
	}
	p := paging.Prot(length >> 8 % 3)
	switch what & 0x1f {
	case 0, 1:
		m.mmap(at, n, paging.Write, true)
	case 2:
		m.mmap(at, n, p, true)
	case 3:
		if got := m.mmap(0, n, paging.Write, false); got+n > windows[len(windows)-1]+window {
			m.munmap(got, n) // behind what is looked at
		}
	case 4, 5:
		m.munmap(at, n)
	case 6, 7:
		m.discard(at, n)
	case 8, 9, 10:
		m.mprotect(at, n, p)
	case 11:
		m.mprotect(at, n, paging.Write)
	case 12:
		vec := make([]byte, n/pageSize)
		errno := m.vm.Resident(at, vec)
		if whole := m.whole(at, n); whole != (errno == 0) {
			m.t.Fatalf("Resident(%#x, %#x) is %d", at, n, errno)
		}
		for i, b := range vec {
			if v := m.pages[at+uintptr(i)*pageSize].v; errno == 0 && b == 0 && v != 0 {
				m.t.Fatalf("page %d of Resident(%#x) is not there, and holds %#x", i, at, v)
			}
		}
	case 13:
		m.mapFile(at, n, p, where&1 == 0, m.files[length%3], uintptr(where)%5)
	case 14:
		m.truncate(m.files[length%3], uintptr(where)%400)
	case 15:
		m.resize(at, n, uintptr(where)%200*pageSize+pageSize)
	default:
		for i := range 10 {
			m.touch(m.cpus[m.r.Intn(len(m.cpus))], at+uintptr(i*i)*7*pageSize%n, what&0x20 == 0)
		}
	}
}

// empty takes all away: nothing may be left.
func (m *model) empty() {
	for _, w := range windows {
		m.munmap(w, window)
	}
	for _, c := range m.files {
		m.truncate(c, 0)
	}
	m.check()
	if len(m.maps) != 0 {
		m.t.Fatalf("when all is unmapped %d files are mapped", len(m.maps))
	}
	if m.vm.Pages.InUse != 0 || m.vm.Space.Areas() != 1 {
		m.t.Fatalf("when all is unmapped there are %d tables and %d areas", m.vm.Pages.InUse, m.vm.Space.Areas())
	}
}

// TestAgainstModel: random calls and accesses by several processors, with much and with little memory.
func TestAgainstModel(t *testing.T) {
	steps := 4000
	if testing.Short() {
		steps = 500
	}
	var huges, shorts uint64
	for seed := int64(1); seed <= 12; seed++ {
		m := newModel(t, seed, []int{32 << 20, 8 << 20, 4 << 20}[seed%3], 1+int(seed%4), seed%2 == 0)
		for i := range steps {
			m.operate(uint16(m.r.Uint32()), uint16(m.r.Uint32()), uint16(m.r.Uint32()))
			if i%100 == 99 {
				m.check()
			}
		}
		huges += m.vm.Pages.Huges
		shorts += uint64(m.short)
		m.empty()
	}
	if huges < 50 || shorts < 50 {
		t.Errorf("%d pages of 2 MiB and %d calls without memory: too few to tell anything", huges, shorts)
	}
}

// FuzzCalls: six bytes are a call.
func FuzzCalls(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0x81, 0x1f, 0, 0, 0, 0, 0, 6, 0, 10, 0, 1, 0})
	f.Fuzz(func(t *testing.T, ops []byte) {
		m := newModel(t, 1, 8<<20, 2, len(ops)%2 == 0)
		for ; len(ops) >= 6; ops = ops[6:] {
			m.operate(binary.LittleEndian.Uint16(ops), binary.LittleEndian.Uint16(ops[2:]), binary.LittleEndian.Uint16(ops[4:]))
		}
		m.check()
		m.empty()
	})
}

// exhaust has processor 0 touch new pages until there is no frame, and areas be made until there is no node
// for one more.
func (m *model) exhaust() {
	const at = 1 << 40
	if _, errno := m.vm.Map(at, 32<<20, paging.Write, true, 0); errno != 0 {
		m.t.Fatalf("Map: %d", errno)
	}
	out := Done
	for p := uintptr(at); out == Done; p += pageSize {
		_, out = m.access(m.cpus[0], p, true, 1)
	}
	errno := 0
	for p := uintptr(1 << 41); errno == 0; p += 2 * pageSize {
		_, errno = m.vm.Map(p, pageSize, paging.Write, true, 0)
	}
	if total, used, _ := m.vm.Frames.Stats(); out != NoFrame || errno != noMemory || used != total {
		m.t.Fatalf("outcome %d, error %d, %d of %d frames in use", out, errno, used, total)
	}
}

// TestFailureChangesNothing: calls that run out of memory change nothing.
func TestFailureChangesNothing(t *testing.T) {
	m := newModel(t, 1, 4<<20, 2, true)
	at := windows[0]
	m.mmap(at, 16*pageSize, paging.Write, true)
	in(at, 16*pageSize, func(at uintptr) { m.touch(m.cpus[1], at, true) })
	m.exhaust()
	middle := at + 4*pageSize
	if _, errno := m.vm.Map(middle, pageSize, paging.Read, true, 0); errno != noMemory {
		t.Errorf("Map in the middle of an area: %d", errno)
	}
	if errno := m.vm.Unmap(middle, pageSize); errno != noMemory {
		t.Errorf("Unmap: %d", errno)
	}
	if errno := m.vm.Protect(middle, pageSize, paging.None); errno != noMemory {
		t.Errorf("Protect: %d", errno)
	}
	in(at, 16*pageSize, func(at uintptr) { m.touch(m.cpus[0], at, true) })
	// What parts no area needs no memory.
	m.munmap(at, pageSize)
	m.munmap(at+15*pageSize, pageSize)
	if m.pages[at].p != 0 || m.pages[at+15*pageSize].p != 0 || m.pages[middle].p != paging.Write {
		t.Error("an area could not be made smaller")
	}
}

// TestDiscardWithoutMemory: zeros come though both ends are in pages of 2 MiB that have to be cut, and no frame is
// left, again and again.
func TestDiscardWithoutMemory(t *testing.T) {
	for _, absent := range []bool{false, true} {
		m := newModel(t, 1, 32<<20, 2, absent)
		m.vm.HugeFrom = 0
		const n = 6
		at := uintptr(windows[3])
		m.mmap(at, n*hugeSize, paging.Write, true)
		for i := range uintptr(n) {
			m.touch(m.cpus[0], at+i*hugeSize, true)
		}
		in(at, n*hugeSize, func(at uintptr) { m.touch(m.cpus[0], at, true) })
		if m.vm.Pages.Huges != n {
			t.Fatalf("%d pages of 2 MiB, not %d", m.vm.Pages.Huges, n)
		}
		m.vm.HugeFrom = 1 << 20
		m.exhaust()
		if m.vm.nkept != len(m.vm.kept) {
			t.Fatal("nothing is kept")
		}
		for i := range uintptr(n - 1) {
			m.discard(at+i*hugeSize+hugeSize-pageSize, 2*pageSize)
			in(at, n*hugeSize, func(at uintptr) { m.touch(m.cpus[i%2], at, false) })
		}
	}
}

// TestKernel: the kernel's addresses cannot be mapped, unmapped, protected or given back, alone or with
// others.
func TestKernel(t *testing.T) {
	m := newModel(t, 1, 8<<20, 1, false)
	if !m.vm.Commit(kernelLow+pageSize, pageSize) {
		t.Fatal("no memory")
	}
	if at, errno := m.vm.Map(kernelLow, pageSize, paging.Write, false, 0); errno != 0 || at == kernelLow {
		t.Errorf("a wish for the kernel's place gave %#x, %d", at, errno)
	}
	m.mmap(kernelLow-pageSize, pageSize, paging.Write, true) // a neighbour
	for _, at := range []uintptr{kernelLow, kernelLow - pageSize, kernelHigh - pageSize} {
		if _, errno := m.vm.Map(at, 2*pageSize, paging.Write, true, 0); errno != noMemory {
			t.Errorf("Map over the kernel's place: %d", errno)
		}
		if errno := m.vm.Unmap(at, 2*pageSize); errno != invalid {
			t.Errorf("Unmap: %d", errno)
		}
		if errno := m.vm.Protect(at, 2*pageSize, paging.None); errno != noMemory {
			t.Errorf("Protect: %d", errno)
		}
		if errno := m.vm.Discard(at, 2*pageSize); errno != noMemory {
			t.Errorf("Discard: %d", errno)
		}
		if errno := m.vm.Resident(at, make([]byte, 2)); errno != noMemory {
			t.Errorf("Resident: %d", errno)
		}
	}
	if _, out := m.access(m.cpus[0], kernelLow, true, 1); out != Refused {
		t.Errorf("an access to a guard: %d", out)
	}
	if s := m.vm.Pages.Look(kernelLow + pageSize); !s.Writable {
		t.Errorf("the kernel's page is %+v", s)
	}
}

package space

import (
	"math/rand"
	"testing"
	"unsafe"
)

// pages hands out pages of memory and knows which are out.
type pages struct {
	t    *testing.T
	out  map[uintptr][]byte
	left int // how many it has; less than 0: no limit
}

func newPages(t *testing.T, n int) *pages { return &pages{t, map[uintptr][]byte{}, n} }

func (p *pages) get() uintptr {
	if p.left == 0 {
		return 0
	}
	p.left--
	b := make([]byte, 2*PageSize)
	for i := range b {
		b[i] = 0xa5
	}
	at := (uintptr(unsafe.Pointer(&b[0])) + PageSize - 1) &^ (PageSize - 1)
	p.out[at] = b
	return at
}

func (p *pages) put(at uintptr) {
	if p.out[at] == nil {
		p.t.Fatalf("page %#x was given back and is not out", at)
	}
	delete(p.out, at)
	p.left++
}

// set is what a caller does.
func (p *pages) set(s *Space, start, end uintptr, kind Kind) bool {
	if !s.Reserve(start, end, kind, p.get) {
		return false
	}
	s.Set(start, end, kind)
	s.Trim(p.put)
	return true
}

// all returns the areas in order, and checks the tree on the way.
func all(t *testing.T, s *Space) (list []Area) {
	t.Helper()
	var walk func(n uintptr, weight uint32) (depth int)
	walk = func(n uintptr, weight uint32) int {
		if n == 0 {
			return 0
		}
		a := *at(n)
		if a.weight > weight {
			t.Fatalf("a node of weight %d is below one of %d", a.weight, weight)
		}
		l := walk(a.left, a.weight)
		list = append(list, a.Area)
		r := walk(a.right, a.weight)
		want := a
		want.update()
		if want != a {
			t.Fatalf("node %+v tells of its subtree what is not so: it should be %+v", a, want)
		}
		return max(l, r) + 1
	}
	walk(s.root, ^uint32(0))
	for i := range list {
		if a := list[i]; a.Start >= a.End || a.Kind == Unused {
			t.Fatalf("an area is %v", a)
		}
		if i == 0 {
			continue
		}
		if a, b := list[i-1], list[i]; a.End > b.Start {
			t.Fatalf("areas %v and %v overlap or are out of order", a, b)
		} else if a.End == b.Start && a.Kind == b.Kind {
			t.Fatalf("areas %v and %v were not merged", a, b)
		}
	}
	if len(list) != s.Areas() {
		t.Fatalf("Areas says %d of %d", s.Areas(), len(list))
	}
	return list
}

// The model is one kind per unit of address space.
const units = 64

func check(t *testing.T, s *Space, model []Kind) {
	t.Helper()
	list := all(t, s)
	for u := uintptr(0); u < units; u++ {
		if got := s.Lookup(u).Kind; got != model[u] {
			t.Fatalf("unit %d is %d, want %d; areas %v", u, got, model[u], list)
		}
		want := Area{}
		for i := len(list) - 1; i >= 0 && list[i].End > u; i-- {
			want = list[i]
		}
		if got := s.Next(u); got != want {
			t.Fatalf("Next(%d) is %v, want %v", u, got, want)
		}
	}
}

func TestAgainstModel(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var s Space
	p := newPages(t, -1)
	model := make([]Kind, units)
	for step := 0; step < 20000; step++ {
		start := uintptr(r.Intn(units))
		end := start + 1 + uintptr(r.Intn(units-int(start)))
		kind := Kind(r.Intn(3))
		p.set(&s, start, end, kind)
		for u := start; u < end; u++ {
			model[u] = kind
		}
		check(t, &s, model)

		from, n := uintptr(1+r.Intn(units-1)), uintptr(1+r.Intn(8))
		want := uintptr(0)
		for p := from; p+n <= units && want == 0; p++ {
			free := true
			for u := p; u < p+n; u++ {
				free = free && model[u] == Unused
			}
			if free != s.Free(p, p+n) {
				t.Fatalf("Free(%d, %d) is %v", p, p+n, !free)
			}
			if free {
				want = p
			}
		}
		if got := s.Find(from, units, n); got != want {
			t.Fatalf("Find(%d, %d) = %d, want %d", from, n, got, want)
		}
	}
}

// TestPages: a Set never needs more than was reserved, whatever areas it replaces; pages come back;
// and without a page nothing changes.
func TestPages(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	var s Space
	p := newPages(t, 40)
	const wide = 1 << 20
	refused, most := 0, 0
	for step := 0; step < 200000; step++ {
		start := uintptr(r.Intn(wide))
		end := start + 1 + uintptr(r.Intn(200))
		kind := Kind(r.Intn(4)) % 3
		if step > 150000 {
			kind = Unused
		}
		before := s.Areas()
		if !p.set(&s, start, end, kind) {
			refused++
			if a := s.Lookup(start); kind == Unused && (a.Start >= start || a.End <= end) {
				t.Fatalf("no page to take away [%d, %d), which parts no area", start, end)
			}
			if s.Areas() != before {
				t.Fatal("a Reserve that failed changed something")
			}
		}
		most = max(most, s.Areas())
		if step%1000 == 0 {
			all(t, &s)
		}
	}
	if refused == 0 || most < 39*int(perPage)/2 {
		t.Errorf("%d refusals, %d areas at most: the pages were not used up", refused, most)
	}
	if !p.set(&s, 0, 2*wide, Unused) {
		t.Fatal("all areas could not be taken away")
	}
	if s.Areas() != 0 || len(p.out) != 1 {
		t.Errorf("%d areas, %d pages when all was given back", s.Areas(), len(p.out))
	}
}

// TestDepth: with many areas, made in order, the tree stays flat and a search short.
func TestDepth(t *testing.T) {
	var s Space
	p := newPages(t, -1)
	const n = 1 << 17
	for i := uintptr(0); i < n; i++ {
		p.set(&s, i*2, i*2+1, 1)
	}
	var depth func(n uintptr) int
	depth = func(n uintptr) int {
		if n == 0 {
			return 0
		}
		return 1 + max(depth(at(n).left), depth(at(n).right))
	}
	if d := depth(s.root); d > 60 { // a random tree of that size has about 40
		t.Errorf("%d areas are %d deep", n, d)
	}
	if got := s.Find(1, 1<<40, 2); got != 2*n-1 {
		t.Errorf("Find of more than any gap is %d", got)
	}
	for i := uintptr(0); i < n; i++ {
		p.set(&s, i*2, i*2+1, Unused)
	}
	if s.Areas() != 0 || len(p.out) > 1 {
		t.Errorf("%d areas and %d pages are left", s.Areas(), len(p.out))
	}
}

// FuzzSet: four bytes are a Set.
func FuzzSet(f *testing.F) {
	f.Add([]byte("\x00\x10\x01\x00\x04\x08\x02\x00\x00\x40\x00\x00"))
	f.Fuzz(func(t *testing.T, ops []byte) {
		var s Space
		p := newPages(t, -1)
		model := make([]Kind, units)
		for ; len(ops) >= 3; ops = ops[3:] {
			start := uintptr(ops[0]) % units
			end := min(start+1+uintptr(ops[1])%units, units)
			kind := Kind(ops[2] % 4)
			p.set(&s, start, end, kind)
			for u := start; u < end; u++ {
				model[u] = kind
			}
			check(t, &s, model)
		}
	})
}

// Package space keeps track of which address space is in use, and for what: areas that
// do not overlap, in a balanced tree, so that each operation takes time logarithmic in their
// number. The caller locks.
//
// It allocates nothing. Areas live in pages that Reserve asks for and Trim gives back; a
// node is named by its address, a number, because no pointer may be stored where the
// collector's write barrier is not.
package space

import "unsafe"

// Kind is what an area is for. Neighbours of one kind are one area.
type Kind uint32

// Unused is the kind of addresses in no area.
const Unused Kind = 0

// Area is a piece of address space in use: [Start, End), page-aligned.
type Area struct {
	Start, End uintptr
	Kind       Kind
}

// node is an area in the tree: a treap (Aragon and Seidel, 1989), in order by address, and in
// the order of a heap by a random number, so that it is as flat as if the areas had come in
// random order.
type node struct {
	Area
	left, right uintptr
	weight      uint32
	// Of the subtree: where its first area begins and its last one ends, and the largest gap
	// between two of them.
	lo, hi, most uintptr
}

// PageSize is the size of a page of nodes, to which it is aligned.
const PageSize = 4096

// page is the head of a page of nodes.
type page struct {
	next, prev uintptr // in the list of pages that it is in
	free       uintptr // its free nodes, linked by left
	used       uintptr // how many are not
}

const perPage = (PageSize - unsafe.Sizeof(page{})) / unsafe.Sizeof(node{})

// spare is how many nodes Trim leaves: Set takes at most two more than it gives back, when it
// parts one area into three.
const spare = 2

// Space is the address space. Its zero value has no areas.
type Space struct {
	root  uintptr
	part  uintptr // pages with used and unused nodes
	empty uintptr // pages with unused nodes only
	free  int     // nodes that are not
	areas int
	seed  uint32
}

// at returns the node of that name.
func at(n uintptr) *node { return (*node)(unsafe.Pointer(n)) }

// pageAt returns the page of that address.
func pageAt(p uintptr) *page { return (*page)(unsafe.Pointer(p)) }

// Areas returns how many there are.
func (s *Space) Areas() int { return s.areas }

// Lookup returns the area that holds addr; its kind is Unused if there is none.
func (s *Space) Lookup(addr uintptr) Area {
	for n := s.root; n != 0; {
		switch a := at(n); {
		case addr < a.Start:
			n = a.left
		case addr >= a.End:
			n = a.right
		default:
			return a.Area
		}
	}
	return Area{}
}

// Next returns the first area that ends above addr; its kind is Unused if there is none.
func (s *Space) Next(addr uintptr) (next Area) {
	for n := s.root; n != 0; {
		if a := at(n); addr < a.End {
			next = a.Area
			n = a.left
		} else {
			n = a.right
		}
	}
	return next
}

// Free reports whether nothing in [start, end) is in use.
func (s *Space) Free(start, end uintptr) bool {
	next := s.Next(start)
	return next.Kind == Unused || next.Start >= end
}

// Find returns the lowest start of size free bytes in [from, to), or 0.
func (s *Space) Find(from, to, size uintptr) uintptr {
	start := from
	if s.root != 0 {
		if lo := at(s.root).lo; lo < from || lo-from < size {
			var ok bool
			if start, ok = find(s.root, from, size); !ok {
				start = max(from, at(s.root).hi)
			}
		}
	}
	if start >= to || size > to-start {
		return 0
	}
	return start
}

// find is Find in the gaps between the areas of a subtree.
func find(n, from, size uintptr) (start uintptr, ok bool) {
	for n != 0 && at(n).most >= size {
		a := at(n)
		if a.left != 0 && a.Start > from {
			if start, ok = find(a.left, from, size); ok {
				return start, true
			}
			if start = max(at(a.left).hi, from); a.Start-start >= size {
				return start, true
			}
		}
		if a.right != 0 && at(a.right).lo > from {
			if start = max(a.End, from); at(a.right).lo-start >= size {
				return start, true
			}
		}
		n = a.right
	}
	return 0, false
}

// Reserve sees to it that Set, called next with the same arguments, has the nodes that it
// needs. get returns a page of memory, or 0, and then Reserve reports false, and nothing has
// changed. A Set that leaves no more areas than there were needs no page.
func (s *Space) Reserve(start, end uintptr, kind Kind, get func() uintptr) bool {
	if s.Need(start, end, kind) <= s.free {
		return true
	}
	p := get()
	if p == 0 {
		return false
	}
	*pageAt(p) = page{}
	for i := uintptr(0); i < perPage; i++ {
		n := p + unsafe.Sizeof(page{}) + i*unsafe.Sizeof(node{})
		at(n).left = pageAt(p).free
		pageAt(p).free = n
	}
	s.free += int(perPage)
	link(&s.empty, p)
	return true
}

// Need returns how many areas there will be more, at most, when [start, end) is one of the given
// kind. That is how many nodes Set takes more than it gives back.
func (s *Space) Need(start, end uintptr, kind Kind) (n int) {
	if kind != Unused {
		n++
	}
	first, last := s.Next(start), s.Lookup(end-1)
	if first.Kind != Unused && first.Start < end {
		n-- // it goes
		if first.Start < start {
			n++ // and leaves a part
		}
	}
	if last.Kind != Unused {
		if last != first {
			n--
		}
		if last.End > end {
			n++
		}
	}
	return n
}

// Trim gives pages back that hold no area, except for those that the next Set may need.
func (s *Space) Trim(put func(p uintptr)) {
	for s.empty != 0 && s.free-int(perPage) >= spare {
		p := s.empty
		unlink(&s.empty, p)
		s.free -= int(perPage)
		put(p)
	}
}

// link puts a page at the head of a list, and unlink takes one out.
func link(list *uintptr, p uintptr) {
	pageAt(p).next, pageAt(p).prev = *list, 0
	if *list != 0 {
		pageAt(*list).prev = p
	}
	*list = p
}

// unlink: see link.
func unlink(list *uintptr, p uintptr) {
	next, prev := pageAt(p).next, pageAt(p).prev
	if prev != 0 {
		pageAt(prev).next = next
	} else {
		*list = next
	}
	if next != 0 {
		pageAt(next).prev = prev
	}
}

// take returns a node for an area; Reserve has made sure that there is one.
func (s *Space) take(a Area) uintptr {
	if s.part == 0 {
		p := s.empty
		unlink(&s.empty, p)
		link(&s.part, p)
	}
	p := s.part
	n := pageAt(p).free
	pageAt(p).free = at(n).left
	pageAt(p).used++
	if pageAt(p).free == 0 {
		unlink(&s.part, p)
	}
	s.free--
	s.areas++
	s.seed = s.seed*1664525 + 1013904223 // Knuth and Lewis; its high bits are the random ones
	*at(n) = node{Area: a, weight: s.seed>>8 ^ s.seed<<24}
	at(n).update()
	return n
}

// give takes a node back.
func (s *Space) give(n uintptr) {
	p := n &^ (PageSize - 1)
	if pageAt(p).free == 0 {
		link(&s.part, p)
	}
	at(n).left = pageAt(p).free
	pageAt(p).free = n
	pageAt(p).used--
	if pageAt(p).used == 0 {
		unlink(&s.part, p)
		link(&s.empty, p)
	}
	s.free++
	s.areas--
}

// Set makes [start, end) an area of the given kind, or unused, whatever was there before.
// Reserve was called with the same arguments.
func (s *Space) Set(start, end uintptr, kind Kind) {
	// Areas to remove: those in the range and those that reach into it, whose parts outside stay.
	// All nodes are given back before any is taken.
	var head, tail Area
	left, rest := split(s.root, start)
	if n := last(left); n != 0 && at(n).End > start {
		a := at(n).Area
		left, n = split(left, a.Start)
		s.drop(n)
		head = Area{a.Start, start, a.Kind}
		if a.End > end {
			tail = Area{end, a.End, a.Kind}
		}
	}
	gone, right := split(rest, end)
	if n := last(gone); n != 0 && at(n).End > end {
		tail = Area{end, at(n).End, at(n).Kind}
	}
	s.drop(gone)
	mid := Area{start, end, kind}
	if kind != Unused {
		// With a neighbour of its kind it becomes one area.
		if n := last(left); head.Kind == Unused && n != 0 && at(n).End == start {
			head = at(n).Area
			left, n = split(left, head.Start)
			s.drop(n)
		}
		if n := first(right); tail.Kind == Unused && n != 0 && at(n).Start == end {
			tail = at(n).Area
			n, right = split(right, tail.End)
			s.drop(n)
		}
		if head.Kind == kind {
			mid.Start = head.Start
			head = Area{}
		}
		if tail.Kind == kind {
			mid.End = tail.End
			tail = Area{}
		}
	}
	for _, a := range [...]Area{head, mid, tail} {
		if a.Kind != Unused {
			left = join(left, s.take(a))
		}
	}
	s.root = join(left, right)
}

// first and last return the first and the last area of a subtree, 0 if there is none.
func first(n uintptr) uintptr {
	for n != 0 && at(n).left != 0 {
		n = at(n).left
	}
	return n
}

// last: see first.
func last(n uintptr) uintptr {
	for n != 0 && at(n).right != 0 {
		n = at(n).right
	}
	return n
}

// split parts a subtree into the areas that start below addr and the others.
func split(n, addr uintptr) (below, others uintptr) {
	if n == 0 {
		return 0, 0
	}
	a := at(n)
	if a.Start < addr {
		a.right, others = split(a.right, addr)
		a.update()
		return n, others
	}
	below, a.left = split(a.left, addr)
	a.update()
	return below, n
}

// join makes one subtree of two; all areas of the first are below those of the second.
func join(below, above uintptr) uintptr {
	switch {
	case below == 0:
		return above
	case above == 0:
		return below
	case at(below).weight > at(above).weight:
		a := at(below)
		a.right = join(a.right, above)
		a.update()
		return below
	}
	a := at(above)
	a.left = join(below, a.left)
	a.update()
	return above
}

// update computes a node's summary of its subtree; those of its children are right.
//
//go:noinline
func (a *node) update() {
	a.lo, a.hi, a.most = a.Start, a.End, 0
	if a.left != 0 {
		l := at(a.left)
		a.lo, a.most = l.lo, max(l.most, a.Start-l.hi)
	}
	if a.right != 0 {
		r := at(a.right)
		a.hi, a.most = r.hi, max(a.most, r.most, r.lo-a.End)
	}
}

// drop gives back all nodes of a subtree.
func (s *Space) drop(n uintptr) {
	for n != 0 {
		s.drop(at(n).left)
		right := at(n).right
		s.give(n)
		n = right
	}
}

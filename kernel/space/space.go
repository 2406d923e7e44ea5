// Package space keeps track of which address space is in use. It allocates
// nothing; the caller locks.
package space

// Area is a piece of address space in use: [Start, End), page-aligned.
type Area struct {
	Start, End uintptr
	Writable   bool
}

// MaxAreas bounds the pieces of address space. The runtime's are few and
// large: neighbours with the same access are one area.
const MaxAreas = 4096

// Space is the address space: areas that do not overlap, in order.
type Space struct {
	n     int
	areas [MaxAreas]Area
}

// search returns the index of the first area that ends above addr.
func (s *Space) search(addr uintptr) int {
	lo, hi := 0, s.n
	for lo < hi {
		if m := (lo + hi) / 2; s.areas[m].End > addr {
			hi = m
		} else {
			lo = m + 1
		}
	}
	return lo
}

// Lookup returns the area that holds addr, or nil.
func (s *Space) Lookup(addr uintptr) *Area {
	if i := s.search(addr); i < s.n && s.areas[i].Start <= addr {
		return &s.areas[i]
	}
	return nil
}

// Free reports whether nothing in [start, end) is in use.
func (s *Space) Free(start, end uintptr) bool {
	i := s.search(start)
	return i == s.n || s.areas[i].Start >= end
}

// Find returns the lowest start of n free bytes in [from, to), or 0.
func (s *Space) Find(from, to, n uintptr) uintptr {
	for i := s.search(from); ; i++ {
		if from >= to || n > to-from {
			return 0
		}
		if i == s.n || s.areas[i].Start >= from+n {
			return from
		}
		from = s.areas[i].End
	}
}

// Set makes [start, end) an area with the given access, or unused, whatever
// lay there before. It reports false if there is no room in the table; then
// nothing has changed.
func (s *Space) Set(start, end uintptr, used, writable bool) bool {
	if s.n+2 > MaxAreas {
		return false
	}
	i := s.search(start)
	// An area that begins before start keeps its head, and its tail if it
	// reaches beyond end.
	if i < s.n && s.areas[i].Start < start {
		if a := s.areas[i]; a.End > end {
			s.insert(i+1, Area{end, a.End, a.Writable})
		}
		s.areas[i].End = start
		i++
	}
	// Areas that begin inside go, but for a tail beyond end.
	j := i
	for j < s.n && s.areas[j].End <= end {
		j++
	}
	if j < s.n && s.areas[j].Start < end {
		s.areas[j].Start = end
	}
	s.remove(i, j)
	if !used {
		return true
	}
	s.insert(i, Area{start, end, writable})
	s.merge(i)
	if i > 0 {
		s.merge(i - 1)
	}
	return true
}

// merge makes areas i and i+1 one if they touch and are alike.
func (s *Space) merge(i int) {
	if i+1 < s.n && s.areas[i].End == s.areas[i+1].Start && s.areas[i].Writable == s.areas[i+1].Writable {
		s.areas[i].End = s.areas[i+1].End
		s.remove(i+1, i+2)
	}
}

// insert puts a in at index i; there is room.
func (s *Space) insert(i int, a Area) {
	for j := s.n; j > i; j-- {
		s.areas[j] = s.areas[j-1]
	}
	s.areas[i] = a
	s.n++
}

// remove takes out areas [i, j).
func (s *Space) remove(i, j int) {
	for k := j; k < s.n; k++ {
		s.areas[i+k-j] = s.areas[k]
	}
	s.n -= j - i
}

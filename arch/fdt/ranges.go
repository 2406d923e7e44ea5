package fdt

// Range is a piece of physical memory.
type Range struct{ Start, End uint64 }

// span is the range of size bytes from start on, as far as addresses go.
func span(start, size uint64) Range {
	if start+size < start {
		return Range{start, ^uint64(0)}
	}
	return Range{start, start + size}
}

// Ranges is a list of ranges that do not overlap and are not empty.
type Ranges struct {
	list [MaxRAM]Range
	n    int
}

// All returns the list, which the next Add or Cut changes.
func (l *Ranges) All() []Range { return l.list[:l.n] }

// Add adds r to the list, joined with the range that it follows or precedes, and reports false if there is no room: then
// what is new in r is not in the list.
func (l *Ranges) Add(r Range) bool {
	l.Cut(r)
	if r.Start >= r.End {
		return true
	}
	for i := 0; i < l.n; {
		o := l.list[i]
		if o.End != r.Start && r.End != o.Start {
			i++
			continue
		}
		r = Range{min(o.Start, r.Start), max(o.End, r.End)}
		l.remove(i)
	}
	if l.n == MaxRAM {
		return false
	}
	l.list[l.n] = r
	l.n++
	return true
}

// Cut takes r out of the list. If a range falls in two and there is no room, the smaller part is lost: what is taken out is out in any case.
func (l *Ranges) Cut(r Range) {
	if r.Start >= r.End {
		return
	}
	for i := 0; i < l.n; {
		o := &l.list[i]
		before, behind := Range{o.Start, min(o.End, r.Start)}, Range{max(o.Start, r.End), o.End}
		small := behind
		if size(behind) > size(before) {
			*o, small = behind, before
		} else {
			*o = before
		}
		switch {
		case size(*o) == 0:
			l.remove(i)
			continue
		case size(small) > 0 && l.n < MaxRAM:
			l.list[l.n] = small
			l.n++
		}
		i++
	}
}

// remove takes range i out of the list.
func (l *Ranges) remove(i int) {
	l.n--
	for ; i < l.n; i++ {
		l.list[i] = l.list[i+1]
	}
}

// size is how many bytes are in r; 0 if it ends before it begins.
func size(r Range) uint64 {
	if r.End <= r.Start {
		return 0
	}
	return r.End - r.Start
}

// Has reports whether r is not empty and all of it is in one range of the list.
func (l *Ranges) Has(r Range) bool {
	for _, o := range l.All() {
		if o.Start <= r.Start && r.Start < r.End && r.End <= o.End {
			return true
		}
	}
	return false
}

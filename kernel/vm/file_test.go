package vm

import (
	"testing"

	"sched9/arch/paging"
	"sched9/kernel/space"
)

// content is a file's bytes, a word for each page.
type content struct {
	size   uintptr // in pages
	frames map[uintptr]uint64
	words  map[uintptr]uint64
}

// mapping is a call that mapped a file.
type mapping struct {
	*content
	id     uint32
	base   uintptr // where page 0 of the file would be
	shared bool
	pages  uintptr // that were not lost
}

// index is the number in the file of the page at an address.
func (f *mapping) index(at uintptr) uintptr { return (at - f.base) / pageSize }

// filed gives the model three files, and has it keep them.
func (m *model) filed() {
	for i := range uintptr(3) {
		m.files = append(m.files, &content{size: 100 * i, frames: map[uintptr]uint64{}, words: map[uintptr]uint64{}})
	}
	m.vm.MapFiles(func(id uint32, pages uintptr) {
		f := m.maps[id]
		if f == nil || pages == 0 || pages > f.pages {
			m.t.Fatalf("file %d loses %d pages, and has %+v", id, pages, f)
		}
		if f.pages -= pages; f.pages == 0 {
			delete(m.maps, id)
		}
	})
	m.give = func(va uintptr) Outcome {
		at := va &^ (pageSize - 1)
		f := m.maps[m.vm.FileAt(at)]
		i := f.index(at)
		if i >= f.size {
			return Beyond
		}
		pa, ok := f.frames[i]
		if !ok || !f.shared {
			if pa, ok = m.vm.Frames.Get(); !ok {
				return NoFrame
			}
			m.vm.Zero(m.base+uintptr(pa), pageSize)
			if f.shared {
				f.frames[i] = pa
			} else {
				*m.word(pa) = f.words[i]
			}
		}
		lent := uint64(0)
		if f.shared {
			lent = bitLent
		}
		if !m.vm.Give(at, f.id, pa|lent) {
			if !f.shared {
				m.vm.Free(pa, pageSize)
			}
			return NoFrame
		}
		return Done
	}
}

// count is how many pages of file id the model has.
func (m *model) count(id uint32) (n uintptr) {
	for _, p := range m.pages {
		if p.f != nil && p.f.id == id {
			n++
		}
	}
	return n
}

// value is what the page at at should hold; beyond: it is behind its file's end.
func (m *model) value(at uintptr) (v uint64, beyond bool) {
	p := m.pages[at]
	switch {
	case p.f == nil || !p.f.shared && m.vm.Pages.Look(at).Held:
		return p.v, false
	case p.f.index(at) >= p.f.size:
		return 0, true
	}
	return p.f.words[p.f.index(at)], false
}

// keeps notes that the page at at was accessed, and holds v.
func (m *model) keeps(at uintptr, v uint64) {
	p := m.pages[at]
	if p.f != nil && p.f.shared {
		p.f.words[p.f.index(at)] = v
		return
	}
	p.v = v
	m.pages[at] = p
}

// mapFile maps n bytes of a file from page first on.
func (m *model) mapFile(at, n uintptr, p paging.Prot, shared bool, c *content, first uintptr) {
	m.stamp++
	f := &mapping{content: c, id: uint32(m.stamp), base: at - first*pageSize, shared: shared, pages: n / pageSize}
	m.maps[f.id] = f
	got, errno := m.vm.Map(at, n, p, true, f.id)
	switch {
	case errno == noMemory:
		m.enough("Map", 1)
		delete(m.maps, f.id)
	case errno != 0 || got != at:
		m.t.Fatalf("Map(%#x, %#x) of a file is %#x, %d", at, n, got, errno)
	default:
		in(at, n, func(at uintptr) { m.pages[at] = page{p: p, f: f} })
	}
}

// truncate gives a file another size: no processor may reach what it loses.
func (m *model) truncate(c *content, size uintptr) {
	for _, f := range m.maps {
		if f.content == c {
			for _, w := range windows {
				m.vm.Zap(max(w, f.base+size*pageSize), max(w+window, f.base+size*pageSize), f.id)
			}
		}
	}
	for i, pa := range c.frames {
		if i >= size {
			m.free(pa, pageSize)
			delete(c.frames, i)
			delete(c.words, i)
		}
	}
	c.size = size
	for at, p := range m.pages {
		if p.f != nil && p.f.content == c && p.f.index(at) >= size {
			p.v = 0
			m.pages[at] = p
		}
	}
}

// resize gives what is at at, old bytes, another length, if there is one area.
func (m *model) resize(at, old, n uintptr) {
	is, there := m.pages[at]
	one := m.vm.Space.Lookup(at).End-at >= old
	file, p, grown, errno := m.vm.Resize(at, old, n)
	switch {
	case !there || !one:
		if errno != badAddress {
			m.t.Fatalf("Resize(%#x, %#x, %#x) of no area is %d", at, old, n, errno)
		}
	case errno == noMemory:
		if n > old && m.vm.Space.Free(at+old, at+n) || n < old {
			m.enough("Resize", 1)
		}
	case errno != 0, p != is.p, (file != 0) != (is.f != nil), grown != max(n, old)/pageSize-old/pageSize:
		m.t.Fatalf("Resize(%#x, %#x, %#x) of %+v is %d, %d, %d, %d", at, old, n, is, file, p, grown, errno)
	default:
		if n < old {
			in(at+n, old-n, func(at uintptr) { delete(m.pages, at) })
		} else {
			in(at+old, n-old, func(at uintptr) {
				if m.pages[at] = (page{p: is.p, f: is.f}); is.f != nil {
					is.f.pages++
				}
			})
			m.forget()
		}
	}
}

// forget unmaps what lies behind the windows, where nothing is looked at.
func (m *model) forget() {
	for _, w := range windows {
		for a := m.vm.Space.Next(w + window); a.Kind != space.Unused && a.Kind != kernel && a.Start < w+2*window; a = m.vm.Space.Next(w + window) {
			start := max(a.Start, w+window)
			m.munmap(start, a.End-start)
		}
	}
}

// word is the first one of the frame at pa.
func (m *machine) word(pa uint64) *uint64 { return wordAt(m.base + uintptr(pa)) }

// TestFilesInPieces: one call changes what is of several files, and of none, and each keeps its file.
func TestFilesInPieces(t *testing.T) {
	m := newModel(t, 1, 8<<20, 2, false)
	at := windows[0]
	m.files[2].size = 3
	m.mmap(at, 4*pageSize, paging.Write, true)
	m.mapFile(at+pageSize, pageSize, paging.Read, true, m.files[2], 0)
	m.mapFile(at+2*pageSize, pageSize, paging.Write, false, m.files[2], 1)
	m.mprotect(at, 4*pageSize, paging.Write)
	for i := range uintptr(4) {
		m.touch(m.cpus[0], at+i*pageSize, true)
	}
	m.mprotect(at, 4*pageSize, paging.Read)
	m.discard(at, 4*pageSize)
	for i := range uintptr(4) {
		m.touch(m.cpus[1], at+i*pageSize, false)
	}
	m.truncate(m.files[2], 1)
	for i := range uintptr(4) {
		m.touch(m.cpus[1], at+i*pageSize, false)
	}
	m.check()
	m.empty()
}

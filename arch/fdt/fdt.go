// Package fdt reads a flattened device tree (Devicetree Specification 0.4, chapter
// 5) where the boot loader left it: what machine this is. It allocates nothing
// and reads memory through a base address, so that a test can give it a buffer.
package fdt

import "unsafe"

// Tokens of the structure block (5.4.1).
const (
	magic     = 0xd00dfeed
	beginNode = 1
	endNode   = 2
	property  = 3
	nop       = 4
)

// MaxSize bounds a tree: a wrong length must not make us read for ever.
const MaxSize = 2 << 20

// A Tree is a device tree in memory. Offsets are from its beginning.
type Tree struct {
	base              uintptr
	reserved, total   uint32
	structs, structsN uint32
	strings, stringsN uint32
	levels            [maxDepth + 1]level // of the node that Walk is at, and above it
}

// level is a node on the way from the root to another one: where its name begins, how many words an address
// and a size have in its children's reg, how these are addresses above it, if it is a bus, and whether it or a node above it says that it
// is not in use.
type level struct {
	name       uint32
	addr, size uint32
	ranges     text // the property's value
	bus        bool
	off        bool
}

// text is some bytes of the tree. It has no pointer: this code may not have the collector's write barriers.
type text struct{ at, n uint32 }

// maxRanges is how many entries of a bus's ranges are looked at.
const maxRanges = 64

// Open makes t the tree at base, where limit bytes may be read, and reports whether its
// header is as it should be.
func (t *Tree) Open(base uintptr, limit uint64) bool {
	t.base = base
	if limit < 40 || t.be(0) != magic {
		return false
	}
	total := t.be(4)
	t.total, t.reserved = total, t.be(16)
	t.structs, t.strings = t.be(8), t.be(12)
	t.stringsN, t.structsN = t.be(32), t.be(36)
	if uint64(total) > limit || total > MaxSize || t.structs%4 != 0 ||
		t.structs > total || t.structsN > total-t.structs || t.strings > total || t.stringsN > total-t.strings {
		return false
	}
	return true
}

// be reads the big-endian word at offset off.
func (t *Tree) be(off uint32) uint32 {
	p := (*[4]byte)(unsafe.Pointer(t.base + uintptr(off)))
	return uint32(p[0])<<24 | uint32(p[1])<<16 | uint32(p[2])<<8 | uint32(p[3])
}

// byteAt reads the byte at offset off.
func (t *Tree) byteAt(off uint32) byte { return *(*byte)(unsafe.Pointer(t.base + uintptr(off))) }

// maxDepth is how deep nodes lie that are looked at. Deeper ones are passed by.
const maxDepth = 8

// A Node is a node of the tree: where its properties begin, and how many words an
// address and a size have in its reg, which its parent says. It is valid until Walk goes on.
type Node struct {
	tree      *Tree
	name      uint32 // offset of its name
	at        uint32 // offset of the first token behind that
	depth     int
	addr, siz uint32
}

// Walk calls fn for every node that is in use, parents first, until it returns false or something
// is not as it should be. What is below a node that is not in use is not either.
func (t *Tree) Walk(fn func(n Node) bool) {
	t.levels[0] = level{addr: 2, size: 1} // the specification's defaults (2.3.5)
	depth := 0
	end := t.structs + t.structsN
	for at := t.structs; at+4 <= end; {
		token := t.be(at)
		at += 4
		switch token {
		case beginNode:
			name := at
			for at < end && t.byteAt(at) != 0 {
				at++
			}
			at = at&^3 + 4
			if at > end {
				return
			}
			if depth++; depth > maxDepth {
				continue
			}
			parent := &t.levels[depth-1]
			n := Node{tree: t, name: name, at: at, depth: depth, addr: parent.addr, siz: parent.size}
			l := level{name: name, addr: 2, size: 1, off: parent.off || !n.inUse()}
			if p, ok := n.Prop("ranges"); ok {
				l.ranges, l.bus = text{p.at, p.Len}, true
			}
			if p, ok := n.Prop("#address-cells"); ok {
				l.addr = p.Word(0)
			}
			if p, ok := n.Prop("#size-cells"); ok {
				l.size = p.Word(0)
			}
			t.levels[depth] = l
			if !l.off && !fn(n) {
				return
			}
		case endNode:
			if depth--; depth <= 0 {
				return
			}
		case property:
			if at+8 > end || t.be(at) > end-at-8 {
				return
			}
			at += 8 + (t.be(at)+3)&^3
		case nop:
		default:
			return
		}
	}
}

// inUse reports whether the node's own status lets it be used (2.3.4).
func (n *Node) inUse() bool {
	p, ok := n.Prop("status")
	return !ok || p.Has("okay") || p.Has("ok")
}

// Reserved calls fn with each range of the block of reserved memory (5.3).
func (t *Tree) Reserved(fn func(r Range)) {
	number := func(at uint32) uint64 { return uint64(t.be(at))<<32 | uint64(t.be(at+4)) }
	for at := uint64(t.reserved); at+16 <= uint64(t.total); at += 16 {
		start, size := number(uint32(at)), number(uint32(at)+8)
		if size == 0 {
			return
		}
		fn(span(start, size))
	}
}

// A Prop is the value of a property.
type Prop struct {
	tree *Tree
	at   uint32
	Len  uint32
}

// Prop returns the node's property of that name.
func (n *Node) Prop(name string) (p Prop, ok bool) {
	t := n.tree
	end := t.structs + t.structsN
	for at := n.at; at+12 <= end; {
		switch t.be(at) {
		case property:
			size, str := t.be(at+4), t.be(at+8)
			if size > end-at-12 {
				return p, false
			}
			if str < t.stringsN && t.is(t.strings+str, t.strings+t.stringsN, name) {
				return Prop{t, at + 12, size}, true
			}
			at += 12 + (size+3)&^3
		case nop:
			at += 4
		default: // the properties stand before the children
			return p, false
		}
	}
	return p, false
}

// is reports whether the string at offset off, which ends before end, is s.
func (t *Tree) is(off, end uint32, s string) bool {
	if uint64(off)+uint64(len(s)) >= uint64(end) {
		return false
	}
	for i := 0; i < len(s); i++ {
		if t.byteAt(off+uint32(i)) != s[i] {
			return false
		}
	}
	return t.byteAt(off+uint32(len(s))) == 0
}

// Word returns 32-bit word i of the value, 0 behind its end.
func (p Prop) Word(i uint32) uint32 {
	if i >= p.Len/4 {
		return 0
	}
	return p.tree.be(p.at + 4*i)
}

// Number returns the number of n words, 1 or 2, that begins with word i.
func (p Prop) Number(i, n uint32) (v uint64) {
	for ; n > 0; n-- {
		v = v<<32 | uint64(p.Word(i))
		i++
	}
	return v
}

// Has reports whether s is one of the strings that the value holds.
func (p Prop) Has(s string) bool {
	for off := uint32(0); off < p.Len; {
		if p.tree.is(p.at+off, p.at+p.Len, s) {
			return true
		}
		for off < p.Len && p.tree.byteAt(p.at+off) != 0 {
			off++
		}
		off++
	}
	return false
}

// Text returns the address of a string that ends in 0; 0 if the value is none.
func (p Prop) Text() uintptr {
	if p.Len == 0 || p.tree.byteAt(p.at+p.Len-1) != 0 {
		return 0
	}
	return p.tree.base + uintptr(p.at)
}

// Compatible reports whether the node's device is of the named kind.
func (n *Node) Compatible(kind string) bool {
	p, ok := n.Prop("compatible")
	return ok && p.Has(kind)
}

// Type reports whether the node says that it is of the given device type.
func (n *Node) Type(kind string) bool {
	p, ok := n.Prop("device_type")
	return ok && p.Has(kind)
}

// Reg returns range i of the node's registers.
func (n *Node) Reg(i uint32) (addr, size uint64, ok bool) {
	p, ok := n.Prop("reg")
	each := n.addr + n.siz
	if !ok || n.addr > 2 || n.siz > 2 || each == 0 || (i+1)*each*4 > p.Len {
		return 0, 0, false
	}
	return p.Number(i*each, n.addr), p.Number(i*each+n.addr, n.siz), true
}

// Address is Reg, in the processor's addresses: each bus between it and the node says in its ranges how its own addresses are
// the one above's (2.3.8). It reports false if one does not.
func (n *Node) Address(i uint32) (addr, size uint64, ok bool) {
	addr, size, ok = n.Reg(i)
	for d := n.depth - 1; ok && d > 1; d-- {
		addr, ok = n.tree.above(d, addr)
	}
	return addr, size, ok
}

// above returns what address addr of the bus on level d is on the bus above it.
func (t *Tree) above(d int, addr uint64) (at uint64, ok bool) {
	l, up := &t.levels[d], t.levels[d-1].addr
	p, each := Prop{t, l.ranges.at, l.ranges.n}, l.addr+up+l.size
	if !l.bus || p.Len == 0 {
		return addr, l.bus
	}
	if l.addr > 2 || up > 2 || l.size > 2 || each == 0 {
		return 0, false
	}
	for i := uint32(0); i < maxRanges*each && (i+each)*4 <= p.Len; i += each {
		from := p.Number(i, l.addr)
		if addr >= from && addr-from < p.Number(i+l.addr+up, l.size) {
			return addr - from + p.Number(i+l.addr, up), true
		}
	}
	return 0, false
}

// Is reports whether path, from the root, leads to the node. Where the path gives a name without an address, the node's is not compared.
func (n *Node) Is(path string) bool {
	t := n.tree
	for d := 2; d <= n.depth; d++ {
		if len(path) == 0 || path[0] != '/' {
			return false
		}
		path = path[1:]
		k, addressed := 0, false
		for k < len(path) && path[k] != '/' {
			addressed = addressed || path[k] == '@'
			k++
		}
		if !t.begins(t.levels[d].name, path[:k], addressed) {
			return false
		}
		path = path[k:]
	}
	return n.depth > 1 && path == ""
}

// begins reports whether the node's name at offset at is s, or, unless s is with an address, s and an address.
func (t *Tree) begins(at uint32, s string, addressed bool) bool {
	end := t.structs + t.structsN
	if t.is(at, end, s) {
		return true
	}
	if addressed || uint64(at)+uint64(len(s)) >= uint64(end) {
		return false
	}
	for i := 0; i < len(s); i++ {
		if t.byteAt(at+uint32(i)) != s[i] {
			return false
		}
	}
	return t.byteAt(at+uint32(len(s))) == '@'
}

// Named reports whether the node is a child of the root with that name, and Below whether its parent is.
func (n *Node) Named(name string) bool { return n.depth == 2 && n.called(2, name) }

// Below: see Named.
func (n *Node) Below(name string) bool { return n.depth == 3 && n.called(2, name) }

// called reports whether the node on the way to n at the given depth has that name.
func (n *Node) called(depth int, name string) bool {
	t := n.tree
	return t.is(t.levels[depth].name, t.structs+t.structsN, name)
}

// text is the value as a string that ends in 0 or before, without that.
func (p Prop) text() text {
	n := uint32(0)
	for n < p.Len && p.tree.byteAt(p.at+n) != 0 {
		n++
	}
	return text{p.at, n}
}

// str is x as a string, which shares the tree's memory.
func (t *Tree) str(x text) string {
	return unsafe.String((*byte)(unsafe.Pointer(t.base+uintptr(x.at))), int(x.n))
}

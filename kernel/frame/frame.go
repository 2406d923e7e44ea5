// Package frame hands out physical memory in frames of 4 KiB and 2 MiB.
//
// Memory is divided into blocks of 2 MiB. A block is wholly free, wholly
// taken (one large frame), or holds small frames by a bitmap. Blocks that can
// still give a small frame form one list, wholly free ones another; so both
// sizes are found at once, and a block that becomes free again can be given
// out whole.
//
// The package allocates nothing: its tables are given to it. The caller locks.
package frame

import "math/bits"

const (
	Size     = 4096
	Block    = 2 << 20
	perBlock = Block / Size
	none     = ^uint32(0)
)

// Least is the least memory that a kernel can do with, beside the image: page tables,
// stacks, and the runtime's first heap.
const Least = 12 << 20

// Table describes one block.
type Table struct {
	free       [perBlock / 64]uint64 // bit set: frame is free
	next, prev uint32                // neighbours in the list the block is in
	nfree      uint16
	state      uint16
}

const (
	absent  = iota // no RAM, or not ours
	whole          // wholly free: in the list of whole blocks
	partial        // some frames free: in the list of partial blocks
	full           // none free
)

// Allocator is the memory; its zero value has none.
type Allocator struct {
	blocks  []Table // by physical address / Block
	wholes  uint32
	partial uint32

	nwhole int
	total  uint64 // in frames
	free   uint64
	peak   uint64 // most frames in use
}

// Need returns how many bytes of tables memory up to physical address end takes.
func Need(end, tableSize uint64) uint64 { return (end + Block - 1) / Block * tableSize }

// Init gives the allocator its tables, one for each block, which must be zero.
func (a *Allocator) Init(blocks []Table) {
	a.blocks = blocks
	a.wholes = none
	a.partial = none
}

// Add makes the frames that lie wholly in [start, end) free. Ranges do not
// overlap.
func (a *Allocator) Add(start, end uint64) {
	start = (start + Size - 1) &^ (Size - 1)
	end &^= Size - 1
	for pa := start; pa < end; {
		if pa%Block == 0 && end-pa >= Block && a.blocks[pa/Block].state == absent {
			b := &a.blocks[pa/Block]
			for i := range b.free {
				b.free[i] = ^uint64(0)
			}
			b.nfree = perBlock
			a.push(&a.wholes, uint32(pa/Block), whole)
			a.nwhole++
			a.total += perBlock
			a.free += perBlock
			pa += Block
			continue
		}
		a.total++
		a.put(pa)
		pa += Size
	}
	a.peak = a.total - a.free
}

// Get returns a frame of 4 KiB, with arbitrary contents.
func (a *Allocator) Get() (pa uint64, ok bool) {
	i := a.partial
	if i == none {
		if i = a.wholes; i == none {
			return 0, false
		}
		a.remove(&a.wholes, i)
		a.nwhole--
		a.push(&a.partial, i, partial)
	}
	b := &a.blocks[i]
	for w := range b.free {
		if b.free[w] == 0 {
			continue
		}
		bit := bits.TrailingZeros64(b.free[w])
		b.free[w] &^= 1 << bit
		b.nfree--
		if b.nfree == 0 {
			a.remove(&a.partial, i)
			b.state = full
		}
		a.took(1)
		return uint64(i)*Block + uint64(w*64+bit)*Size, true
	}
	return 0, false // not reached: a partial block has a free frame
}

// GetBlock returns a frame of 2 MiB, aligned to its size.
func (a *Allocator) GetBlock() (pa uint64, ok bool) {
	i := a.wholes
	if i == none {
		return 0, false
	}
	a.remove(&a.wholes, i)
	a.nwhole--
	b := &a.blocks[i]
	b.free = [perBlock / 64]uint64{}
	b.nfree = 0
	b.state = full
	a.took(perBlock)
	return uint64(i) * Block, true
}

// Put gives a small frame back; PutBlock a large one. A part of a large frame that was split may be
// given back by itself. They report false if the frame is free already or not RAM.
func (a *Allocator) Put(pa uint64) bool { return a.put(pa) }

// PutBlock: see Put.
func (a *Allocator) PutBlock(pa uint64) bool {
	if pa%Block != 0 || pa/Block >= uint64(len(a.blocks)) {
		return false
	}
	b := &a.blocks[pa/Block]
	if b.state != full {
		return false
	}
	for i := range b.free {
		b.free[i] = ^uint64(0)
	}
	b.nfree = perBlock
	a.free += perBlock
	a.push(&a.wholes, uint32(pa/Block), whole)
	a.nwhole++
	return true
}

// put makes one frame free and moves its block to the list where it belongs.
func (a *Allocator) put(pa uint64) bool {
	if pa%Size != 0 || pa/Block >= uint64(len(a.blocks)) {
		return false
	}
	i := uint32(pa / Block)
	b := &a.blocks[i]
	n := pa % Block / Size
	if b.free[n/64]>>(n%64)&1 != 0 {
		return false
	}
	b.free[n/64] |= 1 << (n % 64)
	b.nfree++
	a.free++
	switch b.state {
	case absent, full:
		a.push(&a.partial, i, partial)
	case partial:
		if b.nfree == perBlock {
			a.remove(&a.partial, i)
			a.push(&a.wholes, i, whole)
			a.nwhole++
		}
	}
	return true
}

// Used calls fn with each frame of memory that is in use. Of a block that memory was added of in parts, the rest counts as in use.
func (a *Allocator) Used(fn func(pa uint64)) {
	for i := range a.blocks {
		b := &a.blocks[i]
		if b.state != partial && b.state != full {
			continue
		}
		for n := uint64(0); n < perBlock; n++ {
			if b.free[n/64]>>(n%64)&1 == 0 {
				fn(uint64(i)*Block + n*Size)
			}
		}
	}
}

// Stats returns frames in all, in use now, and in use at most, in units of Size.
func (a *Allocator) Stats() (total, used, peak uint64) { return a.total, a.total - a.free, a.peak }

// Whole returns how many frames of 2 MiB could be given.
func (a *Allocator) Whole() int { return a.nwhole }

// took counts n frames as in use.
func (a *Allocator) took(n uint64) {
	a.free -= n
	if used := a.total - a.free; used > a.peak {
		a.peak = used
	}
}

// push puts block i, which is in no list, at the head of one, in the given state.
func (a *Allocator) push(list *uint32, i uint32, state uint16) {
	b := &a.blocks[i]
	b.state = state
	b.prev = none
	b.next = *list
	if *list != none {
		a.blocks[*list].prev = i
	}
	*list = i
}

// remove takes block i out of the list it is in.
func (a *Allocator) remove(list *uint32, i uint32) {
	b := &a.blocks[i]
	if b.prev != none {
		a.blocks[b.prev].next = b.next
	} else {
		*list = b.next
	}
	if b.next != none {
		a.blocks[b.next].prev = b.prev
	}
}

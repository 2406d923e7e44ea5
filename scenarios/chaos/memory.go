package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// block is memory with contents that its seed decides, in several objects.
type block struct {
	seed uint64
	data []byte
	next *block
	refs []*uint64
	held [3]any
}

// newBlock allocates one.
func (w *worker) newBlock(depth int) *block {
	b := &block{seed: w.rnd.Uint64()}
	size := w.some(1<<14) >> w.rnd.IntN(12)
	if w.one(60) {
		size = w.some(1 << 20)
	}
	b.data = make([]byte, size)
	for i, x := 0, b.seed; i < len(b.data); i += 1 + i/16 {
		x = x*factor + summand
		b.data[i] = byte(x >> 56)
	}
	for i := range w.rnd.IntN(12) {
		v := b.seed + uint64(i)
		b.refs = append(b.refs, &v)
	}
	b.held = [3]any{int(b.seed >> 40), map[uint64]int{b.seed: depth}, &b.seed}
	if depth > 0 {
		b.next = w.newBlock(depth - 1)
	}
	return b
}

// check reads all of it.
func (b *block) check(w *worker) {
	for ; b != nil; b = b.next {
		for i, x := 0, b.seed; i < len(b.data); i += 1 + i/16 {
			x = x*factor + summand
			w.must(b.data[i] == byte(x>>56), "byte %d of %d is %d, not %d", i, len(b.data), b.data[i], byte(x>>56))
		}
		for i, p := range b.refs {
			w.must(*p == b.seed+uint64(i), "word %d is %#x, not %#x", i, *p, b.seed+uint64(i))
		}
		n, _ := b.held[0].(int)
		m, _ := b.held[1].(map[uint64]int)
		p, _ := b.held[2].(*uint64)
		_, there := m[b.seed]
		w.must(n == int(b.seed>>40) && there && len(m) == 1 && p == &b.seed, "what is held is %v", b.held)
	}
}

// heap holds blocks that workers leave to each other.
var heap [16]atomic.Pointer[block]

// closeHeap checks the remaining blocks.
func closeHeap(w *worker) {
	for i := range heap {
		heap[i].Load().check(w)
	}
}

// build allocates, keeps some blocks, exchanges some for other workers', and reads those it lets
// go.
func (w *worker) build() {
	for range w.some(6) {
		b := w.newBlock(w.rnd.IntN(4))
		switch {
		case w.one(3):
			heap[w.rnd.IntN(len(heap))].Swap(b).check(w)
		case len(w.kept) < 12:
			w.kept = append(w.kept, b)
		default:
			i := w.rnd.IntN(len(w.kept))
			w.kept[i].check(w)
			w.kept[i] = b
		}
	}
	if w.one(3) {
		w.guarded()
	}
}

// guarded allocates an object whose cleanup must not run while it is held, and not
// twice.
func (w *worker) guarded() {
	runs := new(atomic.Int32)
	b := w.newBlock(0)
	runtime.AddCleanup(b, func(runs *atomic.Int32) {
		if n := runs.Add(1); n != 1 {
			panic("a cleanup runs twice")
		}
	}, runs)
	w.small()
	w.must(runs.Load() == 0, "an object was cleaned up that is held")
	b.check(w)
	runtime.KeepAlive(b)
}

// pooled is an object of the pool.
type pooled struct{ users atomic.Int32 }

var objects = sync.Pool{New: func() any { return new(pooled) }}

// pool takes objects from a pool, checks that no other worker has them, and puts some back.
func (w *worker) pool() {
	var all []*pooled
	for range w.some(8) {
		o := objects.Get().(*pooled)
		n := o.users.Add(1)
		w.must(n == 1, "an object of the pool has %d users", n)
		all = append(all, o)
		if w.one(4) {
			runtime.Gosched()
		}
	}
	for _, o := range all {
		n := o.users.Add(-1)
		w.must(n == 0, "an object of the pool has %d more users", n)
		if !w.one(4) {
			objects.Put(o)
		}
	}
}

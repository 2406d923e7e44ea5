package frame

import (
	"maps"
	"math/rand"
	"testing"
)

// newAllocator has 8 blocks of RAM less the first 4 frames and the last one.
func newAllocator() *Allocator {
	var a Allocator
	a.Init(make([]Table, 8))
	a.Add(4*Size, 3*Block)
	a.Add(3*Block, 8*Block-1) // the odd byte costs the last frame
	return &a
}

func TestAllIsGivenOnceAndComesBack(t *testing.T) {
	a := newAllocator()
	const want = 8*perBlock - 5
	if total, used, _ := a.Stats(); total != want || used != 0 {
		t.Fatalf("total %d used %d, want %d and 0", total, used, want)
	}
	seen := map[uint64]bool{}
	for {
		pa, ok := a.Get()
		if !ok {
			break
		}
		if seen[pa] || pa%Size != 0 || pa < 4*Size || pa >= 8*Block-Size {
			t.Fatalf("frame %#x is a repeat or out of range", pa)
		}
		seen[pa] = true
	}
	if len(seen) != want {
		t.Fatalf("got %d frames, want %d", len(seen), want)
	}
	if _, ok := a.GetBlock(); ok {
		t.Error("got a block of an empty allocator")
	}
	for pa := range seen {
		if !a.Put(pa) {
			t.Fatalf("frame %#x was not taken back", pa)
		}
		if a.Put(pa) {
			t.Fatalf("frame %#x was taken back twice", pa)
		}
	}
	if a.Whole() != 6 {
		t.Errorf("%d whole blocks, want 6", a.Whole())
	}
	if _, used, peak := a.Stats(); used != 0 || peak != want {
		t.Errorf("used %d peak %d", used, peak)
	}
}

func TestBlocks(t *testing.T) {
	a := newAllocator()
	var blocks []uint64
	for {
		pa, ok := a.GetBlock()
		if !ok {
			break
		}
		if pa%Block != 0 {
			t.Fatalf("block %#x is not aligned", pa)
		}
		blocks = append(blocks, pa)
	}
	if len(blocks) != 6 {
		t.Fatalf("got %d blocks, want 6", len(blocks))
	}
	// One is split by giving its frames back one by one.
	for i := uint64(0); i < perBlock; i++ {
		if !a.Put(blocks[0] + i*Size) {
			t.Fatalf("frame %d of a split block was not taken back", i)
		}
	}
	if a.Whole() != 1 {
		t.Errorf("a split block did not become whole again")
	}
	if !a.PutBlock(blocks[1]) || a.PutBlock(blocks[1]) || a.PutBlock(Size) || a.PutBlock(100*Block) {
		t.Error("PutBlock took back what it should not, or not what it should")
	}
}

func TestRandomUseKeepsCount(t *testing.T) {
	a := newAllocator()
	r := rand.New(rand.NewSource(1))
	owner := map[uint64]bool{} // frames in use
	var small, large []uint64
	for step := 0; step < 200000; step++ {
		switch r.Intn(5) {
		case 0, 1:
			if pa, ok := a.Get(); ok {
				if owner[pa] {
					t.Fatalf("step %d: frame %#x given twice", step, pa)
				}
				owner[pa] = true
				small = append(small, pa)
			}
		case 2:
			if pa, ok := a.GetBlock(); ok {
				for i := uint64(0); i < perBlock; i++ {
					if owner[pa+i*Size] {
						t.Fatalf("step %d: frame of block %#x given twice", step, pa)
					}
					owner[pa+i*Size] = true
				}
				large = append(large, pa)
			}
		case 3:
			if n := len(small); n > 0 {
				i := r.Intn(n)
				if !a.Put(small[i]) {
					t.Fatalf("step %d: Put failed", step)
				}
				delete(owner, small[i])
				small[i] = small[n-1]
				small = small[:n-1]
			}
		case 4:
			if n := len(large); n > 0 {
				pa := large[n-1]
				large = large[:n-1]
				if !a.PutBlock(pa) {
					t.Fatalf("step %d: PutBlock failed", step)
				}
				for i := uint64(0); i < perBlock; i++ {
					delete(owner, pa+i*Size)
				}
			}
		}
		if _, used, _ := a.Stats(); used != uint64(len(owner)) {
			t.Fatalf("step %d: %d in use, want %d", step, used, len(owner))
		}
	}
}

// TestUsed: Used tells of each frame that was handed out, small or in a block, once, of none that came back, and of the five at the
// ends that memory was not added of.
func TestUsed(t *testing.T) {
	a := newAllocator()
	want := map[uint64]bool{8*Block - Size: true}
	for pa := uint64(0); pa < 4*Size; pa += Size {
		want[pa] = true
	}
	check := func(when string) {
		t.Helper()
		got := map[uint64]bool{}
		a.Used(func(pa uint64) {
			if got[pa] {
				t.Errorf("%s: frame %#x twice", when, pa)
			}
			got[pa] = true
		})
		if !maps.Equal(got, want) {
			t.Errorf("%s: %d frames, want %d, or others", when, len(got), len(want))
		}
	}
	check("at first")

	var small []uint64
	for range 2 * perBlock { // more than a block of them: one is full
		pa, _ := a.Get()
		small, want[pa] = append(small, pa), true
	}
	block, _ := a.GetBlock()
	for i := uint64(0); i < perBlock; i++ {
		want[block+i*Size] = true
	}
	check("with a full block and a large frame")

	for _, pa := range small[perBlock/2:] {
		a.Put(pa)
		delete(want, pa)
	}
	check("with some back")

	a.PutBlock(block)
	for i := uint64(0); i < perBlock; i++ {
		delete(want, block+i*Size)
	}
	check("with the large one back")
}

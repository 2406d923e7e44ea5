package fd

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// pages gives a table memory, up to so many pages, that the test's end takes back.
func pages(t *testing.T, most int) Get {
	var all []*[Page / 8]uint64
	t.Cleanup(func() { clear(all) })
	return func() uintptr {
		if len(all) == most {
			return 0
		}
		all = append(all, new([Page / 8]uint64))
		return uintptr(unsafe.Pointer(all[len(all)-1]))
	}
}

// enough is more pages than a table can want.
const enough = Max

// open opens a file as a call does.
func open(t *Table, get Get) int {
	f := t.New(get)
	if f < 0 {
		return -1
	}
	n := t.Number(f, 0, Max, get)
	if n < 0 {
		t.Free(f)
	}
	return n
}

func TestLowestNumber(t *testing.T) {
	var tab Table
	get := pages(t, enough)
	for want := range Max {
		if n := open(&tab, get); n != want {
			t.Fatalf("got %d, want %d", n, want)
		}
	}
	if n := open(&tab, get); n != -1 {
		t.Errorf("a full table gave %d", n)
	}
	for _, n := range []int{77, 9} {
		f := tab.Close(n)
		if f < 0 || !tab.Drop(f) {
			t.Fatalf("%d did not go away", n)
		}
		tab.Free(f)
	}
	for _, want := range []int{9, 77, -1} {
		if n := open(&tab, get); n != want {
			t.Errorf("got %d, want %d", n, want)
		}
	}
}

// TestLimit gives no number that is not below the limit.
func TestLimit(t *testing.T) {
	var tab Table
	get := pages(t, enough)
	for want := range 3 {
		if n := tab.Number(tab.New(get), 0, 3, get); n != want {
			t.Errorf("got %d, want %d", n, want)
		}
	}
	f := tab.New(get)
	for _, low := range []int{0, 3, 4} {
		if n := tab.Number(f, low, 3, get); n != -1 {
			t.Errorf("from %d on: got %d", low, n)
		}
	}
}

// TestMemory: where there is no page, there is no file and no number, and what was there is as before.
func TestMemory(t *testing.T) {
	var tab Table
	get := pages(t, 2)
	const files = int(perEntries)
	for want := range files {
		if n := open(&tab, get); n != want {
			t.Fatalf("got %d, want %d", n, want)
		}
	}
	if n := open(&tab, get); n != -1 {
		t.Errorf("a third page: got %d", n)
	}
	f := tab.Hold(7)
	if n := tab.Number(f, int(perNumbers), Max, get); n != -1 {
		t.Errorf("a number in a third page: got %d", n)
	}
	if tab.Room(Max-1, get) || !tab.Room(0, get) {
		t.Error("there is room where there is no page, or none where there is one")
	}
	if tab.Drop(f) || tab.Close(7) != f || !tab.Drop(f) {
		t.Fatal("7 did not go away")
	}
	tab.Free(f)
	if n := open(&tab, get); n != 7 {
		t.Errorf("got %d, want 7", n)
	}
}

func TestBadNumbers(t *testing.T) {
	var tab Table
	for _, n := range []int{-1, 0, Max - 1, Max} {
		if tab.Hold(n) >= 0 || tab.Close(n) >= 0 {
			t.Errorf("%d is in use", n)
		}
	}
}

// TestMeaning opens, duplicates, holds and closes at random, beside a map that says what must be.
func TestMeaning(t *testing.T) {
	var tab Table
	get := pages(t, enough)
	r := rand.New(rand.NewPCG(3, 4))
	numbers := map[int]int{} // number to file
	refs := map[int]int{}    // of files
	var held []int
	drop := func(f int) {
		refs[f]--
		if last := tab.Drop(f); last != (refs[f] == 0) {
			t.Fatalf("file %d: the last is %v, with %d left", f, last, refs[f])
		} else if last {
			tab.Free(f)
			delete(refs, f)
		}
	}
	lowest := func(n int) int {
		for {
			if _, used := numbers[n]; !used {
				return n
			}
			n++
		}
	}
	for range 100000 {
		n := r.IntN(40)
		switch r.IntN(6) {
		case 0:
			f := tab.New(get)
			if refs[f] != 0 {
				t.Fatalf("file %d is in use", f)
			}
			low := r.IntN(5)
			want := lowest(low)
			if got := tab.Number(f, low, Max, get); got != want {
				t.Fatalf("number %d, %d is wanted", got, want)
			}
			numbers[want], refs[f] = f, 1
		case 1, 2:
			f, used := numbers[n]
			got := tab.Close(n)
			if !used {
				f = -1
			}
			if got != f {
				t.Fatalf("closing %d gave file %d, not %d", n, got, f)
			}
			if used {
				delete(numbers, n)
				drop(f)
			}
		case 3:
			if f := tab.Hold(n); f >= 0 {
				if numbers[n] != f {
					t.Fatalf("%d is file %d, not %d", n, f, numbers[n])
				}
				refs[f]++
				held = append(held, f)
			}
		case 4:
			if len(held) > 0 {
				drop(held[0])
				held = held[1:]
			}
		case 5:
			f, to := tab.Hold(n), r.IntN(40)
			if f < 0 {
				continue
			}
			refs[f] += 2
			old, used := numbers[to]
			if !used {
				old = -1
			}
			if got := tab.Replace(f, to); got != old {
				t.Fatalf("number %d was file %d's, not %d's", to, got, old)
			}
			numbers[to] = f
			if used {
				drop(old)
			}
			drop(f)
		}
		for f := range refs {
			count := 0
			rest := tab.Each(f, 0, Max, func(n int) {
				if numbers[n] != f {
					t.Fatalf("%d is not a number of file %d", n, f)
				}
				count++
			})
			if rest != -1 {
				t.Fatalf("file %d: from %d on there may be more", f, rest)
			}
			for _, g := range numbers {
				if g == f {
					count--
				}
			}
			if count != 0 {
				t.Fatalf("file %d: %d numbers too many", f, count)
			}
		}
	}
}

// TestEachFar finds a file's numbers wherever they are, also at the ends of words and pages, beside others.
func TestEachFar(t *testing.T) {
	var tab Table
	get := pages(t, enough)
	f, other := tab.New(get), tab.New(get)
	want := []int{0, 63, 64, 65, 1023, 1024, 70000, Max - 1}
	for _, n := range want {
		if got := tab.Number(f, n, Max, get); got != n {
			t.Fatalf("got %d, want %d", got, n)
		}
	}
	for _, n := range []int{1, 62, 66, 1025, 69999, Max - 2} {
		tab.Number(other, n, Max, get)
	}
	tab.Close(65)
	want = append(want[:3:3], want[4:]...)
	for from := range Max {
		for want[0] < from {
			want = want[1:]
		}
		// Wherever it begins, and however little it looks at once.
		looks := 1 + from%100
		got, calls := []int(nil), 0
		for n := from; n >= 0; calls++ {
			n = tab.Each(f, n, looks, func(n int) { got = append(got, n) })
		}
		if !slices.Equal(got, want) {
			t.Fatalf("from %d on: got %d, want %d", from, got, want)
		}
		if most := (Max/64+len(want)+7)/looks + 1; calls > most {
			t.Fatalf("from %d on, with %d looks: %d calls, %d are enough", from, looks, calls, most)
		}
	}
	if rest := tab.Each(f, Max, 1, func(n int) { t.Errorf("above all: got %d", n) }); rest != -1 {
		t.Errorf("above all there is something from %d on", rest)
	}
}

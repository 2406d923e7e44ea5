package fd

import (
	"math/rand/v2"
	"testing"
)

// open opens a file as a call does.
func open(t *Table) int {
	f := t.New()
	if f < 0 {
		return -1
	}
	n := t.Number(f, 0, Max)
	if n < 0 {
		t.Free(f)
	}
	return n
}

func TestLowestNumber(t *testing.T) {
	var tab Table
	for want := range Max {
		if n := open(&tab); n != want {
			t.Fatalf("got %d, want %d", n, want)
		}
	}
	if n := open(&tab); n != -1 {
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
		if n := open(&tab); n != want {
			t.Errorf("got %d, want %d", n, want)
		}
	}
}

// TestLimit gives no number that is not below the limit.
func TestLimit(t *testing.T) {
	var tab Table
	for want := range 3 {
		if n := tab.Number(tab.New(), 0, 3); n != want {
			t.Errorf("got %d, want %d", n, want)
		}
	}
	f := tab.New()
	for _, low := range []int{0, 3, 4} {
		if n := tab.Number(f, low, 3); n != -1 {
			t.Errorf("from %d on: got %d", low, n)
		}
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
			f := tab.New()
			if refs[f] != 0 {
				t.Fatalf("file %d is in use", f)
			}
			low := r.IntN(5)
			want := lowest(low)
			if got := tab.Number(f, low, Max); got != want {
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
			for n := tab.Next(f, 0); n >= 0; n = tab.Next(f, n+1) {
				if numbers[n] != f {
					t.Fatalf("%d is not a number of file %d", n, f)
				}
				count++
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

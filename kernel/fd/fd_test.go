package fd

import (
	"math/rand/v2"
	"testing"
)

// open opens a file as a call does.
func open(t *Table) int {
	n := t.Open()
	if n >= 0 {
		t.Publish(n)
	}
	return n
}

func TestLowestNumber(t *testing.T) {
	var tab Table
	for want := First; want < Max; want++ {
		if n := open(&tab); n != want {
			t.Fatalf("got %d, want %d", n, want)
		}
	}
	if n := open(&tab); n != -1 {
		t.Errorf("a full table gave %d", n)
	}
	for _, n := range []int{77, 9} {
		if !tab.Close(n) || !tab.Drop(n) {
			t.Fatalf("%d did not go away", n)
		}
		tab.Free(n)
	}
	for _, want := range []int{9, 77, -1} {
		if n := open(&tab); n != want {
			t.Errorf("got %d, want %d", n, want)
		}
	}
}

func TestNotOpen(t *testing.T) {
	var tab Table
	for _, n := range []int{-1, 0, 2, First, Max - 1, Max, 1 << 40} {
		if tab.Hold(n) || tab.Close(n) {
			t.Errorf("%d is open", n)
		}
	}
	n := tab.Open()
	if tab.Hold(n) || tab.Close(n) {
		t.Error("a number is open before it is published")
	}
	tab.Free(n)
	if again := open(&tab); again != n {
		t.Errorf("a number that was given back did not come again, but %d", again)
	}
}

// TestCloseInACall: the number is not given out again while a call is in it.
func TestCloseInACall(t *testing.T) {
	var tab Table
	n := open(&tab)
	if !tab.Hold(n) || !tab.Hold(n) {
		t.Fatal("it is not open")
	}
	if !tab.Close(n) || tab.Drop(n) {
		t.Fatal("it went away in the middle of two calls")
	}
	if tab.Hold(n) || tab.Close(n) {
		t.Error("it is still open")
	}
	if tab.Drop(n) {
		t.Error("it went away in the middle of a call")
	}
	if other := open(&tab); other == n {
		t.Error("its number was given out in the middle of a call")
	}
	if !tab.Drop(n) {
		t.Error("it did not go away with the last call")
	}
	if other := open(&tab); other == n {
		t.Error("its number was given out before it was freed")
	}
	tab.Free(n)
	if other := open(&tab); other != n {
		t.Errorf("got %d, want %d", other, n)
	}
}

// TestRandom compares the table with a plain model.
func TestRandom(t *testing.T) {
	type file struct {
		open  bool
		calls int
	}
	var tab Table
	model := map[int]*file{}
	r := rand.New(rand.NewPCG(1, 9))
	for step := range 20_000 {
		n := First + r.IntN(Max-First)
		f := model[n]
		switch r.IntN(4) {
		case 0:
			want := First
			for model[want] != nil {
				want++
			}
			if want == Max {
				want = -1
			}
			if got := open(&tab); got != want {
				t.Fatalf("step %d: opened %d, want %d", step, got, want)
			}
			if want >= 0 {
				model[want] = &file{open: true}
			}
		case 1:
			want := f != nil && f.open
			if got := tab.Hold(n); got != want {
				t.Fatalf("step %d: Hold of %d is %v", step, n, got)
			}
			if want {
				f.calls++
			}
		case 2:
			if f == nil || f.calls == 0 {
				continue
			}
			f.calls--
			drop(t, &tab, model, n, !f.open && f.calls == 0)
		case 3:
			want := f != nil && f.open
			if got := tab.Close(n); got != want {
				t.Fatalf("step %d: Close of %d is %v", step, n, got)
			}
			if want {
				f.open = false
				drop(t, &tab, model, n, f.calls == 0)
			}
		}
	}
}

// drop drops n, which is the last one if last is true.
func drop[F any](t *testing.T, tab *Table, model map[int]*F, n int, last bool) {
	t.Helper()
	if got := tab.Drop(n); got != last {
		t.Fatalf("Drop of %d is %v", n, got)
	}
	if last {
		tab.Free(n)
		delete(model, n)
	}
}

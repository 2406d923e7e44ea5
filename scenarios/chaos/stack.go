package main

import (
	"errors"
	"iter"
	"runtime"
)

// yield gives way.
func (w *worker) yield() {
	for range w.some(20) {
		runtime.Gosched()
	}
}

// Factor and summand of the generator that churn runs.
const (
	factor  = 6364136223846793005
	summand = 1442695040888963407
)

// churn computes a known result in a loop without calls, for up to some tens of milliseconds. Its
// values in registers must survive preemption.
func (w *worker) churn() {
	n := w.some(1<<20) >> w.rnd.IntN(10)
	if w.one(20) {
		n += 4 << 20
	}
	x := w.rnd.Uint64()
	want := ahead(x, n)
	var a, b, c, d float64
	for range n {
		x = x*factor + summand
		a, b, c, d = a+1, b+2, c-3, d+0.5
	}
	f := float64(n)
	w.must(x == want, "%d turns of a generator gave %#x, not %#x", n, x, want)
	w.must(a == f && b == 2*f && c == -3*f && d == f/2, "%d turns summed up to %v %v %v %v", n, a, b, c, d)
}

// ahead is what n turns of the generator make of x: the turns composed with
// themselves, a power of two at a time.
func ahead(x uint64, n int) uint64 {
	var f, s uint64 = factor, summand
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			x = x*f + s
		}
		f, s = f*f, s*f+s
	}
	return x
}

// dig calls itself so deeply that the stack must grow, with pointers from frame to
// frame, gives way on the way down, and compares on the way up.
func (w *worker) dig() {
	var top [12]uint64
	n := w.some(2000) >> w.rnd.IntN(6)
	got := w.deeper(n, &top)
	w.must(got == uint64(n+1), "%d frames were counted, not %d", got, n+1)
	w.must(top[3] == uint64(n)+3, "the first frame holds %d", top[3])
}

// deeper fills its caller's frame and returns how many frames there are from here.
func (w *worker) deeper(n int, up *[12]uint64) uint64 {
	var mine [12]uint64
	for i := range up {
		up[i] = uint64(n + i)
	}
	count := uint64(1)
	if n > 0 {
		if n%256 == 0 {
			runtime.Gosched()
		}
		count += w.deeper(n-1, &mine)
		w.must(mine[5] == uint64(n-1+5), "frame %d holds %d", n, mine[5])
	}
	w.must(up[11] == uint64(n+11), "the frame above %d holds %d", n, up[11])
	return count
}

var errChaos = errors.New("chaos")

// panics panics in several ways and recovers; deferred calls run, in their order.
func (w *worker) panics() {
	for range w.some(3) {
		var order []int
		got := func() (r any) {
			defer func() { r = recover() }()
			defer func() { order = append(order, 2) }()
			defer func() {
				if w.one(3) {
					runtime.Gosched()
				}
				order = append(order, 1)
			}()
			w.fall(w.rnd.IntN(30), w.rnd.IntN(5))
			return nil
		}()
		err, ok := got.(error)
		w.must(ok, "the panic came as %v", got)
		var re runtime.Error
		w.must(errors.Is(err, errChaos) || errors.As(err, &re), "the panic came as %v", err)
		w.must(len(order) == 2 && order[0] == 1 && order[1] == 2, "deferred calls ran as %v", order)
	}
}

// fall panics n calls deep.
func (w *worker) fall(n, how int) {
	if n > 0 {
		if n%5 == 0 {
			defer func() {
				if r := recover(); r != nil {
					panic(r) // goes on as another
				}
			}()
		}
		w.fall(n-1, how)
		return
	}
	var none *worker
	var values []int
	switch how {
	case 0:
		panic(errChaos)
	case 1:
		w.step = none.step // a fault
	case 2:
		w.step = values[w.step]
	case 3:
		w.step /= len(values)
	case 4:
		var m map[string]int
		m["a"] = 1
	}
}

// pull takes values from an iterator that runs as a coroutine, and that may take
// its own from another. It may stop before the end.
func (w *worker) pull() {
	n, limit := w.some(30), w.some(30)
	c := w.child(0)
	next, stop := iter.Pull(c.count(n, w.rnd.IntN(3)))
	defer stop()
	for i := range limit {
		v, ok := next()
		w.must(ok == (i < n), "value %d of %d is there: %v", i, n, ok)
		if !ok {
			return
		}
		w.must(v == i, "value %d is %d", i, v)
		if w.one(8) {
			runtime.Gosched()
		}
	}
}

// count counts to n, through so many more coroutines.
func (w *worker) count(n, through int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if through == 0 {
			for i := range n {
				if w.one(6) {
					runtime.Gosched()
				}
				if !yield(i) {
					return
				}
			}
			return
		}
		next, stop := iter.Pull(w.child(0).count(n, through-1))
		defer stop()
		for {
			v, ok := next()
			if !ok || !yield(v) {
				return
			}
		}
	}
}

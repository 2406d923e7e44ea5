// Preempt starts endless loops that never call anything on every P, and then wants to get on with its work.
//
// Shows [U5] (a loop without calls is preempted), [A2] (all registers survive, floating point and SIMD
// included) and [U2] (none starves: each loop's counter advances). The proof: there are more loops than Ps
// and none of them ever ends, yields or reaches a stack check, so only the timer interrupt can take a P
// away from them; otherwise main would never wake and the run would hit its time limit. Beside the loops
// run computations whose results are compared, bit for bit, with those taken before the first loop was
// started: a register lost in one of the switches would show there.
package main

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const window = 500 * time.Millisecond // of guest time

// A spinner counts its turns; the padding keeps each on a cache line of its own.
type spinner struct {
	turns atomic.Uint64
	_     [56]byte
}

func countForever(s *spinner) {
	for {
		s.turns.Add(1)
	}
}

func sumForever(s *spinner, a *[512]uint64) {
	for {
		t := uint64(1)
		for i := range a {
			t += a[i] ^ t<<1
			a[i] = t
		}
		s.turns.Add(1)
	}
}

func nothingForever() {
	for {
	}
}

// result is the result of a computation. It must not depend on which goroutines ran in between.
type result struct {
	floats, ints uint64
	crc          uint32
	found        int
}

// floats keeps more floating-point values alive than there are scratch registers, and makes no calls.
func floats(seed float64, n int) uint64 {
	a, b, c, d := seed, seed/2, seed/3, seed/5
	e, f, g, h := 1+a, 1+b, 1+c, 1+d
	for range n {
		a = 3.99 * a * (1 - a) // chaotic: one lost bit changes all that follow
		b = math.Sqrt(b*b*0.5 + a)
		c = c*0.75 + b
		d = d - c*0.125 + a
		e = math.Abs(e*0.5-d) + 1
		f = f*0.25 + e
		g = g*0.5 + f - a
		h = h*0.5 + g/(1+e)
	}
	sum := uint64(0)
	for _, v := range [...]float64{a, b, c, d, e, f, g, h} {
		sum = bits.RotateLeft64(sum, 7) ^ math.Float64bits(v)
	}
	return sum
}

// ints keeps carries and wide products alive.
func ints(x uint64, n int) uint64 {
	lo, hi, acc, carry := x|1, uint64(0), x, uint64(0)
	for range n {
		hi, lo = bits.Mul64(lo, 0x9e3779b97f4a7c15)
		lo ^= hi
		acc, carry = bits.Add64(acc, lo, carry)
		acc = bits.RotateLeft64(acc, int(carry)+5) + uint64(bits.LeadingZeros64(hi))
	}
	return acc
}

// compute also runs the assembly that uses wide registers: memmove, CRC, byte search.
func compute(seed int, src, dst []byte) result {
	r := result{floats: floats(1/(float64(seed)+1.5), 10_000), ints: ints(uint64(seed), 20_000)}
	for i := range src {
		src[i] = byte(i*seed + i>>8)
	}
	for off := range 8 { // every alignment
		n := copy(dst[off:], src)
		r.crc = crc32.Update(r.crc, crc32.IEEETable, dst[:n])
		copy(src[1:], src) // overlapping, backwards
	}
	dst[len(dst)-1] = 0xfe
	r.found = bytes.Count(dst, []byte{0xfe})*1000 + bytes.IndexByte(dst[100:], byte(seed))
	return r
}

func buffers() (src, dst []byte) { return make([]byte, 64<<10), make([]byte, 64<<10) }

func main() {
	procs := runtime.GOMAXPROCS(0)
	workers := procs + 1
	reference := make([]result, workers)
	src, dst := buffers()
	for i := range reference {
		reference[i] = compute(i, src, dst)
	}

	spinners := make([]spinner, procs+1)
	for i := range spinners {
		if i%2 == 0 {
			go countForever(&spinners[i])
		} else {
			go sumForever(&spinners[i], new([512]uint64))
		}
	}
	go nothingForever()

	begin := time.Now()
	repeats := make([]int, workers)
	var wg sync.WaitGroup
	for i := range workers {
		src, dst := buffers()
		wg.Go(func() {
			for repeats[i] == 0 || time.Since(begin) < window {
				if got := compute(i, src, dst); got != reference[i] {
					fmt.Printf("preempt: wrong: computation %d gave %+v, not %+v\n", i, got, reference[i])
					os.Exit(1)
				}
				repeats[i]++
			}
		})
	}

	// main sleeps and wakes among the loops: once at least, though the time may be
	// over before main has its first turn.
	var late []time.Duration
	for len(late) == 0 || time.Since(begin) < window {
		t := time.Now()
		time.Sleep(2 * time.Millisecond)
		late = append(late, time.Since(t)-2*time.Millisecond)
	}
	wg.Wait()
	took := time.Since(begin)

	// Each loop has a turn, or the run does not end. How many had theirs by now is the
	// machine's affair, unless its clock counts its own instructions.
	turned := func() (n int) {
		for i := range spinners {
			if spinners[i].turns.Load() > 0 {
				n++
			}
		}
		return n
	}
	already := turned()
	for turned() < len(spinners) {
		time.Sleep(2 * time.Millisecond)
	}

	slices.Sort(late)
	fmt.Printf("preempt: %d Ps, %d endless loops, %v\n", procs, len(spinners)+1, took)
	fmt.Printf("preempt: main slept 2ms %d times, woke late by %v (least) %v (median) %v (most)\n",
		len(late), late[0], late[len(late)/2], late[len(late)-1])
	fmt.Printf("preempt: %d of %d loops that count had turns in that time\n", already, len(spinners))
	least, most := uint64(math.MaxUint64), uint64(0)
	for i := range spinners {
		n := spinners[i].turns.Load()
		fmt.Printf("preempt: loop %d made %d turns\n", i, n)
		if i%2 == 0 {
			least, most = min(least, n), max(most, n)
		}
	}
	fmt.Printf("preempt: spread of the counting loops: least %d, most %d\n", least, most)
	fmt.Printf("preempt: computations repeated %v times, every result as it was alone\n", repeats)
	fmt.Println("preempt: done")
}

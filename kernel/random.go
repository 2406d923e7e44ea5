package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/sched/atomic"
)

// rng is the state of the generator used where the processor has no source of
// randomness: then the runtime's hash seeds and the like are only as random as
// the clock, and under -icount they are the same in every run, which is what
// -icount is for. Nothing cryptographic may be built on it; see docs.
var rng atomic.Uint64

// seed starts the generator from the clock. Boot.
func seed() { rng.Store(uint64(arch.Nanotime()) ^ 0x9e3779b97f4a7c15) }

// randomBits returns 64 random bits. Any context.
func randomBits() uint64 {
	if v, ok := arch.Random(); ok {
		return v
	}
	// splitmix64 (Steele, Lea, Flood 2014).
	x := rng.Add(0x9e3779b97f4a7c15)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// fillRandom writes n random bytes at p.
func fillRandom(p, n uintptr) {
	var v uint64
	for i := uintptr(0); i < n; i++ {
		if i%8 == 0 {
			v = randomBits()
		}
		*(*byte)(unsafe.Pointer(p + i)) = byte(v)
		v >>= 8
	}
}

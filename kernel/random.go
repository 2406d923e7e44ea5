package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/drivers"
	"sched9/drivers/virtiorng"
	"sched9/sched"
	"sched9/sched/atomic"
)

// Random numbers. There are three sources. The processor's instruction is the best one,
// where there is one. Without it, what a program asks for, as for keys, comes from the
// machine's device; the runtime's hash seeds and the like, wanted at boot, do not. Without a
// device too, all comes from a generator that the clock has seeded, and the program is told.

// rng is the state of that generator. Its output is only as random as the clock, and under -icount
// the same in every run, which is the purpose of -icount.
var rng atomic.Uint64

// seed starts the generator from the clock. Boot.
func seed() { rng.Store(uint64(arch.Nanotime()) ^ 0x9e3779b97f4a7c15) }

// randomBits returns 64 random bits, from the processor or the generator. Any context.
func randomBits() uint64 {
	if v, ok := arch.Random(); ok && !sched.Hunting {
		return v
	}
	// splitmix64 (Steele, Lea, Flood 2014).
	x := rng.Add(0x9e3779b97f4a7c15)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// entropy is the machine's device for random bytes, and the bytes that it has given and that are
// still unused.
var entropy struct {
	// lock guards the rest. Its holder is in a leaf, on a scheduler stack, and so runs on
	// until it gives it back; but it may wait for the device, with interrupts on. Any other
	// lock may be taken under it.
	lock   atomic.Uint32
	looked bool
	works  bool    // there is one, and it has not failed
	ready  uintptr // so many bytes,
	next   uintptr // from here on
	warned bool    // that all is guessable
}

// entropyLimit is how long the device may take to answer, in nanoseconds of the guest's
// clock.
const entropyLimit = 10_000_000_000

// getRandom is getrandom(2).
func getRandom(x args) uintptr {
	const nonblock, random, insecure = 1, 2, 4
	if x.c&^(nonblock|random|insecure) != 0 || x.c&(random|insecure) == random|insecure {
		return fail(eINVAL)
	}
	n := min(x.b, 1<<31-1) // as Linux
	done := fillRandom(x.a, n)
	if done == 0 && n > 0 {
		return fail(eFAULT)
	}
	return done
}

// fillRandom writes n random bytes at p, the program's, or as many as there are before one
// that cannot be written, and returns how many.
func fillRandom(p, n uintptr) (done uintptr) {
	if _, ok := arch.Random(); ok || sched.Hunting {
		return fillBits(p, n)
	}
	return drawEntropy(p, n)
}

// fillBits is fillRandom from randomBits.
func fillBits(p, n uintptr) (done uintptr) {
	for done < n {
		v := randomBits()
		k := min(n-done, unsafe.Sizeof(v))
		got := copyOut(p+done, unsafe.Pointer(&v), k)
		if done += got; got < k {
			break
		}
	}
	return done
}

// drawEntropy is fillRandom from the device. Bytes that were taken are erased.
func drawEntropy(p, n uintptr) (done uintptr) {
	lockEntropy()
	for done < n {
		if entropy.ready == 0 && !refill() {
			warnWeak()
			done += fillBits(p+done, n-done)
			break
		}
		k := min(n-done, entropy.ready)
		got := copyOut(p+done, unsafe.Pointer(entropy.next), k)
		clear(unsafe.Slice((*byte)(unsafe.Pointer(entropy.next)), got))
		entropy.next, entropy.ready = entropy.next+got, entropy.ready-got
		if done += got; got < k {
			break
		}
	}
	entropy.lock.Store(0)
	return done
}

// lockEntropy waits for the right to use the device. It lasts as long as that is waited
// for, so it holds the processor [M4].
func lockEntropy() {
	if entropy.lock.CompareAndSwap(0, 1) {
		return
	}
	upSyscallBlocks()
	for !entropy.lock.CompareAndSwap(0, 1) {
		arch.Pause()
	}
}

// refill has the device fill its buffer, and reports whether there is anything in it: a
// device that does not answer in time, or nonsense, is never asked again. entropy.lock
// is held.
func refill() bool {
	if !entropy.looked {
		entropy.looked = true
		findEntropy()
	}
	if !entropy.works {
		return false
	}
	s := drivers.Get(drivers.Random).Source()
	s.Ask()
	upSyscallBlocks()
	for end := arch.Nanotime() + entropyLimit; ; arch.Pause() {
		n, done := s.Answer()
		if n > 0 {
			entropy.next, entropy.ready = s.Buffer(), n
			return true
		}
		if done || arch.Nanotime() >= end {
			s.Fail()
			entropy.works = false
			return false
		}
	}
}

// findEntropy looks for a device. entropy.lock is held.
func findEntropy() {
	on := mem.lock.Lock()
	if d := drivers.Find(drivers.Random); d != nil {
		pa, ok := mem.Frames.Get()
		if !ok {
			outOfMemory(virtiorng.Memory, nil)
		}
		va := arch.Phys(pa)
		arch.Zero(va, virtiorng.Memory)
		if entropy.works = d.Source().Connect(va, pa); !entropy.works {
			mem.Frames.Put(pa)
		}
	}
	mem.lock.Unlock(on)
}

// warnWeak tells, once, that what the program gets can be guessed. entropy.lock is held.
func warnWeak() {
	if entropy.warned {
		return
	}
	entropy.warned = true
	const text = "warning: keys made here can be guessed: this machine has no source of randomness (RDRAND, RNDR or virtio-rng) that works\n"
	say(uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(len(text)))
}

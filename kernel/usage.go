package kernel

import (
	"sched9/arch"
	"sched9/kernel/frame"
)

// What the program has used: processors' time and memory.

// rusage is Linux's struct of that name where a long has 64 bits; what it counts besides is never counted here.
type rusage struct {
	user   [2]int64 // struct timeval
	system [2]int64
	maxRSS int64 // KiB
	_      [13]int64
}

// busiest is the most processors' time that was told, guarded by mem.lock.
var busiest int64

// usage is the call getrusage of x.a: the program, of which all time is its own, or its children, of which there is none. A
// thread's is not known: EINVAL.
//
// The time is how long processors were not halted, all together: what the program uses, and the scheduler, which is the runtime's
// as on Linux. Each processor has one word for it, which it alone stores, so one load tells whether it halts and since when: the word is below 0
// then, as the halt began after all that it had slept before. Between its look at the clock and its store a processor counts
// for longer than it will have; for that there is busiest, and the time never becomes less.
func usage(x args) uintptr {
	const children = ^uintptr(0)
	var r rusage
	if x.a == 0 {
		on := mem.lock.Lock()
		now, sum := arch.Nanotime(), int64(0)
		for id := range cpus[:numCPU] {
			c := &cpus[id]
			slept := c.slept.Load()
			switch {
			case slept < 0:
				sum -= slept
			case c.online.Load() != 0:
				sum += now - slept
			}
		}
		busiest = max(busiest, sum)
		us := busiest / 1e3
		_, _, peak := mem.Frames.Stats()
		mem.lock.Unlock(on)
		r.user = [2]int64{us / 1e6, us % 1e6}
		r.maxRSS = int64(peak * (frame.Size / 1024))
	} else if x.a != children {
		return fail(eINVAL)
	}
	return answer(x.b, &r)
}

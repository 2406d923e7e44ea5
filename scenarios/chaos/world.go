package main

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// device is one whose reader is held up for as many microseconds as it reads
// bytes: a slow system call.
const device = "/dev/delay"

// tryDelay says why there is no such device, or nil.
func tryDelay() error {
	f, err := os.Open(device)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Read(make([]byte, 1))
	return err
}

// delay waits in the device.
func (w *worker) delay() {
	f, err := os.Open(device)
	w.must(err == nil, "%v", err)
	defer f.Close()
	for range w.some(3) {
		n := 1 + w.some(1000)>>w.rnd.IntN(8)
		begin := time.Now()
		got, err := f.Read(make([]byte, n))
		took := time.Since(begin)
		w.must(err == nil && got == n, "read %d of %d bytes of %s: %v", got, n, device, err)
		w.must(took >= time.Duration(n)*time.Microsecond, "%d us in %s took %v", n, device, took)
	}
}

// procs changes the number of Ps.
func (w *worker) procs() {
	n := w.some(runtime.NumCPU())
	was := runtime.GOMAXPROCS(n)
	w.must(was >= 1 && was <= runtime.NumCPU(), "there were %d Ps", was)
	if w.one(2) {
		w.small()
		runtime.GOMAXPROCS(w.some(runtime.NumCPU()))
	}
}

// collect lets the collector run.
func (w *worker) collect() {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	runtime.GC()
	runtime.ReadMemStats(&after)
	w.must(after.NumGC > before.NumGC, "%d collections before one, and %d after it", before.NumGC, after.NumGC)
	if w.one(4) {
		debug.FreeOSMemory()
	}
}

// await waits in a loop without calls, which only preemption can end if the one
// whom it waits for has no other P.
func (w *worker) await() {
	var there atomic.Bool
	var value int
	c := w.child(0)
	go func() {
		if c.one(2) {
			c.small()
		}
		value = c.step + 1
		there.Store(true)
	}()
	for !there.Load() {
	}
	w.must(value == w.step+1, "what was written before is %d", value)
}

// look asks the runtime about all goroutines and about itself.
func (w *worker) look() {
	switch w.rnd.IntN(5) {
	case 0:
		buf := make([]byte, 64<<10)
		buf = buf[:runtime.Stack(buf, w.one(2))]
		w.must(bytes.HasPrefix(buf, []byte("goroutine ")) && bytes.Contains(buf, []byte("main.(*worker).look")), "the stacks are %q", buf)
	case 1:
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		w.must(m.HeapAlloc > 0 && m.Sys >= m.HeapSys && m.Mallocs >= m.Frees, "memory: %d of %d bytes, %d objects made, %d freed", m.HeapAlloc, m.Sys, m.Mallocs, m.Frees)
	case 2:
		const most = 10000
		was := debug.SetMaxThreads(most)
		w.must(was == most, "at most %d threads were allowed, not %d", was, most)
	case 3:
		s := []metrics.Sample{{Name: "/sched/gomaxprocs:threads"}, {Name: "/sched/goroutines:goroutines"}}
		metrics.Read(s)
		w.must(int(s[0].Value.Uint64()) <= runtime.NumCPU() && s[1].Value.Uint64() >= 2, "%d Ps, %d goroutines", s[0].Value.Uint64(), s[1].Value.Uint64())
	case 4:
		pcs := make([]uintptr, 64)
		pcs = pcs[:runtime.Callers(0, pcs)]
		frames, seen := runtime.CallersFrames(pcs), false
		for f, more := frames.Next(); ; f, more = frames.Next() {
			seen = seen || f.Function == "main.(*worker).life"
			if !more {
				break
			}
		}
		w.must(seen, "life is not among the callers")
	}
}

package main

import (
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"
)

// clock returns nanoseconds since boot.
func clock() int64 {
	f, err := fields("/dev/time")
	if err != nil {
		panic(err)
	}
	n, _ := strconv.ParseInt(f[2], 10, 64)
	return n
}

// age returns the sum of goroutine id's times, and the time that it ran.
func age(id string) (sum, run int64, err error) {
	f, err := fields("/proc/" + id + "/status")
	if err != nil {
		return 0, 0, err
	}
	for i, text := range f[4:8] {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return 0, 0, fmt.Errorf("a time of goroutine %s is %s", id, text)
		}
		if sum += n; i == 0 {
			run = n
		}
	}
	return sum, run, nil
}

// times holds the accounts against the clock: between two looks a goroutine's four times together grow by what lies between them, no
// more and no less; and those that run do so for no longer than there are Ps.
func times() error {
	var end atomic.Bool
	ids := []string{goid()}
	for range 2 * runtime.GOMAXPROCS(0) {
		ids = append(ids, begin(func() {
			for n := 0; !end.Load(); n++ {
				if n%1000 == 0 {
					runtime.Gosched()
				}
			}
		}))
	}
	defer end.Store(true)
	type look struct{ before, after, sum, run int64 }
	looks := [2][]look{}
	for i := range looks {
		for _, id := range ids {
			l := look{before: clock()}
			var err error
			if l.sum, l.run, err = age(id); err != nil {
				return err
			}
			l.after = clock()
			looks[i] = append(looks[i], l)
		}
		time.Sleep(20 * time.Millisecond)
	}
	const grain = 4000 // the clock is measured against itself, and reads in steps
	ran := int64(0)
	for i, a := range looks[0] {
		b := looks[1][i]
		grew := b.sum - a.sum
		if grew < b.before-a.after-grain || grew > b.after-a.before+grain {
			return fmt.Errorf("goroutine %s: its times grew by %d between %d and %d", ids[i], grew, b.before-a.after, b.after-a.before)
		}
		if b.run < a.run {
			return fmt.Errorf("goroutine %s has run %d, and later %d", ids[i], a.run, b.run)
		}
		if i > 0 { // the first, this one, makes system calls, and comes back from them before it has a P
			ran += b.run - a.run
		}
	}
	last := len(ids) - 1
	if most := (looks[1][last].after - looks[0][0].before) * int64(runtime.GOMAXPROCS(0)); ran > most || ran == 0 {
		return fmt.Errorf("goroutines ran %d of %d", ran, most)
	}
	return nil
}

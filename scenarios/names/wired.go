package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"sched9/names"
)

// on returns the number of the P that goroutine id runs on as far as its files say, -1: none; and what they say it is wired to.
func on(id string) (p int, wired string, err error) {
	f, err := fields("/proc/" + id + "/status")
	if err != nil {
		return 0, "", err
	}
	if f[3] == "-" {
		return -1, f[12], nil
	}
	p, err = strconv.Atoi(f[3])
	return p, f[12], err
}

// wire wires goroutine id.
func wire(id, to string) error {
	return os.WriteFile("/proc/"+id+"/ctl", []byte("wired "+to), 0)
}

// wired has goroutines that compute, yield, sleep, wait for each other and make calls run on one P alone, beside others that run anywhere.
func wired() error {
	procs := runtime.GOMAXPROCS(0)
	if err := os.WriteFile("/sched/ctl", []byte("slice 1ms"), 0); err != nil {
		return err
	}
	defer os.WriteFile("/sched/ctl", []byte("slice 10ms"), 0)
	var end atomic.Bool
	var all sync.WaitGroup
	c := make(chan int)
	turns := []func(){
		func() {}, runtime.Gosched,
		func() { time.Sleep(50 * time.Microsecond) },
		func() { syscall.Nanosleep(&syscall.Timespec{Nsec: 1000}, nil) },
		func() {
			select {
			case c <- 1:
			case <-c:
			case <-time.After(time.Millisecond):
			}
		},
	}
	type one struct {
		id    string
		n     *atomic.Int64
		tied  bool
		wants int
	}
	var ones []one
	for i := range 2 * len(turns) {
		n := new(atomic.Int64)
		tied := i%len(turns) == 1 && i > len(turns) && procs > 1
		all.Add(1)
		o := one{begin(func() {
			defer all.Done()
			if tied {
				runtime.LockOSThread() // it goes where its M goes
			}
			for !end.Load() {
				turns[i%len(turns)]()
				n.Add(1)
			}
		}), n, tied, -1}
		ones = append(ones, o)
	}
	for round := range 3 {
		for i := range ones {
			ones[i].wants = (i + round) % procs
			to := strconv.Itoa(ones[i].wants)
			if round == 2 && i%2 == 0 {
				ones[i].wants, to = -1, "any"
			}
			if err := wire(ones[i].id, to); err != nil {
				return err
			}
		}
		if err := listed(procs, func(p int) (ids []string) {
			for _, o := range ones {
				if o.wants == p {
					ids = append(ids, o.id)
				}
			}
			return ids
		}); err != nil {
			return err
		}
		before := make([]int64, len(ones))
		for i, o := range ones {
			before[i] = o.n.Load()
		}
		for i, limit := 0, time.Now().Add(20*time.Second); i < len(ones); runtime.Gosched() {
			o := ones[i]
			p, to, err := on(o.id)
			if err != nil {
				return err
			}
			if wants := strings.Replace(strconv.Itoa(o.wants), "-1", "-", 1); to != wants {
				return fmt.Errorf("goroutine %s is wired to P %s, and its status says %s", o.id, wants, to)
			}
			if p >= 0 && o.wants >= 0 && !o.tied && p != o.wants {
				return fmt.Errorf("goroutine %s is wired to P %d and runs on P %d", o.id, o.wants, p)
			}
			if o.n.Load() > before[i]+1 {
				i++
			} else if time.Now().After(limit) {
				return fmt.Errorf("goroutine %s, which is wired to P %d, does not run", o.id, o.wants)
			}
		}
	}
	// Fewer Ps: what is wired to those that go runs elsewhere, and there again when they are back.
	for _, n := range []int{1, procs} {
		runtime.GOMAXPROCS(n)
		for i := range ones {
			before := ones[i].n.Load()
			for limit := time.Now().Add(20 * time.Second); ones[i].n.Load() < before+2; runtime.Gosched() {
				if time.Now().After(limit) {
					return fmt.Errorf("with %d Ps goroutine %s, which is wired to P %d, does not run", n, ones[i].id, ones[i].wants)
				}
			}
		}
	}
	if err := os.WriteFile("/sched/ctl", []byte("policy pool"), 0); err == nil || !strings.Contains(err.Error(), "goroutines are wired to Ps") {
		return fmt.Errorf("another policy while goroutines are wired: %v", err)
	}
	end.Store(true)
	all.Wait()
	for limit := time.Now().Add(20 * time.Second); ; runtime.Gosched() { // they end
		err := listed(procs, func(int) []string { return nil })
		if err == nil {
			return itself(procs)
		}
		if time.Now().After(limit) {
			return err
		}
	}
}

// itself has the caller wire itself, and shows what cannot be.
func itself(procs int) error {
	me := goid()
	for p := range procs {
		if err := wire(me, strconv.Itoa(p)); err != nil {
			return err
		}
		for range 3 {
			if at, _, err := on(me); err != nil || at != p {
				return fmt.Errorf("the main goroutine wired itself to P %d and runs on P %d: %v", p, at, err)
			}
			runtime.Gosched()
		}
	}
	if err := wire(me, "any"); err != nil {
		return err
	}
	for to, want := range map[string]string{"": "wired N|any: ", "-1": "wired N|any: ", "all": "wired N|any: ", strconv.Itoa(procs): "the number of a P is from 0 to GOMAXPROCS-1"} {
		if err := wire(me, to); err == nil || !strings.Contains(err.Error(), want) {
			return fmt.Errorf("wired %s: %v", to, err)
		}
	}
	if err := os.WriteFile("/sched/ctl", []byte("policy pool"), 0); err != nil {
		return err
	}
	err := wire(me, "0")
	if err == nil || !strings.Contains(err.Error(), "under this policy") {
		return fmt.Errorf("wired under pool: %v", err)
	}
	if err := wire(me, "any"); err != nil {
		return err
	}
	return os.WriteFile("/sched/ctl", []byte("policy M:N"), 0)
}

// listed holds /sched/p/N/wired against what it should say.
func listed(procs int, want func(p int) []string) error {
	for p := range procs {
		text, err := os.ReadFile(fmt.Sprintf("/sched/p/%d/wired", p))
		if err != nil {
			return err
		}
		got := names.Fields(string(bytes.ReplaceAll(text, []byte("\n"), []byte(" "))))
		ids := want(p)
		slices.Sort(got)
		slices.Sort(ids)
		if !slices.Equal(got, ids) {
			return fmt.Errorf("to P %d are wired %v, and should be %v", p, got, ids)
		}
	}
	return nil
}

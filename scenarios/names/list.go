package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// listing has a directory for each goroutine, as long as that lives.
func listing() error {
	release := make(chan bool)
	var ended sync.WaitGroup
	ids := map[string]bool{}
	for range 300 {
		ended.Add(1)
		ids[begin(func() { defer ended.Done(); <-release })] = true
	}
	count := func() (n int, err error) {
		all, err := os.ReadDir("/proc")
		for _, e := range all {
			if ids[e.Name()] && e.IsDir() {
				n++
			}
		}
		return n, err
	}
	if n, err := count(); err != nil || n != len(ids) {
		return fmt.Errorf("%d of %d goroutines are listed, %v", n, len(ids), err)
	}
	close(release)
	ended.Wait()
	for end := time.Now().Add(20 * time.Second); ; runtime.Gosched() {
		n, err := count()
		if err != nil || n == 0 {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%d goroutines that have ended are listed", n)
		}
	}
}

// snapshot reads what was at the open, however long it takes, and after the goroutine has ended.
func snapshot() error {
	release := make(chan bool)
	id := begin(func() { <-release })
	if err := until(id, "wait"); err != nil {
		return err
	}
	f, err := os.Open("/proc/" + id + "/status")
	if err != nil {
		return err
	}
	defer f.Close()
	whole, err := os.ReadFile(fmt.Sprint("/proc/self/fd/", f.Fd()))
	if err != nil {
		return err
	}
	close(release)
	for end := time.Now().Add(20 * time.Second); ; runtime.Gosched() {
		if _, err := os.ReadFile("/proc/" + id + "/status"); errors.Is(err, fs.ErrNotExist) {
			break
		} else if time.Now().After(end) {
			return fmt.Errorf("goroutine %s does not end: %v", id, err)
		}
	}
	var got []byte
	for b := make([]byte, 7); ; {
		n, err := f.Read(b)
		if got = append(got, b[:n]...); err != nil {
			break
		}
	}
	if string(got) != string(whole) || !strings.HasPrefix(string(got), id+" wait ") {
		return fmt.Errorf("%q, then %q", whole, got)
	}
	return nil
}

// churn looks at goroutines that come and go.
func churn() error {
	var readers, writers sync.WaitGroup
	var end atomic.Bool
	for range 3 {
		writers.Add(1)
		go func() {
			defer writers.Done()
			for !end.Load() {
				var some sync.WaitGroup
				for range 20 {
					some.Go(runtime.Gosched)
				}
				some.Wait()
			}
		}()
	}
	errs := make(chan error, 3)
	for i := range 3 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for range 4 {
				all, err := os.ReadDir("/proc")
				if err != nil {
					errs <- err
					return
				}
				for _, e := range all {
					if !e.IsDir() {
						continue
					}
					name := "/proc/" + e.Name() + "/" + []string{"status", "stack", "wait"}[i]
					if _, err := os.ReadFile(name); err != nil && e.Name() != "self" && !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "no such goroutine") {
						errs <- err
						return
					}
				}
			}
		}()
	}
	readers.Wait()
	end.Store(true)
	writers.Wait()
	close(errs)
	return <-errs
}

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"sched9/names"
)

// traced reads what happens to goroutines while it does.
func traced() error {
	say := func(line string) error { return os.WriteFile("/sched/ctl", []byte(line), 0) }
	if _, err := os.Open("/proc/trace"); err == nil || !strings.Contains(err.Error(), "nothing is traced") {
		return fmt.Errorf("open while nothing is traced: %v", err)
	}
	if err := say("trace maybe"); err == nil || !strings.Contains(err.Error(), "trace on|off: ") {
		return fmt.Errorf("trace maybe: %v", err)
	}
	if err := say("trace on"); err != nil {
		return err
	}
	all, err := os.Open("/proc/trace")
	if err != nil {
		return err
	}
	release := make(chan bool)
	id := begin(func() { <-release })
	if err := until(id, "wait"); err != nil {
		return err
	}
	close(release)
	lines := bufio.NewScanner(all)
	want := []string{"Create", "Start", "Block", "Unblock", "Start", "Exit"} // among others
	last := int64(0)
	for lines.Scan() && len(want) > 0 {
		f := names.Fields(lines.Text())
		at, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil || len(f) != 7 || at < last {
			return fmt.Errorf("%q after %d: %v", f, last, err)
		}
		last = at
		if f[3] != id || f[4] != want[0] {
			continue
		}
		if f[4] == "Create" && !strings.HasPrefix(f[5], "main.begin.") || f[4] == "Block" && len(want) == 4 && f[5] != "chan receive" && f[5] != "chan send" {
			return fmt.Errorf("%q", f)
		}
		want = want[1:]
	}
	if len(want) > 0 {
		return fmt.Errorf("no line about %s of goroutine %s: %v", want[0], id, lines.Err())
	}
	if err := say("trace off"); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, all); err != nil { // it ends
		return err
	}
	all.Close()

	var end atomic.Bool
	defer end.Store(true)
	for i := range 3 {
		id = begin(func() {
			for !end.Load() {
				time.Sleep(time.Duration(i+1) * 100 * time.Microsecond)
			}
		})
	}
	if err := os.WriteFile("/proc/"+id+"/ctl", []byte("trace 1"), 0); err != nil {
		return err
	}
	one, err := os.Open("/proc/trace")
	if err != nil {
		return err
	}
	defer one.Close()
	lines = bufio.NewScanner(one)
	for n := 0; n < 20; n++ {
		if !lines.Scan() {
			return fmt.Errorf("the trace of goroutine %s ends: %v", id, lines.Err())
		}
		if f := names.Fields(lines.Text()); f[3] != id && f[4] != "Lost" {
			return fmt.Errorf("%q, and only goroutine %s is traced", f, id)
		}
	}
	if err := os.WriteFile("/proc/"+id+"/ctl", []byte("trace 0"), 0); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, one)
	return err
}

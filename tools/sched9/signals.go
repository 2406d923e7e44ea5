package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// ends are the signals by which users end programs.
var ends = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// passed is how many runs pass signals on to their guests.
var passed atomic.Int32

// cancelled calls cancel at the first signal that ends programs and that no run passes on.
func cancelled(cancel func()) {
	got := make(chan os.Signal, 1)
	signal.Notify(got, ends...)
	for range got {
		if passed.Load() == 0 {
			cancel()
		}
	}
}

// passSignals returns what a guest is to get of this process's signals, until stop is called. SIGPIPE is not among them: it is
// as if it were ignored, which children would inherit, and the run is ended by the failed write.
func passSignals() (got <-chan os.Signal, stop func()) {
	c, pipe := make(chan os.Signal, 4), make(chan os.Signal, 1)
	signal.Notify(c, append([]os.Signal{syscall.SIGQUIT, syscall.SIGWINCH}, ends...)...)
	signal.Notify(pipe, syscall.SIGPIPE)
	passed.Add(1)
	return c, func() {
		passed.Add(-1)
		signal.Stop(c)
		signal.Stop(pipe)
	}
}

// runGroup runs a command, made with ctx, whose children boot machines. All of them are a process group, which ends as a whole: when ctx is
// cancelled they get the interrupt that a terminal would send, which their guests get, and what has not ended a minute later is killed.
// If only the command itself were ended, its tests would run on to their limits.
func runGroup(ctx context.Context, cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	group := func(s syscall.Signal) error { return syscall.Kill(-cmd.Process.Pid, s) }
	cmd.Cancel = func() error { return group(syscall.SIGINT) }
	cmd.WaitDelay = time.Minute
	err := cmd.Run()
	if ctx.Err() != nil && cmd.Process != nil {
		group(syscall.SIGKILL)
	}
	return err
}

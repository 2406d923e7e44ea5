// Signals sends signals to itself and to processes that do not exist, and dies of some.
//
// Shows that kill(2), tgkill(2) and tkill(2) answer as on Linux: signal 0 only asks, a missing process or thread gives
// ESRCH, an invalid signal number EINVAL. A signal that the program does not wait for has its effect on a Go program on
// Linux: none, or the end by that signal, or a trace of all goroutines and status 2. The proof: each answer is compared,
// the program is alive after each signal that must not end it, and expect.toml has status and last lines of each ending.
// And os/signal works: each signal that can be caught comes once where it is wanted and nowhere else, and none is lost when
// many goroutines send at once. An argument is the number of the signal to die of, or "unread": then it is SIGPIPE, because
// standard output has no reader.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const nobody = 1 << 23 // more than there are processes on Linux

func tgkill(pid, tid int, sig syscall.Signal) error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(pid), uintptr(tid), uintptr(sig)); errno != 0 {
		return errno
	}
	return nil
}

func tkill(tid int, sig syscall.Signal) error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_TKILL, uintptr(tid), uintptr(sig), 0); errno != 0 {
		return errno
	}
	return nil
}

// answers are what each call must say. None of them may have an effect.
func answers() int {
	self, tid := syscall.Getpid(), syscall.Gettid()
	all := []struct {
		call      string
		got, want error
	}{
		{"kill(self, 0)", syscall.Kill(self, 0), nil},
		{"kill(0, 0)", syscall.Kill(0, 0), nil},
		{"kill(thread, 0)", syscall.Kill(tid, 0), nil},
		{"kill(self, 65)", syscall.Kill(self, 65), syscall.EINVAL},
		{"kill(self, -1)", syscall.Kill(self, -1), syscall.EINVAL},
		{"kill(0, 65)", syscall.Kill(0, 65), syscall.EINVAL},
		{"kill(nobody, 0)", syscall.Kill(nobody, 0), syscall.ESRCH},
		{"kill(nobody, SIGKILL)", syscall.Kill(nobody, syscall.SIGKILL), syscall.ESRCH},
		{"kill(nobody, 65)", syscall.Kill(nobody, 65), syscall.ESRCH},
		{"kill(-nobody, SIGKILL)", syscall.Kill(-nobody, syscall.SIGKILL), syscall.ESRCH},
		{"kill(least, SIGKILL)", syscall.Kill(math.MinInt32, syscall.SIGKILL), syscall.ESRCH},
		{"tgkill(self, thread, 0)", tgkill(self, tid, 0), nil},
		{"tgkill(self, thread, 65)", tgkill(self, tid, 65), syscall.EINVAL},
		{"tgkill(self, nobody, SIGKILL)", tgkill(self, nobody, syscall.SIGKILL), syscall.ESRCH},
		{"tgkill(nobody, thread, SIGKILL)", tgkill(nobody, tid, syscall.SIGKILL), syscall.ESRCH},
		{"tgkill(0, thread, 0)", tgkill(0, tid, 0), syscall.EINVAL},
		{"tgkill(self, 0, 0)", tgkill(self, 0, 0), syscall.EINVAL},
		{"tgkill(self, -1, 0)", tgkill(self, -1, 0), syscall.EINVAL},
		{"tkill(thread, 0)", tkill(tid, 0), nil},
		{"tkill(nobody, SIGKILL)", tkill(nobody, syscall.SIGKILL), syscall.ESRCH},
		{"tkill(0, 0)", tkill(0, 0), syscall.EINVAL},
		{"tkill(-1, SIGKILL)", tkill(-1, syscall.SIGKILL), syscall.EINVAL},
	}
	for _, a := range all {
		if a.got != a.want {
			wrong("%s gives %v, not %v", a.call, a.got, a.want)
		}
	}
	return len(all)
}

// alone has the answers of a machine with one process: -1 is all processes but the caller, and groups are the
// caller's.
func alone() {
	if syscall.Getpid() != 1 {
		return
	}
	if err := syscall.Kill(-1, syscall.SIGKILL); err != syscall.ESRCH {
		wrong("kill(-1, SIGKILL) gives %v", err)
	}
	if group := syscall.Getpgrp(); group != 1 {
		wrong("the group is %d", group)
	}
	// They stop a process, but not in a group that no process could continue.
	survive(syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU)
}

// survive sends itself signals in every way there is.
func survive(signals ...syscall.Signal) {
	for _, s := range signals {
		runtime.LockOSThread() // whose number it is
		self, tid := syscall.Getpid(), syscall.Gettid()
		for _, err := range []error{syscall.Kill(self, s), syscall.Kill(0, s), tgkill(self, tid, s), tkill(tid, s)} {
			if err != nil {
				wrong("signal %d: %v", int(s), err)
			}
		}
		runtime.UnlockOSThread()
		time.Sleep(time.Microsecond) // where it would come, on Linux
	}
}

// within returns what comes on c, which must not take long.
func within[T any](what string, c <-chan T) T {
	select {
	case v := <-c:
		return v
	case <-time.After(30 * time.Second):
		wrong("nothing comes: %s", what)
		panic("not reached")
	}
}

// none reports that nothing is on its way to c. A signal sent to another before it would be there by
// now.
func none(what string, c <-chan os.Signal) {
	other := make(chan os.Signal, 1)
	signal.Notify(other, syscall.SIGUSR2)
	syscall.Kill(syscall.Getpid(), syscall.SIGUSR2)
	within("SIGUSR2 to another", other)
	signal.Stop(other)
	if len(c) != 0 {
		wrong("%s: %v", what, <-c)
	}
}

// catch is notified of every signal that can be caught, of one at a time and of all, and returns how many there are.
func catch() (n int) {
	all := make(chan os.Signal, 64)
	signal.Notify(all)
	for s := syscall.Signal(1); s <= 64; s++ {
		switch {
		case s == syscall.SIGKILL || s == syscall.SIGSTOP || s == syscall.SIGPROF || 32 <= s && s <= 34:
			continue // not to be caught, or the runtime's own
		}
		one := make(chan os.Signal, 2)
		signal.Notify(one, s)
		syscall.Kill(syscall.Getpid(), s)
		name := fmt.Sprint("signal ", int(s))
		if got := within(name, one); got != s {
			wrong("%s is told as %v", name, got)
		}
		for got := within(name+" among all", all); got != s; got = within(name+" among all", all) {
			if got != syscall.SIGURG { // on Linux the runtime sends itself those
				wrong("%s is told as %v among all", name, got)
			}
		}
		signal.Stop(one)
		n++
	}
	signal.Stop(all)
	none("a signal after Stop", all)
	return n
}

// stopped tests a signal after os/signal.Stop.
func stopped() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM, syscall.SIGUSR1)
	signal.Ignore(syscall.SIGTERM)
	survive(syscall.SIGTERM)
	none("an ignored signal", c)
	signal.Notify(c, syscall.SIGTERM)
	syscall.Kill(syscall.Getpid(), syscall.SIGTERM)
	within("SIGTERM, no longer ignored", c)
	signal.Reset(syscall.SIGUSR1)
	survive(syscall.SIGUSR1)
	none("a signal after Reset", c)
	// The channel is full: further signals are dropped, and nothing waits.
	survive(syscall.SIGTERM)
	within("SIGTERM to a full channel", c)
	signal.Stop(c)
}

// contexts are ended by a signal.
func contexts() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT)
	defer stop()
	go syscall.Kill(syscall.Getpid(), syscall.SIGINT)
	within("the end of a context", ctx.Done())
	if cause := fmt.Sprint(context.Cause(ctx)); cause != "interrupt signal received" {
		wrong("the context ended by %q", cause)
	}
}

// pipes writes to pipes without a reader: an error, and a signal for programs that asked for it.
func pipes() {
	r, w, err := os.Pipe()
	if err != nil {
		wrong("%v", err)
	}
	r.Close()
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGPIPE)
	for _, asked := range []bool{true, false} {
		if _, err := w.WriteString("x"); !errors.Is(err, syscall.EPIPE) {
			wrong("a pipe without a reader: %v", err)
		}
		if asked {
			within("SIGPIPE", c)
			signal.Stop(c)
		}
	}
	none("SIGPIPE that nobody wants", c)
	w.Close()
}

// unread writes to standard output, which has no reader.
func unread() {
	r, w, err := os.Pipe()
	if err == nil {
		err = syscall.Dup3(int(w.Fd()), 1, 0)
	}
	if err != nil {
		wrong("%v", err)
	}
	r.Close()
	os.Stdout.WriteString("x")
	fmt.Fprintln(os.Stderr, "signals: wrong: alive after SIGPIPE")
}

// storm has many goroutines each send a signal of its own again and again, when the last one was received.
func storm() int {
	const rounds = 100
	var wg sync.WaitGroup
	for s := syscall.Signal(40); s < 56; s++ {
		wg.Go(func() {
			c := make(chan os.Signal, 1)
			for range rounds {
				signal.Notify(c, s)
				syscall.Kill(syscall.Getpid(), s)
				if got := within("the storm", c); got != s {
					wrong("signal %d is told as %v", int(s), got)
				}
				signal.Stop(c)
			}
		})
	}
	wg.Wait()
	return 16 * rounds
}

func wrong(format string, args ...any) {
	fmt.Printf("signals: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// die sends a signal from a goroutine, in a function whose name the trace has.
//
//go:noinline
func die(s syscall.Signal) {
	err := syscall.Kill(syscall.Getpid(), s)
	time.Sleep(time.Second)
	wrong("alive after signal %d: %v", int(s), err)
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "unread" {
		unread()
		return
	}
	if len(os.Args) > 1 {
		n, err := strconv.Atoi(os.Args[1])
		if err != nil {
			wrong("%v", err)
		}
		defer fmt.Println("signals: wrong: a deferred call ran")
		fmt.Printf("signals: dying of %d\n", n)
		go die(syscall.Signal(n))
		select {}
	}
	fmt.Printf("signals: %d answers\n", answers())
	// What Linux ignores by default, and what Go's runtime does.
	survive(syscall.SIGCHLD, syscall.SIGCONT, syscall.SIGURG, syscall.SIGWINCH)
	survive(syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGALRM, syscall.SIGIO, syscall.SIGPWR, syscall.SIGXCPU, 40, 64)
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGTRAP)
	survive(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGTRAP)
	if !signal.Ignored(syscall.SIGTERM) {
		wrong("SIGTERM is not ignored")
	}
	signal.Reset(syscall.SIGTERM)
	alone()
	fmt.Println("signals: alive")
	caught := catch()
	stopped()
	contexts()
	pipes()
	fmt.Printf("signals: %d caught, %d in the storm\n", caught, storm())
	fmt.Println("signals: done")
}

package lab

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"sched9/qemu"
	"sched9/tools/internal/capture"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
	"sched9/trace"
)

// grace is the part of a test's time that is kept for reporting the failure when its run is ended.
const grace = 5 * time.Second

// programs holds a test process's images, by architecture: its tests boot one program
// over and over, and a build takes longer than a boot.
var programs = map[string]*image.Cache{}

func init() {
	for _, arch := range qemu.Architectures() {
		programs[arch] = &image.Cache{Options: image.Options{Arch: arch}}
	}
}

// Boot builds the program in dir, boots it, waits for its end and returns its
// recording. It ends the test if there is no recording: the program
// does not compile, there is no QEMU, an option means nothing. It reports what
// broke a rule of the scheduler. If the test does not ask for another status with
// Run.Exit, the program must end with 0.
//
// If the host is too slow to read all that is recorded, so that nothing can be said of the run, the program is booted again, up to
// three times in all.
//
// The recording of a failed test is kept, and its name logged.
func Boot(t testing.TB, dir string, opts ...Option) *Run {
	t.Helper()
	return boot(t, dir, opts, func(ctx context.Context, g *guest.Guest) error {
		img, err := programs[g.Arch].Get(ctx, dir)
		if err == nil {
			g.Name, g.Image = img.Name, img.Data
		}
		return err
	})
}

// boot is Boot of what prepare builds of dir.
func boot(t testing.TB, dir string, opts []Option, prepare func(context.Context, *guest.Guest) error) *Run {
	t.Helper()
	g := machine(opts)
	if err := g.Check(); err != nil {
		t.Fatalf("lab: %v", err)
	}
	if _, err := qemu.Locate(g.Arch); err != nil {
		t.Fatalf("lab: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	end, limited := deadline(t)
	if limited {
		ctx, cancel = context.WithDeadline(ctx, end)
		defer cancel()
	}
	if limited && !time.Now().Before(end) {
		t.Fatalf("lab: no time is left of the test's own")
	}
	if err := prepare(ctx, &g); err != nil {
		t.Fatalf("lab: %s could not be built: %v", dir, err)
	}
	file := newRecording(t)
	if limited {
		g.Timeout = min(g.Timeout, time.Until(end))
	}
	var r *Run
	var err error
	for n := 1; ; n++ {
		if r, err = file.boot(ctx, g); err != nil {
			t.Fatalf("lab: %s could not be booted and recorded: %v", dir, err)
		}
		why := unjudged(r.View.Trace)
		if why == "" {
			break
		}
		if n == mostBoots {
			t.Fatalf("lab: nothing can be said of %s, though it was booted %d times: %s", dir, n, why)
		}
		t.Logf("lab: %s is booted again: %s", dir, why)
	}
	r.t = t
	t.Cleanup(func() {
		t.Helper()
		if !r.asked {
			r.Exit(0)
		}
	})
	for _, s := range checkRules(r.View.Trace) {
		t.Errorf("a rule of the scheduler is broken: %s", s)
	}
	return r
}

// mostBoots bounds how often a program is booted if the host could not read the whole recording.
const mostBoots = 3

// deadline is when a run must be over for the test's own deadline.
func deadline(t testing.TB) (time.Time, bool) {
	d, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return time.Time{}, false
	}
	end, ok := d.Deadline()
	return end.Add(-grace), ok
}

// boot boots g and records it into the file. The error says why there is no
// recording to assert over.
func (f recording) boot(ctx context.Context, g guest.Guest) (*Run, error) {
	file, err := os.Create(f.name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var out capture.Output
	g.Stdout, g.Stderr = out.Stdout(), out.Stderr()
	g.Record = &bounded{w: file, left: maxRecording, full: cancel}
	o, err := guest.Run(ctx, g)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w%s", context.Cause(ctx), tail(&out))
	}
	if o.Record != nil {
		return nil, fmt.Errorf("%v; the run ended with status %d %s%s", o.Record, o.Status, o.Why, tail(&out))
	}
	if _, err := file.Seek(0, 0); err != nil {
		return nil, err
	}
	tr, err := trace.Read(file)
	if err != nil {
		return nil, err
	}
	return &Run{View: tr.View(), output: &out}, nil
}

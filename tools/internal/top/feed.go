// Package top shows a run while it goes on: on a terminal, or as plain text.
//
// A Feed gathers a run's output: the recording's bytes and the console. It needs nothing else from
// the guest, so the view of a guest that hangs is as true as any other.
package top

import (
	"io"
	"sync"
	"time"

	"sched9/trace"
	"sched9/trace/live"
)

// hold is how long events are held back: see trace.Stream. The rings are
// emptied every two milliseconds; this is room for a host that is busy.
const hold = 20 * time.Millisecond

// settle is how long nothing has to come before all that came is shown.
const settle = 100 * time.Millisecond

// Feed is what is known of a run. Its methods are safe for concurrent use.
type Feed struct {
	now func() time.Time

	mu      sync.Mutex
	stream  *trace.Stream
	model   *live.Model
	wrote   time.Time // when the recording grew
	console console
}

// NewFeed returns a Feed that knows nothing. now is the host's clock.
func NewFeed(now func() time.Time) *Feed {
	f := &Feed{now: now}
	f.stream = trace.NewStream(hold, func(es []trace.Event) { f.model.Events(es, f.wrote) })
	f.model = live.New(f.stream.Trace())
	return f
}

// Record returns the writer for the recording.
func (f *Feed) Record() io.Writer { return writerFunc(f.record) }

// record takes a piece of the recording.
func (f *Feed) record(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wrote = f.now()
	return f.stream.Write(p)
}

// Console returns a writer for one of the guest's outputs. Each has its own, so
// that their lines do not mix.
func (f *Feed) Console() io.Writer {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.console.output()
	return writerFunc(func(p []byte) (int, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		o.write(p)
		return len(p), nil
	})
}

// End returns how the run ended, if the recording has its end.
func (f *Feed) End() (trace.End, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.stream.Trace()
	return t.End, t.Whole
}

// Page samples the run and returns a page of it. Now and Console of o are
// Page's to set; the last back lines of the console are left out.
func (f *Feed) Page(o live.Options, back int) []live.Line {
	f.mu.Lock()
	defer f.mu.Unlock()
	o.Now = f.now()
	if o.Now.Sub(f.wrote) >= settle {
		f.stream.Flush()
	}
	o.Console = f.console.lines(back)
	f.model.Sample(o.Now)
	return f.model.Page(o)
}

// Lines returns how many lines of the console are kept.
func (f *Feed) Lines() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.console.lines(0))
}

// writerFunc is a function as a Writer.
type writerFunc func([]byte) (int, error)

// Write calls f.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

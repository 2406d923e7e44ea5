package guest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"sched9/qemu"
	"sched9/sched"
	"sched9/trace"
)

// drainEvery is how often the rings are emptied. A ring holds up to 262,144 records
// (8 MiB), fewer where the guest has little memory (kernel/record.go): that is what a
// host that comes late may be late by.
const drainEvery = 2 * time.Millisecond

// recording is a run that is being recorded.
type recording struct {
	mem  *qemu.Memory
	out  io.Writer
	meta trace.Meta
	w    *trace.Writer // nil until the guest has a recorder
	stop chan struct{} // closed when the guest has ended
	done sync.WaitGroup
	err  error // read after done
}

// newRecording prepares the recording of g.
func newRecording(g Guest) (*recording, error) {
	mem, err := qemu.NewMemory(g.Mem)
	if err != nil {
		return nil, err
	}
	return &recording{
		mem:  mem,
		out:  g.Record,
		meta: trace.Meta{Program: g.Name, Arch: g.Arch, Machine: g.machine(), SMP: g.SMP, ICount: g.ICount, Slice: cmp.Or(int64(g.Slice), sched.Slice)},
		stop: make(chan struct{}),
	}, nil
}

// end ends the recording of a guest that runs no more.
func (r *recording) end(e trace.End) error {
	close(r.stop)
	r.done.Wait()
	if r.w == nil {
		return errors.Join(r.err, errors.New("the guest did not say where its recorder is"))
	}
	return errors.Join(r.err, r.w.Close(e))
}

// report returns a writer of the guest's report that passes all on to w, and
// begins to read the rings when the guest says where they are.
func (r *recording) report(w io.Writer) io.Writer {
	var line []byte
	begun := false
	return writerFunc(func(p []byte) (int, error) {
		if !begun {
			line = append(line, p...)
			for {
				text, rest, whole := bytes.Cut(line, []byte("\n"))
				if !whole {
					break
				}
				line = rest
				if s, ok := strings.CutPrefix(string(text), "trace "); ok && !begun {
					begun = true
					r.begin(s)
				}
			}
		}
		return w.Write(p)
	})
}

// begin reads the rings from now on.
func (r *recording) begin(where string) {
	addr, err := strconv.ParseUint(where, 10, 64)
	if err != nil {
		r.err = fmt.Errorf("the guest's recorder is at %q", where)
		return
	}
	c, err := trace.Attach(r.mem.Bytes(), qemu.MemoryBase(r.meta.Machine), addr)
	if err != nil {
		r.err = err
		return
	}
	r.meta.Base, r.meta.Mult = c.Scale()
	r.w = trace.NewWriter(r.out, r.meta)
	r.done.Go(func() { r.err = r.drain(c) })
}

// drain empties the rings until the guest has ended. It sleeps in the kernel, on a
// thread of its own that goes before others where that is allowed, so that a
// busy host does not make it come too late.
func (r *recording) drain(c *trace.Collector) error {
	runtime.LockOSThread() // and never unlocked: the thread ends with us
	hurry()
	var legend chan []byte // as early as can be: live views want names
	named := false         // it is written
	defer func() {
		if legend != nil && !named {
			<-legend // it reads the guest's memory, which goes when we have returned
		}
	}()
	for {
		select {
		default:
			nap(drainEvery)
			if err := c.Drain(false, r.w.Records); err != nil {
				return err
			}
			if legend == nil && c.Ready() {
				// It takes longer than a ring may wait.
				legend = make(chan []byte, 1)
				go func() { legend <- c.Legend().Pack() }()
			}
			select {
			case l := <-legend:
				r.w.Packed(l)
				named = true
			default:
			}
			if err := r.w.Flush(); err != nil {
				return err
			}
		case <-r.stop:
			err := c.Drain(true, r.w.Records)
			switch {
			case named:
			case legend != nil:
				r.w.Packed(<-legend)
				named = true
			default:
				r.w.Legend(c.Legend())
			}
			return errors.Join(err, r.w.Flush())
		}
	}
}

// writerFunc is a function as a Writer.
type writerFunc func([]byte) (int, error)

// Write calls f.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

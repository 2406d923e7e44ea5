package sched

import "sched9/sched/atomic"

// device is a device for which tasks wait in the poller [N1]: it ends a request at a time of its
// own, and interrupts a CPU. From then on PollReady reports it, until an M polls.
type device struct {
	mu       mutex
	requests []request
	ended    []*task      // the interrupt has come; not polled yet
	first    atomic.Int64 // when the first request ends, 0: none
	told     atomic.Int32 // length of ended
	waiters  atomic.Int32 // tasks that wait for the device
}

type request struct {
	when int64
	cpu  *cpu // is interrupted
	t    *task
}

// update sets first. d.mu held.
func (d *device) update() {
	first := int64(0)
	for _, r := range d.requests {
		first = earlier(first, r.when)
	}
	d.first.Store(first)
}

// beat is the device's rhythm: it ends what is ready all at once.
const beat = 2_000_000

// await makes t wait for the device, for d nanoseconds or a little longer. The interrupt goes to
// CPU 0, or seldom to c.
func (c *cpu) await(t *task, d int64) verdict {
	dev := &c.mdl.dev
	to := c
	if t.random(4) != 0 {
		to = c.mdl.cpus[0]
	}
	when := (c.mdl.Now()+d)/beat*beat + beat
	dev.waiters.Add(1)
	c.block(t)
	dev.mu.Lock()
	dev.requests = append(dev.requests, request{when, to, t})
	dev.update()
	dev.mu.Unlock()
	return gone
}

// due reports whether the device interrupts c.
func (d *device) due(c *cpu, now int64) bool {
	if first := d.first.Load(); first == 0 || first > now {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.requests {
		if r.cpu == c && r.when <= now {
			return true
		}
	}
	return false
}

// tell is the device's handler on c, up to the word to the scheduler, which is the
// caller's: it reports whether there is one to give.
func (d *device) tell(c *cpu, now int64) (some bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := d.requests[:0]
	for _, r := range d.requests {
		if r.cpu == c && r.when <= now {
			d.ended = append(d.ended, r.t)
			d.told.Add(1)
			some = true
		} else {
			left = append(left, r)
		}
	}
	d.requests = left
	d.update()
	return some
}

// batch is how many tasks one Poll finds at most.
const batch = 4

func (mdl *model) PollReady() bool { return mdl.dev.told.Load() != 0 }

func (mdl *model) Poll(m *M) (n int) {
	mdl.host.point("poll")
	d := &mdl.dev
	d.mu.Lock()
	ts := d.ended[:min(batch, len(d.ended))]
	d.ended = append([]*task(nil), d.ended[len(ts):]...)
	d.told.Add(-int32(len(ts)))
	d.mu.Unlock()
	for _, t := range ts {
		t.become(mdl, waiting, runnable)
		mdl.s.RunqPut(m, &t.G, false)
		n++
	}
	d.waiters.Add(-int32(n))
	return n
}

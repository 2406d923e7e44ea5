package sched

import (
	"sched9/record"
	"sched9/sched/atomic"
)

// The model's Machine.

func (mdl *model) CPUs() int { return mdl.ncpu }

func (mdl *model) StartM(m *M, p *P) {
	c := mdl.cpus[m.ID]
	c.first = p
	mdl.host.point("start")
	mdl.host.start(c)
}

func (mdl *model) HaltUntil(m *M, word *atomic.Uint32, deadline int64) {
	mdl.host.halt(mdl.cpus[m.ID], word, deadline)
}

func (mdl *model) Kick(m *M) {
	mdl.host.point("kick")
	mdl.host.kick(mdl.cpus[m.ID])
}

func (mdl *model) TickAt(m *M, when int64) {
	if mdl.onTickAt != nil {
		mdl.onTickAt(when)
	}
	c := mdl.cpus[m.ID]
	on := !c.irq
	c.irq = true // interrupts are off
	if at := c.tickAt.Load(); at == 0 || when < at {
		c.tickAt.Store(when)
	}
	c.irq = !on
}

func (mdl *model) TickOff(m *M) (when int64) {
	c := mdl.cpus[m.ID]
	when = c.tickAt.Load()
	c.tickAt.Store(0)
	return when
}

func (mdl *model) OSYield() {
	if mdl.onOSYield != nil {
		mdl.onOSYield()
	}
	mdl.host.point("osyield")
}

func (mdl *model) BusyWait(ns int64) {
	if mdl.onPause != nil {
		mdl.onPause(ns)
	}
	mdl.host.point("pause")
}

func (mdl *model) Now() int64 { return mdl.clock.Load() }

// Recorder returns a recorder that is off, unless a test has set it up.
func (mdl *model) Recorder(id int32) *record.Recorder { return &mdl.recs[id] }

// interrupts makes c take its pending interrupts: of devices, and of its timer. On c itself; no
// other strikes during that.
func (c *cpu) interrupts() {
	if c.irq {
		return
	}
	mdl := c.mdl
	c.irq = true
	if mdl.dev.due(c, mdl.Now()) && mdl.dev.tell(c, mdl.Now()) {
		c.m.Rec.Record(record.EvFault, 0, 0, 0) // no event of its own: a device's interrupt
		mdl.s.KickSleeper(c.m)
	}
	if at := c.tickAt.Load(); at != 0 && at <= mdl.Now() {
		c.tick()
	}
	c.irq = false
}

// interrupted reports whether c has interrupts to take.
func (c *cpu) interrupted() bool {
	now := c.mdl.Now()
	at := c.tickAt.Load()
	return at != 0 && at <= now || c.mdl.dev.due(c, now)
}

// tick is the timer's interrupt.
func (c *cpu) tick() {
	mdl := c.mdl
	t := c.cur.Load()
	g, call := uint64(0), false
	if t != nil {
		g, call = uint64(t.id)+1, t.status.Load()&^scan == syscall
	}
	now := mdl.Now()
	leave, next := mdl.s.Tick(c.m, now, call, g, 0)
	if next != 0 && (next <= now || next > mdl.Now()+max(Slice, mdl.s.Slice())) {
		mdl.note("a tick wants the next one in the past, or after more than a slice")
	}
	if leave && t == nil {
		mdl.note("a tick asks nobody to leave")
	} else if leave && (call || t.status.Load() == running) {
		t.preempt.Store(true) // in a call: when it is back (exitsyscall)
		if c.safe && !call {
			next = mdl.s.Left(c.m, next)
			c.left = true
		}
	}
	c.tickAt.Store(next)
}

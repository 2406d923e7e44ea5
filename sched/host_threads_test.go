package sched

import (
	"bytes"
	"fmt"
	"runtime"
	"sched9/sched/atomic"
	"strconv"
	"sync"
	"testing"
)

// threads is a host whose Ms are goroutines, which run at the same time: it is
// what shows data races, and what the ring's atomics are for.
type threads struct {
	mdl  *model
	sl   sync.Mutex // the scheduler lock
	held atomic.Bool
	ms   sync.Map // *cpu by the id of its goroutine
	wg   sync.WaitGroup

	// mu guards the seats and what follows. An M that wants to leave a halt
	// or a spin needs it: when all Ms are found there, they stay.
	mu    sync.Mutex
	seats []*cpu
	over  bool
	// first is the earliest deadline of a halted M, 0: none; read by every
	// step of a task without mu.
	first atomic.Int64
}

func (th *threads) lock() {
	th.sl.Lock()
	if th.held.Swap(true) {
		panic("scheduler lock taken twice")
	}
}

func (th *threads) unlock() {
	if !th.held.Swap(false) {
		panic("scheduler lock not held")
	}
	th.sl.Unlock()
}

// self is asked for where sched passes no M: seldom, because it is dear.
func (th *threads) self() *cpu {
	c, _ := th.ms.Load(goid())
	return c.(*cpu)
}

// goid returns the number of the calling goroutine, which stands in the first
// line of its stack.
func goid() int {
	var buf [64]byte
	f := bytes.Fields(buf[:runtime.Stack(buf[:], false)])
	id, err := strconv.Atoi(string(f[1]))
	if err != nil {
		panic(err)
	}
	return id
}

// point wakes sleepers whose time has come, and gives the host's scheduler a reason to mix the Ms
// on few processors.
func (th *threads) point(what string) {
	if first := earlier(th.first.Load(), th.mdl.dev.first.Load()); first != 0 && first <= th.mdl.Now() {
		th.mu.Lock()
		th.poke(func(c *cpu) bool { return !th.asleep(c) })
		th.mu.Unlock()
	}
	if what == "step" && th.mdl.failure() != "" {
		panic(quit{})
	}
	switch what {
	case "step", "lock", "unlock", "acquire", "release", "idle", "busy":
	default:
		runtime.Gosched()
	}
}

// poke signals the halted Ms for which is true. mu held.
func (th *threads) poke(is func(*cpu) bool) {
	for _, c := range th.seats {
		if c.at == "halt" && is(c) {
			c.woken = true
			select {
			case c.kicked <- struct{}{}:
			default:
			}
		}
	}
}

func (th *threads) kick(c *cpu) {
	th.mu.Lock()
	th.poke(func(o *cpu) bool { return o == c })
	th.mu.Unlock()
}

// asleep reports whether c halts and has no reason to go on. mu held.
func (th *threads) asleep(c *cpu) bool {
	return c.at == "halt" && !c.woken && !th.awake(c) && !th.mdl.dev.due(c, th.mdl.Now())
}

// awake reports whether c's halt is over. mu held.
func (th *threads) awake(c *cpu) bool {
	return c.word.Load() != 0 || c.deadline != 0 && c.deadline <= th.mdl.Now()
}

func (th *threads) halt(c *cpu, word *atomic.Uint32, deadline int64) {
	th.mu.Lock()
	defer th.mu.Unlock()
	c.at, c.word, c.deadline = "halt", word, deadline
	for {
		c.woken = false
		th.update()
		if th.over || th.mdl.failure() != "" {
			th.end()
			panic(quit{})
		}
		if !th.asleep(c) {
			if th.awake(c) {
				break
			}
			c.at = ""
			th.mu.Unlock()
			c.interrupts()
			th.mu.Lock()
			c.at = "halt"
			continue
		}
		if th.still() == len(th.seats) && th.rest() {
			continue
		}
		th.lost()
		th.mu.Unlock()
		<-c.kicked
		th.mu.Lock()
	}
	c.at, c.word, c.deadline = "", nil, 0
	th.update()
}

// update sets first. mu held.
func (th *threads) update() {
	first := int64(0)
	for _, o := range th.seats {
		if o.at == "halt" {
			first = earlier(first, o.deadline)
		}
	}
	th.first.Store(first)
}

// lost looks for an M that halts with a token and without a kick while no M is left to kick it. mu
// held.
func (th *threads) lost() {
	var who *cpu
	for _, c := range th.seats {
		switch {
		case c.at == "end":
		case c.at != "halt" || c.woken:
			return
		case c.word.Load() != 0:
			who = c
		}
	}
	if who != nil {
		th.mdl.note(fmt.Sprintf("M9: M %d has a token and was not kicked\n%s", who.m.ID, th.mdl.dump()))
		th.end()
	}
}

// still counts the Ms that sleep, spin for good, or are none any more. mu held.
func (th *threads) still() (n int) {
	for _, c := range th.seats {
		if c.at == "spin" && !c.released() && !c.interrupted() || c.at == "end" || th.asleep(c) {
			n++
		}
	}
	return n
}

// rest is called when all Ms sleep or spin. If all sleep it moves the clock, or
// ends the run, and reports true. mu held.
func (th *threads) rest() bool {
	for _, c := range th.seats {
		if c.at == "spin" {
			return false // it will look
		}
	}
	if msg := th.mdl.unfair(); msg != "" {
		th.mdl.note(msg + "\n" + th.mdl.dump())
		return true
	}
	if some, _ := th.jump(); some {
		return true
	}
	if th.mdl.live.Load() != th.mdl.doomed.Load() {
		th.mdl.note("all Ms sleep and tasks are left\n" + th.mdl.dump())
	}
	th.over = true
	return true
}

// jump moves the clock to the next interrupt or deadline, if there is one; or to one that is due
// already and about to be taken. All Ms sleep or spin. One that has ended may have a tick that it
// will never take: the clock must not wait for that. mu held.
func (th *threads) jump() (some, moved bool) {
	th.update()
	next := earlier(th.first.Load(), th.mdl.dev.first.Load())
	for _, c := range th.seats {
		if c.at != "end" {
			next = earlier(next, c.tickAt.Load())
		}
	}
	if next == 0 {
		return false, false
	}
	for at := th.mdl.Now(); at < next && !moved; at = th.mdl.Now() {
		moved = th.mdl.clock.CompareAndSwap(at, next)
	}
	th.poke(func(c *cpu) bool { return !th.asleep(c) })
	return true, moved
}

// end makes all sleeping Ms look. mu held.
func (th *threads) end() {
	th.over = true
	th.poke(func(*cpu) bool { return true })
}

func (th *threads) spin(c *cpu, t *task, call bool, done func() bool) bool {
	set := func(at string) {
		th.mu.Lock()
		c.at, c.spins, c.inCall, c.done = at, t, call, done
		th.mu.Unlock()
	}
	set("spin")
	defer set("")
	quiet, beat := 0, int64(-1)
	for n := 1; !done() && (call || !t.preempt.Load()); n++ {
		if c.interrupted() {
			set("")
			c.interrupts()
			set("spin")
			continue
		}
		runtime.Gosched()
		if n%8 != 0 {
			continue
		}
		th.mu.Lock()
		if th.over || th.mdl.failure() != "" {
			th.mu.Unlock()
			panic(quit{})
		}
		enough := false
		if th.still() == len(th.seats) && !done() {
			if b := th.mdl.beats.Load(); b != beat {
				quiet, beat = 0, b
			}
			if enough = quiet > patience && th.judge(); !enough { // while all stand still
				some, moved := th.jump()
				if moved {
					quiet++
				}
				enough = !some
			}
		}
		th.mu.Unlock()
		if enough {
			break
		}
	}
	return done()
}

// judge is called when nothing has happened for long: it reports whether an M should have acted. mu
// held.
func (th *threads) judge() bool {
	computes := false
	for _, c := range th.seats {
		computes = computes || c.at == "spin" && !c.inCall
	}
	if msg := th.mdl.starved(computes); msg != "" {
		th.mdl.note(msg + "\n" + th.mdl.dump())
		th.end()
	}
	return true
}

func (th *threads) start(c *cpu) {
	c.kicked = make(chan struct{}, 1)
	th.mu.Lock()
	th.seats = append(th.seats, c)
	th.mu.Unlock()
	th.wg.Add(1)
	th.run(c)
}

// run runs c on a goroutine.
func (th *threads) run(c *cpu) {
	go func() {
		th.ms.Store(goid(), c)
		c.depth = 0
		defer func() {
			th.ms.Delete(goid())
			if c.depth > maxDepth {
				th.run(c)
				return
			}
			th.mu.Lock()
			c.at = "end"
			th.poke(func(*cpu) bool { return true }) // all may be still by now
			th.mu.Unlock()
			th.wg.Done()
		}()
		c.run()
		if th.mdl.failure() != "" {
			th.mu.Lock()
			th.end()
			th.mu.Unlock()
		}
	}()
}

// maxDepth is how many tasks an M runs before it gets a fresh stack: enough to
// be cheap, few enough for the traces of a data race to be read.
const maxDepth = 6

func (th *threads) execute(c *cpu, t *task, inherit bool) {
	c.execute(t)
	if c.depth >= maxDepth {
		c.depth++
		runtime.Goexit()
	}
}

// newThreads makes a model whose Ms are goroutines.
func newThreads(ncpu int, procs int32, seed uint32) (*model, *threads) {
	mdl := newModel(ncpu, procs)
	th := &threads{mdl: mdl}
	mdl.host = th
	mdl.seed.Store(seed)
	return mdl, th
}

// play runs the tasks that were put on M 0's P to the end.
func (th *threads) play(t *testing.T) {
	t.Helper()
	th.start(th.mdl.cpus[0])
	th.wg.Wait()
	th.mdl.checkEnd(t)
}

package perfetto

import (
	"strconv"

	"sched9/sched"
	"sched9/trace"
)

// arrows writes an arrow from each place where a goroutine was made ready to its
// next run. Both ends are on the Ms' tracks: an M does something always, while a
// P may have nobody when a timer or an interrupt wakes a goroutine.
//
// A viewer binds an arrow's end to the slice that its moment lies in; "e" says
// so for the second end, which else would go to the slice after.
func (p *picture) arrows() {
	for i, w := range p.Wakes {
		if w.Run < 0 || w.Run >= len(p.Runs) {
			continue
		}
		r := &p.Runs[w.Run]
		from, ok := inside(p.ms[w.M], w.At)
		to, ran := inside(p.ms[r.M], r.Start)
		if !ok || !ran || from > to {
			continue
		}
		name := "wake"
		if w.New {
			name = "go"
		}
		end := func(ph byte, m int, at int64) {
			p.begin(ph, onM(m), name)
			p.word("cat", "wake")
			p.num("id", int64(i+1))
			p.time("ts", at)
		}
		end('s', w.M, from)
		p.end()
		end('f', r.M, to)
		p.word("bp", "e")
		p.end()
	}
}

// counters writes the lengths of queues, and how many goroutines run and are
// ready to.
func (p *picture) counters() {
	for _, q := range p.Queues {
		name := "global queue"
		if q.P >= 0 {
			name = "P" + strconv.Itoa(q.P) + " queue"
		}
		p.begin('C', track{groupPs, 0}, name)
		p.word("cat", "queue")
		p.time("ts", q.At)
		p.arg()
		p.num("Gs", int64(max(0, q.Len)))
		p.end()
	}
	ready, running := map[uint64]bool{}, map[uint64]bool{}
	calls := map[int16]uint64{} // by M, the goroutine that is in a system call there
	back := map[int16]uint64{}  // or came back from one and has no P yet
	loses := func(m int16) {
		if g := calls[m]; g != 0 {
			delete(running, g) // until it is back and has a P
		}
	}
	for _, e := range p.Trace.Events {
		a, b := len(ready), len(running)
		switch e.Kind {
		case sched.EvSyscallEnter:
			calls[e.M] = e.G
		case sched.EvRetake:
			loses(int16(e.From()))
		case sched.EvRelease:
			loses(e.M)
		case sched.EvSyscallExit:
			if delete(calls, e.M); !running[e.G] {
				ready[e.G], back[e.M] = true, e.G
			}
		case sched.EvAcquire:
			if g := back[e.M]; g != 0 {
				delete(ready, g)
				running[g] = true
				delete(back, e.M)
			}
		case sched.EvCreate:
			if e.Arg&sched.CreateParked == 0 {
				ready[e.G] = true
			}
		case sched.EvUnblock:
			ready[e.G] = true
		case sched.EvStart:
			delete(ready, e.G)
			running[e.G] = true
		case sched.EvYield, sched.EvPreempt:
			delete(running, e.G)
			delete(back, e.M)
			ready[e.G] = true
		case sched.EvBlock, sched.EvExit:
			delete(running, e.G)
		}
		if len(ready) != a || len(running) != b {
			p.begin('C', track{groupPs, 0}, "all Gs")
			p.word("cat", "queue")
			p.time("ts", e.Time)
			p.arg()
			p.num("runnable", int64(len(ready)))
			p.num("running", int64(len(running)))
			p.end()
		}
	}
}

// ipis are what an interrupt from another CPU is for, in words.
var ipis = [...]string{sched.IPIKick: "kick", sched.IPIPreempt: "preempt", sched.IPIFlush: "flush", sched.IPINMI: "NMI"}

// ipi is the word for what an event's interrupt is for.
func ipi(e trace.Event) string {
	if e.Aux > 0 && e.Aux < uint64(len(ipis)) {
		return ipis[e.Aux]
	}
	return "unknown"
}

// instants writes what has a moment but no length: preemptions, steals, Ps that are
// taken from system calls, goroutines that are passed to their Ms, Ms that end, and
// interrupts from one CPU to another.
func (p *picture) instants() {
	mark := func(on track, e trace.Event, name string) {
		p.begin('i', on, name)
		p.time("ts", e.Time)
		p.word("s", "t")
		p.arg()
		if e.G != 0 {
			p.num("goroutine", int64(e.G))
		}
	}
	for _, e := range p.Trace.Events {
		on := onM(int(e.M))
		if e.P >= 0 {
			on = onP(int(e.P))
		}
		switch e.Kind {
		case sched.EvPreempt:
			mark(on, e, "preempted: "+p.name(e.G))
			if top := p.top(e.Stack); top != "" {
				p.word("stack", top)
			}
			p.end()
		case sched.EvSteal:
			mark(on, e, "steal")
			p.num("from_P", int64(e.Victim()))
			p.num("Gs", int64(e.Count()))
			p.end()
		case sched.EvRetake:
			mark(on, e, "P taken from a system call")
			p.num("P", int64(e.Arg&0xff))
			p.num("from_M", int64(e.From()))
			p.end()
		case sched.EvPass:
			mark(on, e, "passed to its M: "+p.name(e.G))
			p.num("to_M", int64(e.Arg))
			p.end()
		case sched.EvExitM:
			mark(onM(int(e.M)), e, "M ends")
			p.end()
		case sched.EvSendIPI:
			mark(onM(int(e.M)), e, "IPI sent: "+ipi(e))
			p.num("to_M", int64(e.Arg))
			p.end()
		case sched.EvTakeIPI:
			mark(onM(int(e.M)), e, "IPI taken: "+ipi(e))
			p.end()
		}
	}
}

// world writes the stops of the world, with the time in which it stood still
// inside each, and the collector's phases.
func (p *picture) world() {
	span := func(on track, name string, start, end int64) {
		p.begin('X', on, name)
		p.time("ts", start)
		p.time("dur", max(0, end-start))
	}
	for i, s := range p.Stops {
		end := s.End
		if i+1 < len(p.Stops) {
			end = min(end, p.Stops[i+1].Start)
		}
		span(onStops, s.Reason, s.Start, end)
		if s.By != 0 {
			p.arg()
			p.word("by", p.name(s.By))
		}
		p.end()
		if s.Held >= s.Start && s.Held <= end {
			span(onStops, "stands still", s.Held, end)
			p.end()
		}
	}
	for i, s := range p.Phases {
		end := s.End
		if i+1 < len(p.Phases) {
			end = min(end, p.Phases[i+1].Start)
		}
		if s.Name != "off" {
			span(onPhases, s.Name, s.Start, end)
			p.end()
		}
	}
}

//go:build sched9 && race

package runtime

import (
	"internal/abi"
	"internal/bytealg"
	"internal/strconv"
	nrace "sched9/kernel/race"
)

// Reports of races, on standard error and in the form of Go's own, and what the variable GORACE says of them.

// sched9RaceOptions are those of GORACE that mean something here, as in "halt_on_error=1 exitcode=3".
type sched9RaceOptions struct {
	read     bool
	exitcode int32 // status at the end of a run with a race (default 66)
	halt     bool  // halt_on_error: end at the first
	again    bool  // suppress_equal_stacks=0: report a race again that has the stacks of an earlier one
}

// sched9RaceSet is what GORACE says. Guarded by printlock.
var sched9RaceSet = sched9RaceOptions{exitcode: 66}

// sched9RaceGet reads GORACE, once. Options that it does not know are Go's, and have no meaning here.
func sched9RaceGet() *sched9RaceOptions {
	o := &sched9RaceSet
	if o.read {
		return o
	}
	o.read = true
	for rest := gogetenv("GORACE"); rest != ""; {
		field := rest
		if i := bytealg.IndexByteString(rest, ' '); i >= 0 {
			field, rest = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		i := bytealg.IndexByteString(field, '=')
		if i < 0 {
			continue
		}
		name := field[:i]
		if name != "exitcode" && name != "halt_on_error" && name != "suppress_equal_stacks" {
			continue
		}
		n, err := strconv.Atoi(field[i+1:])
		if err != nil || n < 0 || n > 255 {
			print("sched9: GORACE: ", field, ": want a number from 0 to 255\n")
			exit(2)
		}
		switch name {
		case "exitcode":
			o.exitcode = int32(n)
		case "halt_on_error":
			o.halt = n != 0
		default:
			o.again = n == 0
		}
	}
	return o
}

// sched9RaceReport reports a race. On the system stack, without the detector's lock.
func sched9RaceReport(r *nrace.Race) {
	printlock() // a report is in one piece
	o := sched9RaceGet()
	on := sched9RaceLock.Lock()
	told := !sched9Race.Once(r.Stack, r.Old) && !o.again
	if !told {
		sched9Race.Races++
	}
	sched9RaceLock.Unlock(on)
	if told {
		printunlock()
		return
	}
	print("==================\nWARNING: DATA RACE\n")
	sched9RaceSide(r.Addr, "Read", "Write", r.Kind, r.Now, r.Stack)
	print("\n")
	sched9RaceSide(r.Addr, "Previous read", "Previous write", r.Prev, r.Then, r.Old)
	sched9RaceMaker(r.Now)
	sched9RaceMaker(r.Then)
	print("==================\n")
	if o.halt {
		exit(o.exitcode)
	}
	printunlock()
}

// sched9RaceSide prints one of the two accesses.
func sched9RaceSide(addr uintptr, read, write string, kind nrace.Kind, who nrace.Info, stack nrace.Stack) {
	if kind&nrace.Write != 0 {
		print(write)
	} else {
		print(read)
	}
	print(" at ")
	sched9RaceAddress(addr)
	switch who.ID {
	case 0:
		print(" by a goroutine that has ended:\n")
	case 1:
		print(" by main goroutine:\n")
	default:
		print(" by goroutine ", who.ID, ":\n")
	}
	sched9RaceStack(stack)
}

// sched9RaceMaker prints where a goroutine was started.
func sched9RaceMaker(who nrace.Info) {
	if who.ID <= 1 || who.Created == 0 {
		return
	}
	state := "running"
	if who.Ended {
		state = "finished"
	}
	print("\nGoroutine ", who.ID, " (", state, ") created at:\n")
	sched9RaceStack(who.Created)
}

// sched9RaceAddress prints an address with 12 digits at least.
func sched9RaceAddress(addr uintptr) {
	print("0x")
	for shift := 44; shift >= 4 && addr>>shift == 0; shift -= 4 {
		print("0")
	}
	var digits [16]byte
	n := len(digits)
	for ; addr != 0 || n == len(digits); addr >>= 4 {
		n--
		digits[n] = "0123456789abcdef"[addr&15]
	}
	gwrite(digits[n:])
}

// sched9RaceStack prints a stack: each function with its line, those that were inlined too. The detector's own functions, and the
// runtime's around each goroutine, are left out.
func sched9RaceStack(s nrace.Stack) {
	callers := sched9Race.Callers(s)
	if len(callers) == 0 {
		print("  [failed to restore the stack]\n")
	}
	inner := true
	for _, c := range callers {
		pc := uintptr(c) - 1 // within the call
		f := findfunc(pc)
		if !f.valid() {
			print("  ?()\n      -:0 +", hex(pc), "\n")
			continue
		}
		if f.funcID == abi.FuncID_goexit || f.funcID == abi.FuncID_runtime_main {
			break
		}
		for u, at := newInlineUnwinder(f, pc); at.valid(); at = u.next(at) {
			fn := u.srcFunc(at)
			name := fn.name()
			if fn.funcID == abi.FuncIDWrapper && u.isInlined(at) || inner && sched9RaceOwn(name) {
				continue
			}
			inner = false
			file, line := u.fileLine(at)
			print("  ", name, "()\n      ", file, ":", line, " +", hex(pc-f.entry()), "\n")
		}
	}
}

// sched9RaceOwn reports whether a function is one by which accesses are told to the detector, or the one that a go statement calls.
func sched9RaceOwn(name string) bool {
	for _, p := range [...]string{"runtime.race", "runtime.Race", "internal/race.", "runtime.newproc"} {
		if len(name) >= len(p) && name[:len(p)] == p {
			return true
		}
	}
	return false
}

// racefini is called at an end with status 0, on a goroutine's stack. It does not return.
func racefini() {
	systemstack(func() {
		printlock()
		if n := sched9Race.Races; n > 0 {
			print("Found ", n, " data race(s)\n")
			exit(sched9RaceGet().exitcode)
		}
		exit(0)
	})
}

//go:build explore

package ready

import (
	"fmt"
	"testing"
	"unsafe"

	"sched9/sched/atomic"
	"sched9/sched/interleave/threads"
)

// world is the way of a served call that waits, and of its answer: a goroutine of the program asks, finds nothing, and parks until the poller says that its file can
// be read (package os). The server is a goroutine that drives a device and sleeps by a note until the device's interrupt wakes it, or one that has the answer itself. It puts the
// answer into the file and marks it (srv/call.Ready). The table and the bell are those of an image. What is around them is written a second time here: the
// note (zsched9_note.go), Waiter.wait and trap (zsched9_net.go), Poll (kernel/poll.go).
type world struct {
	table Table
	lock  threads.Lock
	bell  Bell
	pages [2][Page / 8]uint64 // of the table's

	note   atomic.Uint32 // the key: quiet, woken or waits
	listed atomic.Uint32 // the note's goroutine is to be made ready by the poller
	runs   atomic.Uint32 // and it was

	irq      atomic.Uint32
	answered atomic.Uint32 // by the device, of all files
	order    [8]int        // whose

	numbers []int            // files' places in the table
	asked   [3]atomic.Uint32 // requests, by file
	done    [3]uint32        // of them, by who answers
	have    [3]atomic.Uint32 // answers that were not read
	told    [3]atomic.Uint32 // by the poller
}

// Values of the note's key.
const (
	quiet = iota
	woken
	waits
)

// Word is a word's place in the world.
func (w *world) Word(addr unsafe.Pointer) int { return int(uintptr(addr) - uintptr(unsafe.Pointer(w))) }

// Name names a word, for tables.
func (w *world) Name(word int) string { return fmt.Sprintf("+%#x", word) }

// String is the state.
func (w *world) String() string {
	return fmt.Sprintf("note %d, rung %d, pending %v", w.note.Peek(), w.bell.rung.Peek(), w.pending())
}

// End has nothing to add: an answer that is lost leaves a caller that waits.
func (w *world) End() string { return "" }

// newWorld makes a world with files of those numbers, and a thread that polls.
func newWorld(k *threads.Walk, numbers ...int) *world {
	w := &world{numbers: numbers}
	w.lock.Bit = 1
	pages := 0
	for i, n := range numbers {
		w.table.Room(n, func() uintptr {
			pages++
			return uintptr(unsafe.Pointer(&w.pages[pages-1]))
		})
		w.table.Open(n, uintptr(i), true, false)
	}
	k.Spawn("poller", true, w.poller)
	return w
}

// pending is Pending, as no step of a thread.
func (w *world) pending() (is bool) {
	threads.Unseen(func() { is = w.table.Pending() })
	return is
}

// poller is an M that polls whenever it may find something: the scheduler's own tests prove that one does.
func (w *world) poller() {
	for {
		threads.Wait(w.pending)
		var events [Batch]Event
		w.lock.Lock()
		n := w.table.Collect(&events)
		w.lock.Unlock()
		for _, e := range events[:n] {
			w.told[e.Data].Store(1)
		}
		if w.listed.Swap(0) != 0 {
			w.runs.Store(1)
		}
	}
}

// call asks once and reads the answer, as package os reads: forget, try, wait, try again.
func (w *world) call(file int) {
	w.told[file].Store(0)
	w.asked[file].Add(1)
	for w.have[file].Load() == 0 {
		threads.Wait(func() bool { return w.told[file].Peek() != 0 })
		w.told[file].Swap(0)
	}
	w.have[file].Add(^uint32(0))
}

// answer gives a file its answer.
func (w *world) answer(file int) {
	w.have[file].Add(1)
	w.table.Mark(w.numbers[file])
}

// wants reports whether a request of the file is not answered.
func (w *world) wants(file int) bool { return w.asked[file].Peek() != w.done[file] }

// serve spawns a server for each file, which has the answers itself.
func (w *world) serve(k *threads.Walk) {
	for file := range w.numbers {
		k.Spawn(fmt.Sprint("server", file), true, func() {
			for {
				threads.Wait(func() bool { return w.wants(file) })
				w.done[file]++
				w.answer(file)
			}
		})
	}
}

// drive spawns a device, its interrupt, and the server that drives it.
func (w *world) drive(k *threads.Walk) {
	k.Spawn("device", true, func() {
		for {
			file := 0
			threads.Wait(func() bool {
				for file = range w.numbers {
					if w.wants(file) {
						return true
					}
				}
				return false
			})
			w.done[file]++
			w.order[w.answered.Load()] = file
			w.answered.Add(1)
			w.irq.Store(1)
		}
	})
	k.Spawn("irq", true, func() {
		for {
			threads.Wait(func() bool { return w.irq.Peek() != 0 })
			w.irq.Store(0)
			w.trap()
		}
	})
	k.Spawn("driver", true, func() {
		for taken := uint32(0); ; {
			w.wait()
			for ; taken != w.answered.Load(); taken++ {
				w.answer(w.order[taken])
			}
		}
	})
}

// wait waits for an interrupt.
func (w *world) wait() {
	if w.note.CompareAndSwap(quiet, waits) {
		threads.Wait(func() bool { return w.runs.Peek() != 0 })
		w.runs.Store(0)
	}
	w.note.Store(quiet)
	w.bell.Heard()
}

// trap is the interrupt.
func (w *world) trap() {
	if !w.bell.Ring() {
		return
	}
	switch w.note.Swap(woken) {
	case woken:
		panic("a note is woken twice")
	case waits:
		w.listed.Store(1)
		w.table.Tell()
	}
}

// TestExplored tries all interleavings of the programs with at most so many preemptions.
func TestExplored(t *testing.T) {
	for _, p := range []struct {
		name    string
		bound   int
		device  bool
		calls   int // of each file's caller
		numbers []int
	}{
		{"server", 3, false, 2, []int{0}},
		{"servers", 2, false, 1, []int{0, 1}},       // marks in one word
		{"words", 1, false, 1, []int{0, 64}},        // in two, below one bit
		{"halves", 1, false, 1, []int{0, 64 * 64}},  // below two bits
		{"device", 3, true, 2, []int{0}},            // interrupts between any two steps of the driver
		{"driver", 0, true, 1, []int{0, 1}},         // an interrupt may be about several files
		{"far", 0, true, 1, []int{0, 64*64*64 - 1}}, // Tell's bit is another's
	} {
		threads.Try(t, p.name, p.bound, func(k *threads.Walk) threads.World {
			w := newWorld(k, p.numbers...)
			if p.device {
				w.drive(k)
			} else {
				w.serve(k)
			}
			for file := range p.numbers {
				k.Spawn(fmt.Sprint("caller", file), false, func() {
					for range p.calls {
						w.call(file)
					}
				})
			}
			return w
		})
	}
}

//go:build explore

package slot

import (
	"fmt"
	"testing"
	"unsafe"

	"sched9/kernel/ready"
	"sched9/sched/atomic"
	"sched9/sched/interleave/threads"
)

// world is one disk, one file that has a slot for itself, the device, its interrupt and the runtime's poller. Calls do
// what kernel/disk.go and kernel/transfer.go do around this package, in functions of the same names and in the same
// order (glue_test.go).
type world struct {
	table     Table
	tableLock threads.Lock
	own       Own
	fileLock  threads.Lock
	ready     ready.Table
	page      [ready.Page / 8]uint64 // of ready's

	asked, answered atomic.Uint32 // requests that the device was given, and has answered
	requests        [64]request   // by number
	used            [64]int       // slots, in the order of the answers
	taken           atomic.Uint32 // of them
	irq             atomic.Uint32
	told            [2]atomic.Uint32    // by Kind: the runtime's note of readiness
	waits           [Line]atomic.Uint32 // by place: a thread sleeps there, or is about to
	late            atomic.Uint32       // the device has had its time

	lifo   bool // of two requests the device answers the later one first
	disk   [4]int
	buffer [Max]int
	order  []uint32 // tickets, as they got slots
	tries  int
	most   int // tries that a call may need
	check  func() string
}

type request struct {
	slot, op, block int
	done            bool
}

const (
	opRead = iota
	opWrite
	opFlush

	mine = Polled // the file's slot
)

func (w *world) String() string {
	return fmt.Sprintf("slots %v, %+v, %d asked, %d answered, disk %v", w.states(), w.own, w.asked.Peek(), w.answered.Peek(), w.disk)
}

func (w *world) states() (s []State) {
	for i := range w.table.each[:w.table.count] {
		s = append(s, Word(w.table.each[i].word.Peek()).State())
	}
	return s
}

// Word is a word's place in the world.
func (w *world) Word(addr unsafe.Pointer) int {
	return int(uintptr(addr) - uintptr(unsafe.Pointer(w)))
}

// Name names a word, for tables.
func (w *world) Name(id int) string { return fmt.Sprintf("+%#x", id) }

// End is what must hold when all calls have returned and the device is at rest.
func (w *world) End() string {
	for i, s := range w.states()[:min(w.table.count, Polled)] {
		if s != Free && w.asked.Peek() == w.answered.Peek() {
			return fmt.Sprintf("slot %d is lost", i)
		}
	}
	for i := 1; i < len(w.order); i++ {
		if w.order[i] != w.order[i-1]+1 {
			return fmt.Sprintf("tickets %v: not in their order", w.order)
		}
	}
	if w.check != nil {
		return w.check()
	}
	return ""
}

// newWorld makes a world of count slots.
func newWorld(k *threads.Walk, count int) *world {
	w := &world{most: 6}
	w.tableLock.Bit, w.fileLock.Bit = 1, 2
	w.table.Init(count)
	if count > Polled {
		w.table.Take(Polled, Max)
	}
	w.ready.Room(0, func() uintptr { return uintptr(unsafe.Pointer(&w.page)) })
	w.ready.Open(0, 1, true, true)
	w.disk = [4]int{10, 11, 12, 13}
	k.Spawn("device", true, w.device)
	k.Spawn("irq", true, w.interrupt)
	k.Spawn("poller", true, w.poller)
	return w
}

// device answers its requests.
func (w *world) device() {
	for {
		threads.Wait(func() bool { return w.asked.Peek() != w.answered.Peek() })
		n := int(w.asked.Load())
		pick := -1
		for i := range w.requests[:n] {
			if !w.requests[i].done && (pick < 0 || w.lifo) {
				pick = i
			}
		}
		r := &w.requests[pick]
		switch s := Word(w.table.each[r.slot].word.Peek()).State(); {
		case s != Busy && s != Left:
			panic(fmt.Sprintf("the device works for slot %d, which is %d", r.slot, s))
		case r.op == opRead:
			w.buffer[r.slot] = w.disk[r.block]
		case r.op == opWrite:
			w.disk[r.block] = w.buffer[r.slot]
		}
		r.done = true
		w.used[w.answered.Load()] = r.slot
		w.answered.Add(1)
		w.irq.Store(1)
	}
}

// interrupt strikes when the device says so.
func (w *world) interrupt() {
	for {
		threads.Wait(func() bool { return w.irq.Peek() != 0 })
		w.trapDisk()
	}
}

// Quiet is virtioblk's, as are Finished, Begin and Reap.
func (w *world) Quiet() { w.irq.Store(0) }

// Finished looks without a point of its own: it makes no difference whether a thread looks too
// early or not.
func (w *world) Finished() bool { return w.taken.Peek() != w.answered.Peek() }

func (w *world) Begin(i, op, block int, owner uintptr) {
	n := w.asked.Load()
	w.requests[n] = request{slot: i, op: op, block: block}
	w.table.Begin(i, owner)
	w.Make(n)
}

// Make is the queue's, as is Take: the device sees the request from here on.
func (w *world) Make(n uint32) { w.asked.Store(n + 1) }

func (w *world) Take() (i int, ok bool) {
	n := w.taken.Load()
	if n == w.answered.Load() {
		return 0, false
	}
	w.taken.Store(n + 1)
	return w.used[n], true
}

func (w *world) Reap() (owner uintptr, ok bool) {
	i, ok := w.Take()
	if ok {
		owner, _ = w.table.Answer(i, true)
	}
	return owner, ok
}

// pollMarkFile is kernel's, as are those that follow: glue_test.go compares them.
func (w *world) pollMarkFile(place int) { w.ready.Mark(place) }

func (w *world) trapDisk() {
	w.tableLock.Lock()
	w.Quiet()
	w.reap()
	w.unlockDisk()
}

func (w *world) unlockDisk() {
	place := w.table.News()
	w.tableLock.Unlock()
	if place != nil {
		w.futexWake(place)
	}
}

// futexWait is kernel's, as is futexWake: the waiter announces itself and then looks; the waker changed the number
// before.
func (w *world) futexWait(place *atomic.Uint32, seen uint32) {
	waits := w.waitsAt(place)
	waits.Store(1)
	if place.Load() == seen {
		threads.Wait(func() bool { return waits.Peek() == 0 })
	}
	waits.Store(0)
}

func (w *world) futexWake(place *atomic.Uint32) { w.waitsAt(place).Swap(0) }

// waitsAt is the word by which a thread announces that it waits at a place.
func (w *world) waitsAt(place *atomic.Uint32) *atomic.Uint32 {
	for i := range w.table.places {
		if place == &w.table.places[i] {
			return &w.waits[i]
		}
	}
	panic("no place")
}

func (w *world) reap() {
	for {
		owner, ok := w.Reap()
		if !ok {
			return
		}
		if owner != 0 {
			w.pollMarkFile(int(owner - 1))
		}
	}
}

// poller is an M that polls whenever there is work: the scheduler's own tests prove that one does.
func (w *world) poller() {
	for {
		threads.Wait(w.pending)
		var events [ready.Batch]ready.Event
		if w.ready.Collect(&events) > 0 {
			w.told[Reading].Store(1)
			w.told[Writing].Store(1)
		}
	}
}

// pending is ready's Pending, which notifies no thread.
func (w *world) pending() (is bool) {
	threads.Unseen(func() { is = w.ready.Pending() })
	return is
}

func (w *world) releaseSlot(i int) {
	w.tableLock.Lock()
	w.table.Release(i)
	w.unlockDisk()
}

func (w *world) beginDisk(i, op, block int, owner uintptr) Word {
	w.tableLock.Lock()
	w.Begin(i, op, block, owner)
	word := w.table.Word(i)
	w.tableLock.Unlock()
	return word
}

// The device has had its time when late says so.
func (w *world) awaitDisk(i int, word Word) bool {
	if w.table.Word(i) != word {
		return true
	}
	for w.table.Word(i) == word {
		threads.Wait(func() bool {
			return Word(w.table.each[i].word.Peek()) != word || w.Finished() || w.late.Peek() != 0
		})
		late := w.late.Load() != 0
		if late || w.Finished() {
			w.tableLock.Lock()
			w.reap()
			if late = late && w.table.Word(i) == word; late {
				w.table.GiveUp()
			}
			w.unlockDisk()
			if late {
				return false
			}
		}
	}
	return true
}

func (w *world) doDisk(i, op, block int) bool {
	return w.awaitDisk(i, w.beginDisk(i, op, block, 0)) && w.table.Word(i).State() == Done
}

func (w *world) standInLine(write bool) int {
	w.tableLock.Lock()
	ticket := w.table.Join()
	place := w.table.Place(ticket)
	for {
		n, quit := w.table.Enter(ticket, write)
		if n >= 0 || quit {
			w.order = append(w.order, ticket)
		}
		seen := place.Load()
		w.unlockDisk()
		if n >= 0 || quit {
			return n
		}
		w.futexWait(place, seen)
		w.tableLock.Lock()
	}
}

// copyIn puts a value into a slot's buffer; part: it changes a half of the sector that is there.
func (w *world) copyIn(i, value int, part bool) (bad bool) {
	if part {
		value += w.buffer[i]
	}
	w.buffer[i] = value
	return false
}

func (w *world) copyOut(i int) int { return w.buffer[i] }

func (w *world) Copy(i, value int) { w.buffer[i] = value }

// A piece is a block, or a part of it.
func (w *world) copyPiece(write bool, block, value int, part bool) (got int, ok bool) {
	s := w.standInLine(write)
	if s < 0 {
		return 0, false
	}
	switch {
	case (!write || part) && !w.doDisk(s, opRead, block):
	case !write:
		got, ok = w.copyOut(s), true
	case w.copyIn(s, value, part):
	case !w.doDisk(s, opWrite, block):
	default:
		ok = true
		w.wrote(block, value)
	}
	w.releaseSlot(s)
	return got, ok
}

func (w *world) flushDisk() (ok bool) {
	s := w.standInLine(false)
	if s < 0 {
		return false
	}
	ok = true
	if !w.doDisk(s, opFlush, 0) {
		ok = false
	}
	w.releaseSlot(s)
	return ok
}

func (w *world) settle() (ok bool) {
	ok = true
	w.fileLock.Lock()
	if word := w.table.Word(mine); w.own.Unwritten(word) {
		w.fileLock.Unlock()
		if !w.awaitDisk(mine, word) {
			return false
		}
		w.fileLock.Lock()
	}
	if w.own.Lost(&w.table, mine) {
		ok = false
	}
	w.fileLock.Unlock()
	return ok
}

func (w *world) wrote(block, value int) {
	w.fileLock.Lock()
	var word Word
	for waited := false; ; waited = true {
		_, _, size := w.own.Overlap(int64(block), 1)
		if size == 0 {
			break
		}
		is := w.table.Word(mine)
		if waited && !is.Same(word) {
			break
		}
		if is.State() != Busy {
			w.Copy(mine, value)
			break
		}
		if waited {
			w.own.Stale()
			break
		}
		word = is
		w.fileLock.Unlock()
		w.awaitDisk(mine, word)
		w.fileLock.Lock()
	}
	w.fileLock.Unlock()
}

// readAt, writeAt and sync are the calls.
func (w *world) readAt(block int) int {
	var got int
	if w.settle() {
		got, _ = w.copyPiece(false, block, 0, false)
	}
	return got
}

func (w *world) writeAt(block, value int) {
	if w.settle() {
		w.copyPiece(true, block, value, false)
	}
}

func (w *world) sync() {
	if w.settle() {
		w.flushDisk()
	}
}

func (w *world) look(k Kind) bool { return w.own.Look(&w.table, mine, k) == Ready }

func (w *world) yields(k Kind) bool {
	if w.own.Turn(k) {
		return false
	}
	w.pollMarkFile(0)
	return true
}

func (w *world) readLater(block int) (got int, ok bool) {
	if !w.look(Reading) {
		return 0, false
	}
	if _, _, size := w.own.Overlap(int64(block), 1); size > 0 {
		got = w.copyOut(mine)
		w.own.Found()
		return got, true
	}
	w.own.Held = 0
	if w.yields(Reading) {
		return 0, false
	}
	w.own.Begins(Reading, int64(block), 1)
	w.beginDisk(mine, opRead, block, 1)
	return 0, false
}

func (w *world) writeLater(block, value int) bool {
	if !w.look(Writing) {
		return false
	}
	switch {
	case w.yields(Writing):
		return false
	}
	w.own.Held = 0
	w.copyIn(mine, value, false)
	w.own.Begins(Writing, 0, 0)
	w.beginDisk(mine, opWrite, block, 1)
	return true
}

// tryRead and tryWrite are readDisk and writeDisk, with O_NONBLOCK.
func (w *world) tryRead(block int) (got int, ok bool) {
	w.fileLock.Lock()
	defer w.fileLock.Unlock()
	return w.readLater(block)
}

func (w *world) tryWrite(block, value int) bool {
	w.fileLock.Lock()
	defer w.fileLock.Unlock()
	return w.writeLater(block, value)
}

// read and write are what package os does: forget, try, wait, try again.
func (w *world) read(block int) int {
	w.told[Reading].Store(0)
	for try := 0; ; try++ {
		if got, ok := w.tryRead(block); ok {
			return got
		}
		w.sleep(Reading, try)
	}
}

func (w *world) write(block, value int) {
	w.told[Writing].Store(0)
	for try := 0; !w.tryWrite(block, value); try++ {
		w.sleep(Writing, try)
	}
}

func (w *world) sleep(k Kind, try int) {
	if try > w.most {
		panic("it tries for ever")
	}
	threads.Wait(func() bool { return w.told[k].Peek() != 0 })
	w.told[k].Swap(0)
}

// is panics unless got is one of those.
func is(what string, got int, want ...int) {
	for _, v := range want {
		if got == v {
			return
		}
	}
	panic(fmt.Sprintf("%s: %d, want one of %d", what, got, want))
}

// programs are what is explored.
var programs = []struct {
	name  string
	bound int
	make  func(k *threads.Walk) *world
}{
	{"read", 3, func(k *threads.Walk) *world { // the completion between any two steps
		w := newWorld(k, Polled+1)
		k.Spawn("R", false, func() { is("read", w.read(0), 10); is("read", w.read(1), 11) })
		return w
	}},
	{"sync", 1, func(k *threads.Walk) *world {
		w := newWorld(k, Polled+1)
		k.Spawn("W", false, func() { w.write(0, 20); w.write(1, 21) })
		k.Spawn("S", false, func() { w.sync() })
		w.check = func() string {
			if w.disk[0] != 20 || w.disk[1] != 21 && w.asked.Peek() == w.answered.Peek() {
				return "a write is lost"
			}
			return ""
		}
		return w
	}},
	{"flush", 3, func(k *threads.Walk) *world { // Sync comes after what was written
		w := newWorld(k, Polled+1)
		w.lifo = true
		k.Spawn("W", false, func() { w.write(0, 20); w.sync(); is("the disk", w.disk[0], 20) })
		return w
	}},
	{"readat", 1, func(k *threads.Walk) *world {
		w := newWorld(k, Polled+1)
		k.Spawn("R", false, func() { is("read", w.read(0), 10) })
		k.Spawn("A", false, func() { is("ReadAt", w.readAt(1), 11); w.sync() })
		w.most = 1 // no thread collects the read
		return w
	}},
	{"writeat", 1, func(k *threads.Walk) *world {
		w := newWorld(k, Polled+1)
		k.Spawn("R", false, func() { is("read", w.read(0), 10, 20) })
		k.Spawn("A", false, func() { w.writeAt(0, 20); is("read back", w.readAt(0), 20) })
		w.most = 1
		return w
	}},
	{"late", 3, func(k *threads.Walk) *world { // a read that was given up, then a write, then the read
		w := newWorld(k, Polled+1)
		k.Spawn("R", false, func() {
			w.tryRead(0)
			w.writeAt(0, 20)
			is("read", w.read(0), 20)
		})
		return w
	}},
	{"both", 1, func(k *threads.Walk) *world { // that neither starves also takes a fair scheduler, which a walk is not
		w := newWorld(k, Polled+1)
		w.most = 20
		k.Spawn("R", false, func() { is("read", w.read(0), 10) })
		k.Spawn("W", false, func() { w.write(1, 20); w.write(1, 21) })
		return w
	}},
	{"line", 0, func(k *threads.Walk) *world {
		w := newWorld(k, 1)
		for i := range 3 {
			k.Spawn(fmt.Sprint("C", i), false, func() { is("polled", first(w.copyPiece(false, i, 0, false)), 10+i) })
		}
		return w
	}},
	{"writers", 0, func(k *threads.Walk) *world { // two that change a half of a sector each, and one that reads
		w := newWorld(k, 2)
		for i := range 2 {
			k.Spawn(fmt.Sprint("W", i), false, func() { w.copyPiece(true, 0, 100, true) })
		}
		w.check = func() string {
			if w.disk[0] != 210 {
				return "a half is lost"
			}
			return ""
		}
		return w
	}},
	{"giveup", 1, func(k *threads.Walk) *world { // the time is up at any moment, and the answer comes at any other
		w := newWorld(k, 1)
		w.lifo = true
		k.Spawn("C0", false, func() { w.copyPiece(false, 0, 0, false) })
		k.Spawn("C1", false, func() {
			if got, ok := w.copyPiece(false, 1, 0, false); ok {
				is("polled", got, 11)
			}
		})
		k.Spawn("clock", false, func() { w.late.Store(1); w.late.Store(0) })
		return w
	}},
	{"disorder", 0, func(k *threads.Walk) *world { // the device answers the later request first
		w := newWorld(k, Polled+1)
		w.lifo = true
		k.Spawn("R", false, func() { is("read", w.read(0), 10) })
		k.Spawn("W", false, func() { w.writeAt(1, 20); is("read back", w.readAt(1), 20) })
		return w
	}},
}

func first(v int, _ bool) int { return v }

// TestExplored tries all interleavings of the programs with at most so many preemptions.
func TestExplored(t *testing.T) {
	for _, p := range programs {
		threads.Try(t, p.name, p.bound, func(k *threads.Walk) threads.World { return p.make(k) })
	}
}

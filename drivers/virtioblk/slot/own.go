package slot

// Own is a file's knowledge of its own slot: calls begin requests there and do not wait for them.
// The file's lock guards it, and the slot except for Answer.
type Own struct {
	// What the slot's buffer holds, or will when the device is done: Held bytes from byte At of the
	// disk on. 0: nothing that was read.
	At   int64
	Held uintptr

	last   Kind
	waited [2]bool // by Kind: a call was told to wait since the last of its kind had its turn
}

// Kind is what a request does.
type Kind int

const (
	Reading Kind = iota
	Writing
)

// Look is what a call finds that does not wait.
type Look int

const (
	Ready  Look = iota // it may go on
	Wait               // the device has the slot: the file is marked when it is done
	Broken             // an earlier request has failed
)

// Look says what a call of kind k finds in slot i of t.
func (o *Own) Look(t *Table, i int, k Kind) Look {
	switch t.Word(i).State() {
	case Busy:
		o.waited[k] = true
		return Wait
	case Failed:
		t.Settle(i)
		o.Held = 0
		if o.last == Writing || k == Reading { // a read that failed is tried again by its reader
			return Broken
		}
	}
	return Ready
}

// Turn reports whether a call of kind k, for which Look said Ready, may begin a request. If not, it
// waits, and the caller marks the file, because a call of the other kind waits that did not have its
// turn. That call may have gone away, so Turn refuses only once. Without turns, of two goroutines, one
// reading and one writing, only the one that is always woken first would make progress.
func (o *Own) Turn(k Kind) bool {
	other := 1 - k
	if o.waited[other] && (o.last == k || o.Held > 0) {
		o.waited[other] = false
		o.waited[k] = true
		return false
	}
	return true
}

// Begins notes that a call begins a request of kind k: a read of held bytes from byte at on. A read
// has had its turn when it finds what it began (Found).
func (o *Own) Begins(k Kind, at int64, held uintptr) {
	o.last, o.At, o.Held = k, at, held
	o.waited[k] = k == Reading
}

// Found notes that a read has had its turn: it found the held bytes, which are then forgotten, because
// a later read there must get the bytes of that time.
func (o *Own) Found() {
	o.Held = 0
	o.waited[Reading] = false
}

// Stale makes sure that no read uses the bytes that are being read: they may be older than a later
// write.
func (o *Own) Stale() { o.At = 1 << 62 }

// Unwritten reports whether w, the slot's word, is of a write that the device has not answered.
func (o *Own) Unwritten(w Word) bool { return w.State() == Busy && o.last == Writing }

// Lost reports, once, that the last write, which had returned, has failed. What another goroutine has
// read, or will have, stays.
func (o *Own) Lost(t *Table, i int) bool {
	if t.Word(i).State() != Failed || o.last != Writing {
		return false
	}
	t.Settle(i)
	return true
}

// Overlap returns which of n bytes from byte at of the disk the slot's buffer holds, or will hold:
// size bytes, beginning at byte from of those n, and at byte to of the buffer.
func (o *Own) Overlap(at int64, n uintptr) (from, to, size uintptr) {
	low := max(at, o.At)
	high := min(at+int64(n), o.At+int64(o.Held))
	if o.Held == 0 || low >= high {
		return 0, 0, 0
	}
	return uintptr(low - at), uintptr(low - o.At), uintptr(high - low)
}

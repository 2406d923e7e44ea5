package gotrace

import (
	"bufio"
	"encoding/binary"
	"io"
)

// The format, version 2, is documented in the Go toolchain's source, in
// internal/trace/tracev2. Everything is in batches of one generation.
//
// header names the oldest version that has all we tell: what came later (the
// wall clock, a mark where a generation ends) says nothing that a recording
// knows, and fewer tools read it.
const header = "go 1.23 trace\x00\x00\x00"

// Numbers of events, with their arguments.
const (
	wireBatch     = 1 // generation, thread, time, length
	wireStacks    = 2
	wireStack     = 3 // id, n, n times: pc, function, file, line
	wireStrings   = 4
	wireString    = 5 // id, length, bytes
	wireFrequency = 8 // units of time per second

	// From here on a difference in time comes first.
	wireProcsChange     = 9  // number, stack
	wireProcStart       = 10 // P, its sequence number
	wireProcStop        = 11
	wireProcSteal       = 12 // P, its sequence number, thread that had it
	wireProcStatus      = 13 // P, status
	wireGoCreate        = 14 // G, stack of its own, stack
	wireGoStart         = 16 // G, its sequence number
	wireGoDestroy       = 17
	wireGoStop          = 19 // reason, stack
	wireGoBlock         = 20 // reason, stack
	wireGoUnblock       = 21 // G, its sequence number, stack
	wireSyscallBegin    = 22 // P's sequence number, stack
	wireSyscallEnd      = 23
	wireSyscallEndBlock = 24
	wireGoStatus        = 25 // G, thread, status
	wireSTWBegin        = 26 // reason, stack
	wireSTWEnd          = 27
	wireGCActive        = 28 // sequence number
	wireGCBegin         = 29 // sequence number, stack
	wireGCEnd           = 30 // sequence number
	wireGoLabel         = 39 // label
	wireGoCreateBlocked = 47 // G, stack of its own, stack
)

// Statuses of Ps and of Gs.
const (
	procRunning = 1
	procIdle    = 2
	procSyscall = 3

	goRunnable = 1
	goRunning  = 2
	goSyscall  = 3
	goWaiting  = 4
)

// Bounds that readers enforce.
const (
	maxBatch  = 64 << 10
	maxString = 1 << 10
	maxEvent  = 1 + 6*binary.MaxVarintLen64 // no timed event is longer
)

const (
	generation = 1
	nobody     = ^uint64(0) // the thread of what is no thread's doing
)

// batch gathers what one thread tells. Its time does not run backwards.
type batch struct {
	thread      uint64
	first, last uint64 // times
	data        []byte
}

// encoder writes batches. Errors stay in w; close tells them.
type encoder struct {
	w       *bufio.Writer
	nobody  batch
	threads []batch
	base    uint64 // time of the trace's beginning
	table   table
}

// newEncoder begins a trace whose time begins at base, of threads 1 to n.
func newEncoder(w io.Writer, n int, base uint64) *encoder {
	e := &encoder{w: bufio.NewWriterSize(w, maxBatch), nobody: batch{thread: nobody}, threads: make([]batch, n), base: base}
	for i := range e.threads {
		e.threads[i].thread = uint64(i) + 1
	}
	e.table.init()
	e.w.WriteString(header)
	e.flush(&batch{thread: nobody, first: base, data: binary.AppendUvarint([]byte{wireFrequency}, 1e9)})
	return e
}

// event appends an event to b.
func (e *encoder) event(b *batch, at uint64, kind byte, args ...uint64) {
	if len(b.data) > maxBatch-maxEvent {
		e.flush(b)
	}
	if len(b.data) == 0 {
		b.first, b.last = at, at
	}
	b.data = append(b.data, kind)
	b.data = binary.AppendUvarint(b.data, at-b.last)
	for _, a := range args {
		b.data = binary.AppendUvarint(b.data, a)
	}
	b.last = at
}

// flush writes b, and empties it.
func (e *encoder) flush(b *batch) {
	if len(b.data) == 0 {
		return
	}
	var head [1 + 4*binary.MaxVarintLen64]byte
	p := append(head[:0], wireBatch)
	for _, v := range [...]uint64{generation, b.thread, b.first, uint64(len(b.data))} {
		p = binary.AppendUvarint(p, v)
	}
	e.w.Write(p)
	e.w.Write(b.data)
	b.data = b.data[:0]
}

// close writes what is left, and the tables.
func (e *encoder) close() error {
	e.flush(&e.nobody)
	for i := range e.threads {
		e.flush(&e.threads[i])
	}
	e.tables(wireStacks, e.table.stacks)
	e.tables(wireStrings, e.table.strings)
	return e.w.Flush()
}

// tables writes the entries of a table of a kind, in as many batches as it takes.
func (e *encoder) tables(kind byte, entries [][]byte) {
	b := batch{thread: nobody, first: e.base}
	for _, p := range entries {
		if len(b.data)+len(p) > maxBatch {
			e.flush(&b)
		}
		if len(b.data) == 0 {
			b.data = append(b.data, kind)
		}
		b.data = append(b.data, p...)
	}
	e.flush(&b)
}

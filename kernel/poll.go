package kernel

import (
	"sched9/kernel/fd"
	"sched9/kernel/ready"
)

// The kernel's half of the network poller [N1]. A device's interrupt marks a file ready and calls
// upPolled; the scheduler then calls Poll, and the runtime makes the goroutines that wait for the
// file runnable. Nothing waits in here: an idle processor's halt is the wait [N2].

// poll.lock guards all but marks. It may be taken under files.lock; nothing but mem.lock, for pages, is taken
// under it.
var poll struct {
	lock  Spin
	table ready.Table

	late    ready.Set // files with numbers that are yet to be marked (pollMarkFile), without multiples of fd.Max
	walks   bool      // one of them is being walked
	file, n int       // that file, and its number to go on with
}

const _ = uint(ready.Max - fd.Max) // every number has a place in the table

// looks is how much of a file's numbers is looked at at once (fd.Table.Each): interrupts are off meanwhile.
const looks = 1024

// PollOpen registers file n with the poller: Poll will hand data to its function when the file can
// newly be read or written. It returns ENOMEM if there is no room for more files, and EPERM for a file that never waits in the poller, as Linux's
// epoll does; package os then uses the file without the poller. Scheduler stack.
func PollOpen(n int, data uintptr) (errno int) {
	f, i := holdFile(uintptr(n))
	if f == nil {
		return eBADF
	}
	read, write, pollable := f.read, f.write, false
	switch f.kind {
	case fileConsole:
		pollable = f.unit == 0 && inputConnected()
	case filePipe, fileServed, fileWire:
		pollable = true
	case fileDisk:
		read, write, pollable = true, true, f.slot >= 0
	}
	dropFile(i)
	if !pollable {
		return ePERM
	}
	on := files.lock.Lock()
	errno = eEXIST
	if is, _ := files.table.File(n); is == i { // else it was closed since, and is another's by now
		errno = 0
		off := poll.lock.Lock()
		if !poll.table.Room(n, filePage) {
			errno = eNOMEM
		} else if !poll.table.Open(n, data, read, write) {
			errno = eEXIST
		}
		poll.lock.Unlock(off)
	}
	files.lock.Unlock(on)
	if errno != 0 {
		return errno
	}
	// Earlier readiness is reported too. No goroutine waits for it yet, so none has to be woken.
	pollMark(n)
	return 0
}

// PollClose takes file n out. Poll calls that run just now may still hand out its
// data. Scheduler stack.
func PollClose(n int) (errno int) {
	if n < 0 || n >= ready.Max {
		return eBADF
	}
	on := poll.lock.Lock()
	ok := poll.table.Close(n)
	poll.lock.Unlock(on)
	if !ok {
		return eNOENT
	}
	return 0
}

// PollPending reports whether some file became ready since the last Poll. Any
// context; it may say so once too often, but never misses one.
func PollPending() bool { return poll.table.Pending() }

// PollTell makes PollPending true: the runtime has Gs of its own to make runnable when
// it polls, and has noted that before. Any context.
func PollTell() { poll.table.Tell() }

// Poll calls fn for every file that became ready since the last call, at most ready.Batch of them:
// PollPending then says that there are more. Scheduler stack, with a P or without; several Ms may
// be in it. fn must not call it.
//
// Marks are set without the lock, so two Ms may hand out two events of one file at once; reporting
// an event twice is harmless.
func Poll(fn func(data uintptr, read, write bool)) {
	if !PollPending() {
		return
	}
	var events [ready.Batch]ready.Event
	on := poll.lock.Lock()
	n := poll.table.Collect(&events)
	pollLate()
	poll.lock.Unlock(on)
	for _, e := range events[:n] {
		fn(e.Data, e.Read, e.Write)
	}
}

// pollMark notes that number n became ready. Any context.
func pollMark(n int) { poll.table.Mark(n) }

// pollMarkFile marks all numbers of file i. Any context: a number that is just being given is
// marked when it is registered. What takes too long is left to Poll.
//
//go:noinline
func pollMarkFile(i int) {
	if files.table.Each(i, 0, looks, pollMark) >= 0 {
		poll.late.Mark(i % fd.Max)
		poll.table.Tell()
	}
}

// pollLate marks some of the numbers that pollMarkFile has left. poll.lock is held, and Collect was called since.
//
// No mark is lost. A file that pollMarkFile puts into late is told after that, so either it is seen here, or PollPending is true and the
// next Poll comes here. A file that is put into late again during its walk is walked once more, from its beginning: it was taken out of
// late before. PollPending stays true until there is nothing left.
func pollLate() {
	if !poll.walks {
		poll.late.Take(func(i int) bool {
			if poll.walks {
				return false
			}
			poll.walks, poll.file, poll.n = true, i, 0
			return true
		})
		if !poll.walks {
			return
		}
	}
	poll.n = files.table.Each(poll.file, poll.n, looks, pollMark)
	if poll.n < 0 {
		// Files have larger numbers than late has room for: both files with that remainder are walked.
		poll.file, poll.n = poll.file+fd.Max, 0
		poll.walks = poll.file < fd.MaxFiles
	}
	if poll.walks || poll.late.Pending() {
		poll.table.Tell()
	}
}

// pollWake tells the scheduler about marks. Every device interrupt calls it last, even if it marked
// nothing itself: a processor that polls the same device may have marked files without telling the
// scheduler.
//
//go:noinline
func pollWake() {
	if PollPending() {
		upPolled()
	}
}

package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/kernel/fd"
	"sched9/kernel/pipe"
	"sched9/kernel/ramfs"
)

// Pipes, with a name or without. Each has a node, and while it is open a page for itself and pages for its
// bytes. With O_NONBLOCK, which package os sets, an end that has to wait answers EAGAIN and is marked when
// the other end has done something about it [N1]. Without, the call holds its processor [M4].

// pipeEnds is a pipe with its files. pipes.lock guards all pipes, and which page a node has. It
// is held while a page is copied, which may take a page fault.
type pipeEnds struct {
	pipe.Pipe
	side [2]pipeSide
}

// pipeSide are those who read a pipe, or those who write to it.
type pipeSide struct {
	first int32  // of its files, which have a list (file.ends): 1 plus its place; 0: it has none
	turns uint32 // how often this end was opened or closed

	// An open that waits for the other end answers EINTR after a while and is called again (openEnd). In between
	// it is counted among the ends, and seen is the other end's turns.
	again bool
	seen  uint32
}

var pipes struct{ lock Spin }

// pipeAt is the pipe whose page is at p.
func pipeAt(p uintptr) *pipeEnds { return (*pipeEnds)(unsafe.Pointer(p)) }

// tell marks the files at an end. pipes.lock is held, so none of them goes away.
func (p *pipeEnds) tell(end int) {
	for i := p.side[end].first; i != 0; i = fileAt(int(i - 1)).ends[end] {
		pollMarkFile(int(i - 1))
	}
}

// count counts the ends that file i is, which come (by is 1) or go (-1). pipes.lock is held.
func (p *pipeEnds) count(i int, by int32) {
	f := fileAt(i)
	for end, has := range [2]bool{f.read, f.write} {
		if has {
			s := &p.side[end]
			at := &s.first
			if by > 0 {
				f.ends[end] = *at
				*at = int32(i) + 1
			} else {
				for *at != int32(i)+1 {
					at = &fileAt(int(*at - 1)).ends[end]
				}
				*at = f.ends[end]
			}
			s.turns++
			p.Ends[end] += by
		}
	}
}

// met reports whether an end is open, or has been since it had that number of turns. pipes.lock is held.
func (p *pipeEnds) met(end int, seen uint32) bool {
	return p.Ends[end] != 0 || p.side[end].turns != seen
}

// makePipe is pipe2: x.a is where the two numbers go, x.b flags.
func makePipe(x args) uintptr {
	const known = openNonblock | 0o2000000 // O_CLOEXEC
	if x.b&^known != 0 {
		return fail(eINVAL)
	}
	on := lockTree()
	n := tree.fs.Nameless(ramfs.ModeFifo|0o600, now())
	tree.lock.Unlock(on)
	if n == nil {
		return fail(eNFILE)
	}
	var numbers [2]int32
	for end := range numbers {
		var r uintptr
		if i := newFile(); i < 0 {
			r = fail(-i)
		} else {
			f := fileAt(i)
			f.read, f.write = end == pipe.Reading, end == pipe.Writing
			f.flags = x.b&openNonblock | uintptr(end)*accessWrite
			on := tree.lock.Lock()
			n.Hold()
			tree.lock.Unlock(on)
			f.node = uintptr(unsafe.Pointer(n))
			r = publishOr(i, openEnd(i, true))
		}
		numbers[end] = int32(r)
		if r >= fd.Max {
			if end == pipe.Writing {
				closeFile(args{a: uintptr(numbers[0])})
			}
			dropNode(uintptr(unsafe.Pointer(n)))
			return r
		}
	}
	dropNode(uintptr(unsafe.Pointer(n)))
	if !put(x.a, &numbers) {
		closeFile(args{a: uintptr(numbers[0])})
		closeFile(args{a: uintptr(numbers[1])})
		return fail(eFAULT)
	}
	return 0
}

// openEnd makes file i, whose node is a pipe's, an end of it, or both. Opening one end waits until the other end is
// open, or was opened in the meantime, unless atOnce is true: then a reader succeeds and a writer gets ENXIO.
// Scheduler stack.
//
// The wait is by turns: EINTR after a while, upon which package os calls again, so that on a single processor the
// other end's opener runs in between. In between this open still counts among the ends (again); otherwise two that
// alternate would never meet. An open that gives up leaves its count, and the pipe with it, for the next open of
// this end.
func openEnd(i int, atOnce bool) (errno int) {
	f := fileAt(i)
	f.kind = filePipe
	on := pipes.lock.Lock()
	n := node(f.node)
	if n.Pipe == 0 {
		if n.Pipe = newPipe(); n.Pipe == 0 {
			pipes.lock.Unlock(on)
			return eNOMEM
		}
	}
	f.pipe = n.Pipe
	p := pipeAt(f.pipe)
	p.count(i, 1)
	own := pipe.Reading
	if f.write {
		own = pipe.Writing
	}
	me, other := &p.side[own], 1-own
	seen := p.side[other].turns
	if !atOnce && me.again {
		me.again = false
		p.Ends[own]--
		seen = me.seen
	}
	switch {
	case p.met(other, seen):
	case !atOnce:
		pipes.lock.Unlock(on)
		waitTurn()
		on = pipes.lock.Lock()
		if !p.met(other, seen) {
			if !me.again {
				me.again, me.seen = true, seen
				p.Ends[own]++
			}
			errno = eINTR
		}
	case f.write:
		errno = eNXIO
	}
	pipes.lock.Unlock(on)
	return errno
}

// waitTurn holds the processor for a turn of a wait that the caller ends with EINTR. Scheduler stack, nothing is
// locked.
func waitTurn() {
	const turn = 100_000 // ns: longer than it takes another M to take the P
	upSyscallBlocks()
	for end := arch.Nanotime() + turn; arch.Nanotime() < end; {
		arch.Pause()
	}
}

// newPipe returns the page of a new pipe, or 0 if there is no memory.
func newPipe() (page uintptr) {
	if page = getPage(); page == 0 {
		return 0
	}
	p := pipeAt(page)
	for i := range p.Pages {
		if p.Pages[i] = getPage(); p.Pages[i] == 0 {
			freePipe(page)
			return 0
		}
	}
	return page
}

// freePipe gives the memory of a pipe back.
func freePipe(page uintptr) {
	for _, p := range pipeAt(page).Pages {
		if p != 0 {
			putPage(p)
		}
	}
	putPage(page)
}

// closeEnd closes the ends that file i is. Its node is still held.
func closeEnd(i int) {
	f := fileAt(i)
	p := pipeAt(f.pipe)
	on := pipes.lock.Lock()
	p.count(i, -1)
	for end, n := range p.Ends {
		if n == 0 {
			p.tell(1 - end)
		}
	}
	last := p.Ends == [2]int32{}
	if last {
		node(f.node).Pipe = 0
	}
	pipes.lock.Unlock(on)
	if last {
		freePipe(f.pipe)
	}
	pollWake()
}

// readPipe reads up to n bytes to p, the program's.
//
// No wake-up is lost: the pipe was seen empty with the lock held. A later write or close marks the
// file after that, and the runtime has reset its readiness flag earlier, before this try.
func (f *file) readPipe(p, n uintptr) uintptr {
	end := pipeAt(f.pipe)
	if n == 0 {
		return 0
	}
	for {
		done, errno, news := uintptr(0), 0, false
		on := pipes.lock.Lock()
		ended := end.Ends[pipe.Writing] == 0
		for done < n {
			at, size := end.Read(int(min(n-done, pipe.Size)))
			if size == 0 {
				break
			}
			got := copyOut(p+done, unsafe.Pointer(at), uintptr(size))
			was := end.Writable()
			end.Skip(int(got))
			news = news || end.Writable() && !was
			done += got
			if got < uintptr(size) {
				errno = eFAULT
				break
			}
		}
		if news {
			end.tell(pipe.Writing)
		}
		pipes.lock.Unlock(on)
		if news {
			pollWake()
		}
		switch {
		case done > 0:
			return done
		case errno != 0:
			return fail(errno)
		case ended:
			return 0
		case f.nonblock():
			return fail(eAGAIN)
		}
		f.awaitPipe(pipe.Reading)
	}
}

// writePipe writes n bytes at p, the program's.
func (f *file) writePipe(p, n uintptr) uintptr {
	end := pipeAt(f.pipe)
	done := uintptr(0)
	for {
		errno, news := 0, false
		on := pipes.lock.Lock()
		broken := end.Ends[pipe.Reading] == 0
		for !broken && done < n {
			space := end.Space(int(min(n-done, pipe.Size)))
			if space == 0 {
				break
			}
			for space > 0 {
				at, size := end.Write(space)
				got := copyIn(unsafe.Pointer(at), p+done, uintptr(size))
				news = news || got > 0
				end.Add(int(got))
				done += got
				space -= int(got)
				if got < uintptr(size) {
					errno, space = eFAULT, 0
				}
			}
			if errno != 0 {
				break
			}
		}
		if news {
			end.tell(pipe.Reading)
		}
		pipes.lock.Unlock(on)
		if news {
			pollWake()
		}
		if broken {
			raise(sigPIPE)
		}
		switch {
		case broken && done == 0:
			return fail(ePIPE)
		case done == n || broken || errno != 0 && done > 0:
			return done
		case errno != 0:
			return fail(errno)
		case f.nonblock():
			if done > 0 {
				return done
			}
			return fail(eAGAIN)
		}
		f.awaitPipe(pipe.Writing)
	}
}

// awaitPipe holds the processor until one can go on at that end, because the other has done something. Interrupts
// are on. Scheduler stack.
func (f *file) awaitPipe(end int) {
	upSyscallBlocks()
	p := pipeAt(f.pipe)
	for {
		on := pipes.lock.Lock()
		ready := end == pipe.Writing && p.Writable() || end == pipe.Reading && p.Readable()
		pipes.lock.Unlock(on)
		if ready {
			return
		}
		arch.Pause()
	}
}

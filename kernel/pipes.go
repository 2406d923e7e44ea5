package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/kernel/pipe"
)

// Pipes. Each has a page for itself and pages for its bytes. With O_NONBLOCK, which package os
// sets, an end that has to wait answers EAGAIN and is marked when the other end has done
// something about it (N1). Without, the call holds its processor (M4).

// pipeEnds is a pipe with the places of its two files. pipes.lock guards all pipes. It is held
// while a page is copied, which may take a page fault.
type pipeEnds struct {
	pipe.Pipe
	reader, writer int
}

var pipes struct{ lock Spin }

// pipeAt is the pipe whose page is at p.
func pipeAt(p uintptr) *pipeEnds { return (*pipeEnds)(unsafe.Pointer(p)) }

// makePipe is pipe2: x.a is where the two numbers go, x.b flags.
func makePipe(x args) uintptr {
	const known = openNonblock | 0o2000000 // O_CLOEXEC
	if x.b&^known != 0 {
		return fail(eINVAL)
	}
	page := getPage()
	if page == 0 {
		return fail(eNOMEM)
	}
	p := pipeAt(page)
	for i := range p.Pages {
		if p.Pages[i] = getPage(); p.Pages[i] == 0 {
			freePipe(page)
			return fail(eNFILE)
		}
	}
	r, w := newFile(), newFile()
	if r < 0 || w < 0 {
		if r >= 0 {
			abandon(r)
		}
		freePipe(page)
		return fail(eMFILE)
	}
	p.Readers, p.Writers = 1, 1
	p.reader, p.writer = r, w
	for _, i := range [2]int{r, w} {
		f := &files.each[i]
		f.kind, f.pipe, f.flags = filePipe, page, x.b&openNonblock
	}
	files.each[r].read = true
	files.each[w].write = true
	files.each[w].flags |= accessWrite

	var n [2]int32
	on := files.lock.Lock()
	n[0] = int32(files.table.Number(r, 0))
	n[1] = -1
	if n[0] >= 0 {
		n[1] = int32(files.table.Number(w, 0))
	}
	if n[1] < 0 { // nobody has seen the first number, so nobody holds the file
		if n[0] >= 0 {
			files.table.Close(int(n[0]))
			files.table.Drop(r)
		}
		files.table.Free(r)
		files.table.Free(w)
	}
	files.lock.Unlock(on)
	if n[1] < 0 {
		freePipe(page)
		return fail(eMFILE)
	}
	if !put(x.a, &n) {
		closeFile(args{a: uintptr(n[0])})
		closeFile(args{a: uintptr(n[1])})
		return fail(eFAULT)
	}
	return 0
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

// closePipe closes the end that f is.
func closePipe(f *file) {
	p := pipeAt(f.pipe)
	on := pipes.lock.Lock()
	if f.write {
		p.Writers = 0
	} else {
		p.Readers = 0
	}
	last := p.Readers == 0 && p.Writers == 0
	if !last { // the other end has news, and cannot go away while we have the lock
		pollMarkFile(p.other(f))
	}
	pipes.lock.Unlock(on)
	if last {
		freePipe(f.pipe)
	} else {
		pollWake()
	}
}

// other returns the place of the file at the other end.
func (p *pipeEnds) other(f *file) int {
	if f.write {
		return p.reader
	}
	return p.writer
}

// readPipe reads up to n bytes to p, the program's.
//
// No wake-up is lost: that there is nothing is seen with the lock held, and whoever then writes
// or closes marks the file afterwards, when the runtime has long reset its note of
// readiness, which it does before each try.
func (f *file) readPipe(p, n uintptr) uintptr {
	end := pipeAt(f.pipe)
	if n == 0 {
		return 0
	}
	for {
		done, errno, news := uintptr(0), 0, false
		on := pipes.lock.Lock()
		ended := end.Writers == 0
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
		if news && !ended {
			pollMarkFile(end.writer)
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
		f.awaitPipe()
	}
}

// writePipe writes n bytes at p, the program's.
func (f *file) writePipe(p, n uintptr) uintptr {
	end := pipeAt(f.pipe)
	done := uintptr(0)
	for {
		errno, news := 0, false
		on := pipes.lock.Lock()
		broken := end.Readers == 0
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
			pollMarkFile(end.reader)
		}
		pipes.lock.Unlock(on)
		if news {
			pollWake()
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
		f.awaitPipe()
	}
}

// awaitPipe holds the processor until the pipe's other end has done something. Interrupts are
// on. Scheduler stack.
func (f *file) awaitPipe() {
	upHold()
	p := pipeAt(f.pipe)
	for {
		on := pipes.lock.Lock()
		ready := f.write && p.Writable() || !f.write && p.Readable()
		pipes.lock.Unlock(on)
		if ready {
			return
		}
		arch.Pause()
	}
}

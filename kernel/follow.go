package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/kernel/pipe"
	"sched9/kernel/ramfs"
)

// Files that go on: one that is made when it is opened (made.go), but of which more comes as long as it is open. Its reader has
// the reading end of a pipe; a goroutine of the runtime's has the other end, which has no number.

// FollowFile makes the open file of number n the reading end of a new pipe, and returns the place of its writing end. Scheduler stack.
func FollowFile(n uintptr) (place int, errno int) {
	f, at := holdFile(n)
	if f == nil {
		return 0, eBADF
	}
	on := tree.lock.Lock()
	p := tree.fs.Nameless(ramfs.ModeFifo|0o444, now())
	if p != nil {
		p.Hold() // a hold for each end
		f.node, p = uintptr(unsafe.Pointer(p)), node(f.node)
	}
	tree.lock.Unlock(on)
	if p == nil {
		dropFile(at)
		return 0, eNFILE
	}
	was := uintptr(unsafe.Pointer(p))
	place = newFile()
	if place < 0 {
		dropNode(f.node) // the hold of the end that there is not; the other goes with f
		dropNode(was)
		dropFile(at)
		return 0, -place
	}
	w := fileAt(place)
	w.write, w.flags, w.node = true, openNonblock|accessWrite, f.node
	if errno = openEnd(at, true); errno == 0 {
		errno = openEnd(place, true)
	}
	if errno != 0 {
		f.kind = fileTree // no end of a pipe: it is closed without one
		w.kind = fileTree
		undo(place)
	}
	dropNode(was)
	dropFile(at)
	return place, errno
}

// FollowWrite writes what there is room for of text to the writing end at place. ended: nobody reads any more. Scheduler stack.
func FollowWrite(place int, text []byte) (done int, ended bool) {
	end := pipeAt(fileAt(place).pipe)
	on := pipes.lock.Lock()
	ended = end.Ends[pipe.Reading] == 0
	for !ended && done < len(text) {
		space := end.Space(len(text) - done)
		if space == 0 {
			break
		}
		for space > 0 {
			at, size := end.Write(space)
			arch.Copy(unsafe.Pointer(at), unsafe.Pointer(&text[done]), uintptr(size))
			end.Add(size)
			done, space = done+size, space-size
		}
	}
	if done > 0 {
		end.tell(pipe.Reading)
	}
	pipes.lock.Unlock(on)
	if done > 0 {
		pollWake()
	}
	return done, ended
}

// FollowEnd closes the writing end at place: its reader comes to the end of the file. Scheduler stack.
func FollowEnd(place int) { undo(place) }

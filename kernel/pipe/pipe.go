// Package pipe is a pipe: bytes in the order in which they were written. It knows neither open
// files nor waiters; its caller handles both, and locks.
//
// Its memory is given to it, a ring of pages; it allocates nothing and stores no pointers.
package pipe

const (
	pageSize = 4096

	// Pages is how many pages a pipe has, so that it holds 64 KiB, as Linux's do.
	Pages = 16

	// Size is how many bytes it holds.
	Size = Pages * pageSize

	// Atomic is the largest write that is done whole or not at all (PIPE_BUF).
	Atomic = 4096
)

// The two kinds of ends.
const (
	Reading = iota
	Writing
)

// Pipe is a pipe. Its zero value, with Pages set, holds nothing.
type Pipe struct {
	Pages [Pages]uintptr // addresses; whose they are is the caller's affair

	// Ends counts those that are open, by Reading and Writing. A writer without readers fails, a
	// reader without writers is at the end.
	Ends [2]int32

	head, tail uint32 // bytes read and written since the beginning; they wrap around
}

// Len returns how many bytes it holds.
func (p *Pipe) Len() int { return int(p.tail - p.head) }

// Space returns how many bytes a write of n may write now: all or none of them if they are few
// (Atomic).
func (p *Pipe) Space(n int) int {
	space := Size - p.Len()
	if n <= Atomic && space < n {
		return 0
	}
	return min(space, n)
}

// Read returns up to n bytes that lie together, to be read, and then done away with
// (Skip); how many is 0 if it is empty.
func (p *Pipe) Read(n int) (at uintptr, size int) { return p.at(p.head, min(n, p.Len())) }

// Skip does away with the first n bytes, which Read returned.
func (p *Pipe) Skip(n int) { p.head += uint32(n) }

// Write returns room for up to n bytes that lie together, which the caller fills and then
// adds (Add). n is at most what Space returned.
func (p *Pipe) Write(n int) (at uintptr, size int) { return p.at(p.tail, n) }

// Add adds the n bytes that Write returned.
func (p *Pipe) Add(n int) { p.tail += uint32(n) }

// at is the address of byte i, and how many of n bytes are contiguous there.
func (p *Pipe) at(i uint32, n int) (at uintptr, size int) {
	i %= Size
	return p.Pages[i/pageSize] + uintptr(i%pageSize), min(n, pageSize-int(i%pageSize))
}

// Readable reports whether a read would not wait: there are bytes, or the end.
func (p *Pipe) Readable() bool { return p.Len() > 0 || p.Ends[Writing] == 0 }

// Writable reports whether a write of a few bytes would not wait: there is room for them (Linux's
// poll uses the same condition), or no reader.
func (p *Pipe) Writable() bool { return Size-p.Len() >= Atomic || p.Ends[Reading] == 0 }

// head and tail wrap around where the ring does.
const _ = -uint(Size & (Size - 1))

package arch

// Jump is where SetJump was called: stack pointer, frame pointer, return address, g.
type Jump [4]uintptr

// SetJump remembers where it is called, in c, and returns 0. It returns 1 when Revert has come back. What its caller needs afterwards must
// lie in memory. Scheduler stack, interrupts off.
func SetJump(c *Jump) (again uintptr)

// Revert copies n pages back: page i, at store+i*PageSize, to the address that word i of list holds. Then it forgets what the processor
// knows of page tables, and returns from c's SetJump. It works with registers alone: the pages may be its own stack. List, store and c
// are none of the pages. Interrupts off.
func Revert(list, n, store uintptr, c *Jump)

// ClockAt returns how far the clock's counter has come, and ClockFrom has the clock go on from there.
func ClockAt() uint64 { return counter() - countBase }

// ClockFrom: see ClockAt.
func ClockFrom(at uint64) { countBase = counter() - at }

// Package drivers is the table of devices that an image may find, one package
// per device. The kernel asks for a role and takes the first device of the
// table that has it and is there.
package drivers

// Role is what the kernel uses a device for.
type Role int

const (
	Console Role = iota // the guest's standard output, and its messages
	Errors              // the guest's standard error
	Report              // counters and exit status, read by the host tool
	Exit                // ends the machine
	Clock               // wall time
)

// Dev is a device. Attach finds and initialises it and reports whether it is
// there; the functions that its role has no use for are nil. All of them may
// be called in any context, but one at a time.
type Dev struct {
	Name    string
	Role    Role
	Attach  func() bool
	Write   func(p, n uintptr)        // Console, Errors, Report: sends n bytes at p
	Exit    func(status int)          // Exit: does not return if it works
	Seconds func() (s int64, ok bool) // Clock: since 1970, UTC
}

// Find attaches the first device of the table that has the role, or returns nil.
func Find(r Role) *Dev {
	for i := range table {
		if d := &table[i]; d.Role == r && d.Attach() {
			return d
		}
	}
	return nil
}

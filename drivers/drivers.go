// Package drivers is the table of devices that an image may find, one package
// per device. The kernel asks for a role and takes the first device of the
// table that has it and is there.
package drivers

import (
	"sched9/drivers/virtioblk"
	"sched9/drivers/virtiorng"
)

// Role is what the kernel uses a device for.
type Role int

const (
	Console    Role = iota // the guest's standard output, and its messages
	Errors                 // the guest's standard error
	Ports                  // streams with names, which take the places of Console and Errors (package virtioconsole)
	Report                 // counters and exit status, read by the host tool
	Exit                   // ends the machine
	Clock                  // wall time
	Input                  // the console's input
	Disks                  // block storage
	Random                 // random bytes
	PortErrors             // standard error and report on serial ports of their own, if the host says that it reads them
	PortReport
	Screen // shows what Console and Errors are sent

	roles // how many there are
)

// Dev is a device. Attach finds and initialises it and reports whether it is there; functions that
// its role does not use are nil. All of them may be called in any context, but one at a time. A
// device that interrupts is given a line to do so (package arch); the kernel's memory lock is held
// then, as in Attach of Disks and Random.
type Dev struct {
	Name    string
	Role    Role
	Attach  func() bool
	Write   func(p, n uintptr) (taken uintptr) // Console, Errors, Report, Screen: sends what the device takes at once of n bytes at p
	Sent    func() bool                        // Console, Errors, Report: whether all has left the machine
	Code    func(p, n uintptr)                 // Screen: shows n bytes at p, or the first of them, so that a camera can read them
	Exit    func(status int)                   // Exit: does not return if it works
	Seconds func() (s int64, ok bool)          // Clock: since 1970, UTC

	Connect func(line int) bool         // Input: lets it interrupt; false: it cannot
	Receive func() (c byte, ok bool)    // Input: the next byte, if one has come
	Listen  func(on bool)               // Input: whether a byte that has come interrupts
	Unit    func(i int) *virtioblk.Disk // Disks: disk i, nil if there are not so many
	Source  func() *virtiorng.Source    // Random: the device
}

// found is where in the table Find found a device with the role.
var found [roles]uint8

// Find attaches the first device of the table that has the role, or returns nil.
func Find(r Role) *Dev {
	for i := range table {
		if d := &table[i]; d.Role == r && d.Attach() {
			found[r] = uint8(i)
			return d
		}
	}
	return nil
}

// Get returns the device with the role that Find has returned.
func Get(r Role) *Dev { return &table[found[r]] }

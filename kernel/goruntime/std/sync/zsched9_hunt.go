//go:build sched9hunt

package sync

import _ "unsafe" // for go:linkname

// sched9Point: see package runtime.
//
//go:linkname sched9Point runtime.sched9Point
func sched9Point()

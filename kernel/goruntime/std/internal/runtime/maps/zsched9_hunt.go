//go:build sched9hunt

package maps

import _ "unsafe" // for go:linkname

// sched9Point: see package runtime.
//
//go:linkname sched9Point runtime.sched9Point
func sched9Point()

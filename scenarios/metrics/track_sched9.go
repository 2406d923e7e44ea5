//go:build sched9

package main

import _ "unsafe" // for go:linkname

// alwaysTrack is what the runtime's own tests have it measure every wait by, not one of eight.
//
//go:linkname alwaysTrack runtime.casgstatusAlwaysTrack
var alwaysTrack bool

// track has the runtime measure every wait, or no longer, and reports whether it can be told so.
func track(on bool) bool {
	alwaysTrack = on
	return true
}

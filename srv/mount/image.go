//go:build sched9

package mount

import "sched9/srv/call"

// init makes this package a server of the program's calls.
func init() {
	call.Serve(serve)
	possible = true
}

//go:build sched9

package runtime

import (
	nkernel "sched9/kernel"
	_ "unsafe" // for go:linkname
)

//go:linkname time_now time.now
func time_now() (sec int64, nsec int32, mono int64) {
	sec, nsec = nkernel.Walltime()
	return sec, nsec, nanotime()
}

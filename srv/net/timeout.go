package net

import (
	"encoding/binary"
	"sync/atomic"
	"syscall"
	"time"
)

// A limit is how long calls of a file that receive, or send, wait at most (SO_RCVTIMEO, SO_SNDTIMEO), in nanoseconds: 0 is without end, less is
// not at all. A call that has begun keeps to what was set then.
type limit = atomic.Int64

// limitOf returns the limit that an option is, or nil.
func (f *file) limitOf(level, name int) *limit {
	switch (optionName{level, name}) {
	case optionName{syscall.SOL_SOCKET, syscall.SO_RCVTIMEO}:
		return &f.receives
	case optionName{syscall.SOL_SOCKET, syscall.SO_SNDTIMEO}:
		return &f.sends
	}
	return nil
}

// setLimit sets a limit to a struct timeval: no time is no limit.
func setLimit(l *limit, value []byte) syscall.Errno {
	if len(value) < 16 {
		return syscall.EINVAL
	}
	seconds, micro := int64(binary.NativeEndian.Uint64(value)), int64(binary.NativeEndian.Uint64(value[8:]))
	const most = int64(1<<63-1) / int64(time.Second)
	switch {
	case micro < 0 || micro >= 1e6:
		return syscall.EDOM
	case seconds < 0:
		l.Store(-1)
	case seconds >= most:
		l.Store(0)
	default:
		l.Store(seconds*int64(time.Second) + micro*int64(time.Microsecond))
	}
	return 0
}

// getLimit is the limit as a struct timeval.
func getLimit(l *limit) []byte {
	d := max(l.Load(), 0)
	b := binary.NativeEndian.AppendUint64(nil, uint64(d/int64(time.Second)))
	return binary.NativeEndian.AppendUint64(b, uint64(d%int64(time.Second)/int64(time.Microsecond)))
}

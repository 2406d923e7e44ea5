package main

import (
	"io"
	"time"

	"sched9/srv"
)

// clock is a file whose reader waits for the next tenth of a second.
type clock struct{ tick <-chan time.Time }

func newClock() clock { return clock{time.Tick(100 * time.Millisecond)} }

func (c clock) Stat() (srv.Attr, error) { return srv.Attr{Mode: 0o444}, nil }

func (c clock) ReadAt(b []byte, at int64) (int, error) {
	if at > 0 {
		return 0, io.EOF
	}
	return copy(b, (<-c.tick).Format("05.000")+"\n"), nil
}

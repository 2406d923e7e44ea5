package top

import (
	"fmt"
	"io"
	"time"

	"sched9/trace/live"
)

// Plain writes a page at every tick, and a last one when done is closed.
func Plain(w io.Writer, f *Feed, tick <-chan time.Time, done <-chan struct{}) error {
	for {
		select {
		case <-tick:
			if err := writePage(w, f); err != nil {
				return err
			}
		case <-done:
			return writePage(w, f)
		}
	}
}

// writePage writes a page and an empty line.
func writePage(w io.Writer, f *Feed) error {
	for _, l := range f.Page(live.Options{}, 0) {
		if _, err := fmt.Fprintln(w, l.Text); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

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
			if err := Print(w, f, 0); err != nil {
				return err
			}
		case <-done:
			return Print(w, f, 0)
		}
	}
}

// Print writes a page, with all that there is to say, and an empty line. Lines
// are no longer than width, if that is not 0.
func Print(w io.Writer, f *Feed, width int) error {
	for _, l := range f.Page(live.Options{Width: width}, 0) {
		if _, err := fmt.Fprintln(w, l.Text); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

//go:build !linux

package guest

import "time"

// hurry has no thread to speak of.
func hurry() {}

// nap sleeps.
func nap(d time.Duration) { time.Sleep(d) }

//go:debug asynctimerchan=1

// Package huntedticks has a test with a ticker that never lets the program sleep, as modules for Go 1.22 and earlier can have: it ticks though nobody receives.
package huntedticks

import (
	"sync"
	"testing"
	"time"
)

// TestLocked waits for one that waits for its own lock.
func TestLocked(t *testing.T) {
	tick := time.NewTicker(time.Nanosecond)
	defer tick.Stop()
	var mu sync.Mutex
	ready := make(chan int)
	go func() {
		mu.Lock()
		mu.Lock()
		ready <- 1
	}()
	<-ready
}

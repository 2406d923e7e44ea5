// Locked ends as a deadlock: each of many goroutines waits for a mutex of its own, which main
// has, and one more for the last of them.
package main

import "sync"

// more than the runtime has lists of waiters, so that some share one
const n = 300

var locks [n]sync.Mutex

func waitFor(l *sync.Mutex) { l.Lock() }

func main() {
	for i := range locks {
		locks[i].Lock()
		go waitFor(&locks[i])
	}
	go waitFor(&locks[n-1])
	select {}
}

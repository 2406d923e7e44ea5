//go:build !explore

package sched

import "sync"

// mutex guards what the model's runtime keeps. The explorer has its own (host_walk_test.go).
type mutex = sync.Mutex

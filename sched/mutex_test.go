//go:build !explore

package sched

import "sync"

// mutex guards what the model's runtime keeps. The explorer has its own (walk_test.go).
type mutex = sync.Mutex

//go:build !explore

package sched

import "sync"

// mutex guards what the model's language keeps. The explorer has its own (walk_test.go).
type mutex = sync.Mutex

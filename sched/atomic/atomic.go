//go:build !explore && !arm64

// Package atomic is sync/atomic as the scheduler and the kernel use it. In an image, and in
// every build without the tag explore, its types are aliases: the layer costs nothing, and
// the tests compare the compiled code to prove it. With the tag every access first
// tells an explorer, which may let another M go on before it. On arm64 a store is an
// exchange: see store_arm64.go.
package atomic

import "sync/atomic"

type (
	Bool           = atomic.Bool
	Int32          = atomic.Int32
	Int64          = atomic.Int64
	Uint32         = atomic.Uint32
	Uint64         = atomic.Uint64
	Uintptr        = atomic.Uintptr
	Pointer[T any] = atomic.Pointer[T]
)

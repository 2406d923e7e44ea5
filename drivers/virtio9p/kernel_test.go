package virtio9p

import _ "unsafe" // for go:linkname

// allocTable and freeFrame are the kernel's, which the code for PCI calls in an image: a test
// has no page tables.
//
//go:linkname allocTable sched9/kernel.allocTable
func allocTable() uint64 { return 0 }

//go:linkname freeFrame sched9/kernel.freeFrame
func freeFrame(pa uint64, size uintptr) {}

//go:build !explore && !race

package atomic

import "unsafe"

// StoreRelInt32 stores v to x as release: this processor's earlier stores are visible before it. Unlike
// Store it does not order later loads: an M that next loads another M's answer needs Store.
//
// Every store of amd64 is a release (Intel SDM vol. 3A, 8.2.2), and the compiler keeps stores to memory
// in their order. Store is an XCHG, which under multi-threaded TCG is a function call.
func StoreRelInt32(x *Int32, v int32) { *(*int32)(unsafe.Pointer(x)) = v }

// StoreRelUint32: see StoreRelInt32.
func StoreRelUint32(x *Uint32, v uint32) { *(*uint32)(unsafe.Pointer(x)) = v }

// StoreRelUintptr: see StoreRelInt32.
func StoreRelUintptr(x *Uintptr, v uintptr) { *(*uintptr)(unsafe.Pointer(x)) = v }

//go:build !explore && !race

package atomic

import "unsafe"

// StoreRelInt32 stores v to x as release: what this processor stored before is seen before it.
// Unlike Store it orders nothing behind it. Who loads, after it, what another M answers with,
// needs Store.
//
// Every store of amd64 is a release (Intel SDM vol. 3A, 8.2.2), and the compiler keeps stores to memory
// in their order. Store is an XCHG, which under multi-threaded TCG is a call of a function.
func StoreRelInt32(x *Int32, v int32) { *(*int32)(unsafe.Pointer(x)) = v }

// StoreRelUint32: see StoreRelInt32.
func StoreRelUint32(x *Uint32, v uint32) { *(*uint32)(unsafe.Pointer(x)) = v }

// StoreRelUintptr: see StoreRelInt32.
func StoreRelUintptr(x *Uintptr, v uintptr) { *(*uintptr)(unsafe.Pointer(x)) = v }

//go:build explore || (race && !arm64) || (!amd64 && !arm64)

package atomic

// StoreRelInt32 stores v to x as release: this processor's earlier stores are visible before it. Here it
// is a Store: the explorer has one order of all accesses, and the race detector knows no other.
func StoreRelInt32(x *Int32, v int32) { x.Store(v) }

// StoreRelUint32: see StoreRelInt32.
func StoreRelUint32(x *Uint32, v uint32) { x.Store(v) }

// StoreRelUintptr: see StoreRelInt32.
func StoreRelUintptr(x *Uintptr, v uintptr) { x.Store(v) }

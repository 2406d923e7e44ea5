//go:build !explore

package atomic

// StoreRelInt32 stores v to x as release, by STLR: this processor's earlier stores are visible
// before it. Unlike Store it does not order later loads (store_arm64.go).
func StoreRelInt32(x *Int32, v int32) { x.Int32.Store(v) }

// StoreRelUint32: see StoreRelInt32.
func StoreRelUint32(x *Uint32, v uint32) { x.Uint32.Store(v) }

// StoreRelUintptr: see StoreRelInt32.
func StoreRelUintptr(x *Uintptr, v uintptr) { x.Uintptr.Store(v) }

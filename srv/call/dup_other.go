//go:build !amd64

package call

// sysDup2 is no call here.
const sysDup2 = ^uintptr(0)

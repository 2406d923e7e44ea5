//go:build !amd64

package net

// sysDup2 is no call here.
const sysDup2 = ^uintptr(0)

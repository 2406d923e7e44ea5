// Package interfaces stands in images for github.com/insomniacslk/dhcp/interfaces, which binds a socket to an interface by
// golang.org/x/sys/unix. The client of DHCP uses no socket.
package interfaces

import "syscall"

// BindToInterface fails.
func BindToInterface(int, string) error { return syscall.ENOSYS }

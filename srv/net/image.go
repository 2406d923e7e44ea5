//go:build sched9

package net

import (
	"syscall"

	"sched9/srv/call"
)

// init makes this package the program's server. Package net reads /etc/hosts: there is one that names this machine, unless the
// program's files have their own.
func init() {
	call.Serve(serve)
	syscall.Mkdir("/etc", 0o755) // it may be there
	n, err := syscall.Open("/etc/hosts", syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL|syscall.O_CLOEXEC, 0o644)
	if err == nil {
		syscall.Write(n, []byte("127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"))
		syscall.Close(n)
	}
}

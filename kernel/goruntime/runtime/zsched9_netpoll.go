//go:build sched9

package runtime

// The network poller's platform half, in place of netpoll_epoll.go. There are
// no descriptors to poll: opening one fails, and package os then uses it as a
// blocking file.

const sched9NoPoll = 38 // ENOSYS

func netpollinit()                                 {}
func netpollIsPollDescriptor(fd uintptr) bool      { return false }
func netpollopen(fd uintptr, pd *pollDesc) uintptr { return sched9NoPoll }
func netpollclose(fd uintptr) uintptr              { return 0 }
func netpollarm(pd *pollDesc, mode int)            { throw("sched9: netpollarm without a poll descriptor") }
func netpollBreak()                                {}
func netpoll(delay int64) (gList, int32)           { return gList{}, 0 }

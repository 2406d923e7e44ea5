//go:build sched9

package runtime

// sched9TLSOffset is the distance from m.tls to what is given to the kernel as thread
// pointer. Nothing here has one: g is in a register.
const sched9TLSOffset = 8

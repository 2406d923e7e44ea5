//go:build sched9

package runtime

// sched9TLSOffset is the distance from m.tls, where g is kept, to the thread
// pointer that finds it there: -8(FS).
const sched9TLSOffset = 8

//go:build sched9names

package names

// Served says that the image shows these files: it was built with the tag sched9names.
const Served = true

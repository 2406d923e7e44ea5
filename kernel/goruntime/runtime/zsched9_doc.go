// The files of this folder are added to the toolchain's package runtime in an image, by the overlay that
// package goruntime makes. They bear the build tag sched9: on the host there is nothing of them to build
// but this comment.
package runtime

// The files of this folder are added to the toolchain's package runtime in an image, by the overlay that
// package goruntime makes. They bear the build tag sched9: on the host there is nothing of them to build
// but this comment.
//
// The z sorts them behind the toolchain's own files, whose order, and so the order in which their variables are
// initialized, stays what it is. sched9 marks every name that we add to the package. Our packages are imported as nsched,
// nkernel and natomic, because the runtime has a variable sched and an atomic of its own; the fields g.nsched, m.nsched and
// p.nsched, which the cut list adds, tie the runtime's G, M and P to ours.
package runtime

// The files of this folder are added to the toolchain's package runtime in an image, by the overlay that package goruntime
// makes. They have the build tag sched9: on the host only this comment is built.
//
// The z sorts them behind the toolchain's own files, so that the order of those, and with it the order in which their
// variables are initialized, does not change. sched9 marks every name that we add to the package. Our packages are imported
// as nsched, nkernel and natomic, because the runtime has a variable sched and an atomic of its own; the fields g.nsched,
// m.nsched and p.nsched, which the cut list adds, tie the runtime's G, M and P to ours.
package runtime

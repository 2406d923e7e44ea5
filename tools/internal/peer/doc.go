// Package peer makes and boots the machine that an image is measured against: Debian's kernel in the same QEMU,
// with one program, built by the same toolchain, as its only process.
package peer

// Package sched9 holds the sources that go into an image, so that the host tool
// works wherever it is installed.
package sched9

import "embed"

// Source is what is laid over GOROOT/src when an image is built outside of a checkout
// (goruntime.FindSources): the packages sched9/arch, drivers, kernel, record, sched and srv,
// kernel/goruntime's files for package runtime, and the versions of the modules that servers use.
//
//go:embed arch drivers kernel record sched srv go.mod go.sum
var Source embed.FS

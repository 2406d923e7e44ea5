// Package sched9 holds the sources that go into an image, so that the host tool
// works wherever it is installed.
package sched9

import "embed"

// Source is what is laid over GOROOT/src when an image is built outside of a checkout
// (goruntime.FindSources): the packages sched9/arch, drivers, kernel, record and sched, and
// kernel/goruntime's files for package runtime.
//
//go:embed arch drivers kernel record sched
var Source embed.FS

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

// Selftest is the program of `sched9 selftest`: scenarios/selftest without the import by which a checkout's image gets names.
//
//go:embed scenarios/selftest/main.go scenarios/selftest/time.go scenarios/selftest/between.go scenarios/selftest/memory.go
var Selftest embed.FS

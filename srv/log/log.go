// Package log stands in images for the log package of the network stack (gvisor.dev/gvisor/pkg/log): what the stack
// would log goes nowhere, but for what it calls bugs. The package that it replaces brings packages along that themselves import
// package net in their tests.
package log

import "time"

// Level is how important a line is.
type Level uint32

// Logger is what the stack logs with.
type Logger interface {
	Debugf(format string, v ...any)
	Infof(format string, v ...any)
	Warningf(format string, v ...any)
	IsLogging(level Level) bool
}

// none is a Logger that is silent.
type none struct{}

// Debugf says nothing, as the others do.
func (none) Debugf(string, ...any) {}

// Infof: see Debugf.
func (none) Infof(string, ...any) {}

// Warningf: see Debugf.
func (none) Warningf(string, ...any) {}

// IsLogging is false, so that nobody prepares what would be said.
func (none) IsLogging(Level) bool { return false }

// Log returns the Logger.
func Log() Logger { return none{} }

// BasicRateLimitedLogger returns the Logger.
func BasicRateLimitedLogger(time.Duration) Logger { return none{} }

// Debugf says nothing, as the others do.
func Debugf(string, ...any) {}

// Infof: see Debugf.
func Infof(string, ...any) {}

// Warningf: see Debugf.
func Warningf(string, ...any) {}

// BugTracebackOnce is told of what cannot be.
func BugTracebackOnce(err error) {
	if err != nil {
		panic(err)
	}
}

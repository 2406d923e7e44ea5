// Package live follows a run that goes on: a Model takes events as they come and
// knows at every moment what each M, P and goroutine does, and Lines makes a
// page of it.
//
// A Model believes that it may have missed something: an event lost in
// a full ring makes a figure wrong for a moment, not for ever.
package live

// Package gotrace writes a recording as a Go execution trace, which the tools made for those open:
// go tool trace, and all that reads with golang.org/x/exp/trace.
//
// The readers of that format keep a model of the scheduler while they read. They refuse a trace in
// which a goroutine starts that was not made runnable, or becomes runnable twice, or leaves a
// processor that it is not on. So an accepted trace has passed a check that is not ours. For that
// to mean something, Write writes what the recording says and corrects nothing. There are two
// exceptions, because they are not the scheduler's doing:
//
//   - The state before the recording begins is taken from the first events
//     of each P and G (start.go).
//   - Where records were lost, and only then, the events that must have happened in the gap
//     are added (settle.go).
//
// Some of the format's events name no goroutine and mean the running one. There Write compares
// first and returns an error if the recording's goroutine is another.
//
// A system call whose P is taken is written as the runtime's own tracer writes it: a steal of the
// P, which names the thread that had it. When the goroutine is back there follows either a start of
// another P, the end of the call and a start of the goroutine, or only the end of the call, which
// leaves it runnable. An M that ends and begins anew is the same thread all along, and so is a
// processor that runs foreign code and calls back.
//
// P and M n of ours are n+1 there: the viewer draws no arrows from lane 0. A stop of the world is a
// range of the goroutine that wants it; one that no goroutine wants, at boot, is left out. So are
// holds (EvHold): the goroutine stays where it is.
package gotrace

// Package gotrace writes a recording as a Go execution trace, which the tools
// made for those open: go tool trace, and all that reads with
// golang.org/x/exp/trace.
//
// The readers of that format keep a model of the scheduler while they read, and
// refuse a trace in which a goroutine starts that nobody made runnable, or
// becomes runnable twice, or leaves a processor that it is not on. So what they
// accept has passed a check that is not ours. For that to mean something, Write
// tells what the recording tells and mends nothing. Two things are the exception,
// because they are not the scheduler's doing:
//
//   - What was so before the recording begins is taken from what comes first
//     of each P and G (start.go).
//   - Where records were lost, and only then, what must have happened meanwhile
//     is put in (settle.go).
//
// Where the format has no word for what the recording says, because it names no
// goroutine and means the one that runs, Write compares first and returns an error
// if the two differ.
//
// A system call whose P is taken is told as the runtime's own tracer tells it: a steal
// of the P, which names the thread that had it, and when the goroutine is back either a
// start of another P, the end of the call and a start of the goroutine, or the end of
// the call alone, which leaves it runnable. An M that ends and begins anew is the same
// thread all along, and so is a processor that runs foreign code and calls back.
//
// P and M n of ours are n+1 there: the viewer draws no arrows from lane 0. A stop
// of the world is a range of the goroutine that wants it; one that no goroutine
// wants, at boot, is left out. So are holds (EvHold): the goroutine stays where it
// is.
package gotrace

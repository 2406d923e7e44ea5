// Package trace reads what a guest's scheduler recorded: the events of a run, which goroutines ran
// where and why, on a clock that all processors share.
//
// A recording comes from Attach, which empties the rings in a running guest's memory into a Writer,
// and is read by Read into a Trace. Package check replays a Trace against the scheduler's rules;
// the packages beside it make pictures of it.
//
// Events are package record's: record.Event explains their names, arguments and the moment at which
// each is written.
package trace

// Package perfetto writes a recording as a trace for Perfetto, by its protobuf messages: what ran
// on every P and every M, which goroutine woke which, how long the queues were.
//
// Three groups of tracks: the Ps, which say who may run, with their queues; the Ms, which are the
// vCPUs; and the world, with its stops and the collector's phases. Arrows lead from the place on an
// M where a goroutine was made ready to its next run.
//
// The run is written piece by piece, and written pieces are forgotten, so memory does not grow with
// its length. Packets are not in the order of time, which Perfetto does not require: it sorts them,
// and keeps the order of those of one time.
package perfetto

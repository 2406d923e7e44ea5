// Package perfetto writes a recording as a trace-event file, which Perfetto and
// Chrome's own viewer open: what ran on every P and every M, who woke whom,
// how long the queues were.
//
// Three groups of tracks: the Ps, which say who may run; the Ms, which are the
// vCPUs; and the world, with its stops and the collector's phases. Arrows lead
// from the place on an M where a goroutine was made ready to its next run.
package perfetto

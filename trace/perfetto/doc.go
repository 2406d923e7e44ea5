// Package perfetto writes a recording as a trace for Perfetto, by its protobuf
// messages: what ran on every P and every M, who woke whom, how long the queues
// were.
//
// Three groups of tracks: the Ps, which say who may run, with their queues; the
// Ms, which are the vCPUs; and the world, with its stops and the collector's
// phases. Arrows lead from the place on an M where a goroutine was made ready to
// its next run.
//
// The run is written piece by piece, and what is written is forgotten, so memory
// does not grow with its length. Packets are not in the order of time, which
// Perfetto does not ask for: it sorts them, and keeps those of one time as they
// come.
package perfetto

package suite

import (
	"strings"
	"testing"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/tracetest"
)

// TestAccepted: a possible schedule is accepted; for an impossible one the error says what is
// wrong, whether the writer or the reader finds it.
func TestAccepted(t *testing.T) {
	begin := []tracetest.Event{
		{At: 1, Kind: record.EvAcquire},
		{At: 2, Kind: record.EvCreate, G: 1},
		{At: 3, Kind: record.EvStart, G: 1},
	}
	for _, c := range []struct {
		name string
		more []tracetest.Event
		want string
	}{
		{"a goroutine ends", []tracetest.Event{{At: 4, Kind: record.EvExit, G: 1}}, ""},
		{"another than the one that runs", []tracetest.Event{{At: 4, Kind: record.EvExit, G: 2}}, "the M runs G1"},
		{"one is woken that does not wait", []tracetest.Event{{At: 4, Kind: record.EvUnblock, G: 1}}, "failed to advance"},
	} {
		r := tracetest.Of(t, trace.Meta{SMP: 1}, 1000, append(begin[:len(begin):len(begin)], c.more...))
		err := accepted(r.Trace(trace.Legend{}, &trace.End{}))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

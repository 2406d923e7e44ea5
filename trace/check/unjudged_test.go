package check

import (
	"strings"
	"testing"

	"sched9/trace"
)

// TestUnjudged: records that the host did not read are the host's fault; records missing for another reason break
// a rule.
func TestUnjudged(t *testing.T) {
	for _, c := range []struct {
		lost, overrun uint64
		unjudged      bool
	}{{0, 0, false}, {3, 0, false}, {3, 3, true}, {4, 3, true}} {
		tr := &trace.Trace{Lost: []uint64{0, c.lost}, Overrun: c.overrun}
		if why := Unjudged(tr); (why != "") != c.unjudged || c.unjudged && !strings.Contains(why, "3 records") {
			t.Errorf("%+v: %q", c, why)
		}
		found := Check(tr)
		if broken := len(found) == 1 && found[0].Rule == "V3"; broken != (c.lost > 0) {
			t.Errorf("%+v: %v", c, found)
		}
	}
}

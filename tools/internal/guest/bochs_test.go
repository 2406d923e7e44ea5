package guest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"sched9/tools/internal/bochs"
	"sched9/tools/internal/report"
)

// TestJudgeBochs: a run in Bochs has ended well only if the machine was turned off and the report is whole.
func TestJudgeBochs(t *testing.T) {
	for _, c := range []struct {
		err    error
		report string
		status int
		lost   bool
	}{
		{nil, "counter x 1\nexit 0\n", 0, false},
		{nil, "exit 3\n", 3, false},
		{nil, "fault\nexit 126\n", StatusFault, true},
		{nil, "counter x 1\n", StatusLost, true},
		{nil, "", StatusLost, true},
		{errors.New("Bochs stops the machine"), "exit 0\n", StatusLost, true},
		{bochs.ErrTimeout, "exit 0\n", StatusTimeout, true},
		{fmt.Errorf("run: %w", bochs.ErrCancelled), "", StatusInterrupt, true},
	} {
		if o := judgeBochs(c.err, report.Parse(c.report)); o.Status != c.status || (o.Why != "") != c.lost {
			t.Errorf("%v, %q: status %d, %q; want %d", c.err, c.report, o.Status, o.Why, c.status)
		}
	}
}

// TestCheckBochs: what Bochs does not have is refused before anything is built.
func TestCheckBochs(t *testing.T) {
	good := Guest{Name: "x", Arch: "amd64", SMP: 8, Mem: "2G", Accel: "auto", Timeout: 1, Via: ViaBochs}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Guest){
		"an architecture": func(g *Guest) { g.Arch = "arm64" },
		"a machine":       func(g *Guest) { g.Machine = "q35" },
		"a processor":     func(g *Guest) { g.CPU = "max" },
		"an accelerator":  func(g *Guest) { g.Accel = "kvm" },
		"processors":      func(g *Guest) { g.SMP = 9 },
		"memory":          func(g *Guest) { g.Mem = "3G" },
		"a recording":     func(g *Guest) { g.Record = new(bytes.Buffer) },
		"a debugger":      func(g *Guest) { g.GDB = ":1234" },
		"instructions":    func(g *Guest) { g.ICount = true },
	} {
		g := good
		if change(&g); g.Check() == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

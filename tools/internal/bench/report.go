package bench

import (
	"encoding/json"
	"fmt"
	"os"
)

// format is the version of Report's form in a file.
const format = 1

// Modes in which guests run.
const (
	ICount = "icount" // instructions are counted, one vCPU; the same every time
	TCG    = "tcg"    // a thread for each vCPU; time is the host's
	Build  = "build"  // not run at all
)

// Report is the results of a run of `sched9 bench`.
type Report struct {
	Format int    `json:"format"`
	When   string `json:"when"` // RFC 3339
	Arch   string `json:"arch"`
	QEMU   string `json:"qemu"`
	Go     string `json:"go"`
	Linux  string `json:"linux,omitempty"` // the kernel's version, "" if there was no peer
	Quick  bool   `json:"quick,omitempty"`
	Ops    string `json:"ops,omitempty"` // the regular expression of operations that were asked for
	Rows   []Row  `json:"rows"`
}

// Row is an operation in a mode with a number of vCPUs.
type Row struct {
	Mode string `json:"mode"`
	CPUs int    `json:"cpus"`
	Op   string `json:"op"`
	Unit string `json:"unit"` // "instructions", "ns", "bytes", "goroutines/GiB"
	// A figure for each boot, the median of its samples, in the order of boots: so both
	// of one place were measured one after the other.
	Ours  []float64 `json:"sched9"`
	Peers []float64 `json:"linux"`
}

// Ratio is sched9's figure divided by Linux's.
func (r Row) Ratio() Spread { return spread(ratios(r.Ours, r.Peers)) }

// Add puts a figure into the row of its name, which it makes if there is none.
func (r *Report) Add(mode string, cpus int, op, unit string, peer bool, value float64) {
	at := r.find(mode, cpus, op)
	if at < 0 {
		at = len(r.Rows)
		r.Rows = append(r.Rows, Row{Mode: mode, CPUs: cpus, Op: op, Unit: unit})
	}
	row := &r.Rows[at]
	if peer {
		row.Peers = append(row.Peers, value)
	} else {
		row.Ours = append(row.Ours, value)
	}
}

// AddOutput puts a boot's output into r. suffix is added to the names of its operations: it says
// under which conditions they ran.
func (r *Report) AddOutput(mode string, cpus int, suffix string, peer bool, out Output) {
	for _, res := range out.Results {
		unit := res.Unit
		if unit == "ns/op" {
			unit = "ns"
			if mode == ICount {
				unit = "instructions"
			}
		}
		r.Add(mode, cpus, res.Op+suffix, unit, peer, spread(res.Samples).Median)
	}
}

// find returns the index of a row, -1 if there is none.
func (r *Report) find(mode string, cpus int, op string) int {
	for i, row := range r.Rows {
		if row.Mode == mode && row.CPUs == cpus && row.Op == op {
			return i
		}
	}
	return -1
}

// JSON is r's form in a file.
func (r *Report) JSON() ([]byte, error) {
	r.Format = format
	b, err := json.MarshalIndent(r, "", "\t")
	return append(b, '\n'), err
}

// ReadFile reads a report that JSON made.
func ReadFile(name string) (Report, error) {
	var r Report
	data, err := os.ReadFile(name)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s holds no results of sched9 bench: %w", name, err)
	}
	if r.Format != format || len(r.Rows) == 0 {
		return r, fmt.Errorf("%s holds no results of sched9 bench that this one understands", name)
	}
	return r, nil
}

package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Start is the program's first line.
type Start struct {
	System string `json:"system"`
	Go     string `json:"go"`
	CPUs   int    `json:"cpus"`
	Clock  string `json:"clock"`
	Total  uint64 `json:"total"` // bytes that the kernel has to give, 0 if it does not say
	Free   uint64 `json:"free"`
}

// Result is what the program prints of an operation.
type Result struct {
	Op      string    `json:"op"`
	Unit    string    `json:"unit"`
	CPUs    int       `json:"cpus"`
	Procs   int       `json:"procs"`
	N       int       `json:"n"`
	Samples []float64 `json:"samples"`
}

// Output is all that the program printed.
type Output struct {
	Start   Start
	Results []Result
}

// mark is what the program's lines begin with.
const mark = "bench: "

// Parse reads what the program printed. Lines of others, as a kernel's, are passed over. The
// error says that it is not all there, or not what the program prints.
func Parse(text string) (Output, error) {
	var out Output
	started, ended := false, false
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line, ok := strings.CutPrefix(strings.TrimRight(lines.Text(), "\r"), mark)
		if !ok {
			continue
		}
		if ended {
			return out, fmt.Errorf("the program goes on after its end: %q", line)
		}
		var r Result
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return out, fmt.Errorf("the line %q is not understood: %w", line, err)
		}
		switch {
		case r.Op == "start" && !started:
			started = true
			if err := json.Unmarshal([]byte(line), &out.Start); err != nil {
				return out, fmt.Errorf("the line %q is not understood: %w", line, err)
			}
		case r.Op == "start":
			return out, errors.New("the program started twice: the machine was reset")
		case !started:
			return out, fmt.Errorf("the line %q comes before the first", line)
		case r.Op == "end":
			ended = true
		default:
			if err := r.check(); err != nil {
				return out, err
			}
			out.Results = append(out.Results, r)
		}
	}
	switch {
	case !started:
		return out, errors.New("the program printed no results")
	case !ended:
		return out, errors.New("the program did not come to its end")
	}
	return out, lines.Err()
}

// check says what is wrong with r.
func (r Result) check() error {
	switch {
	case r.Op == "" || r.Unit == "":
		return errors.New("a result without a name or a unit")
	case len(r.Samples) == 0:
		return fmt.Errorf("the result %q has no samples", r.Op)
	}
	for _, v := range r.Samples {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("the result %q has a sample that is no number", r.Op)
		}
	}
	return nil
}

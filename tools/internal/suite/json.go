package suite

import (
	"encoding/json"
	"io"
	"strings"
	"time"
)

// event is what `go test -json` writes (go doc test2json), so that what reads
// that reads this: a scenario is a package, a run is a test.
type event struct {
	Time    time.Time
	Action  string
	Package string
	Test    string   `json:",omitempty"`
	Output  string   `json:",omitempty"`
	Elapsed *float64 `json:",omitempty"`
}

// PrintJSON writes a result as a stream of events.
func PrintJSON(w io.Writer, r Result) error {
	enc := json.NewEncoder(w)
	put := func(e event) error {
		e.Time, e.Package, e.Test = time.Now(), r.Run.Scenario, r.Run.Name
		return enc.Encode(e)
	}
	if err := put(event{Action: "run"}); err != nil {
		return err
	}
	for line := range strings.Lines(r.Console) {
		if err := put(event{Action: "output", Output: line}); err != nil {
			return err
		}
	}
	for _, s := range r.Again {
		if err := put(event{Action: "output", Output: "booted again: " + s + "\n"}); err != nil {
			return err
		}
	}
	if r.Unjudged != "" {
		if err := put(event{Action: "output", Output: "not judged: " + r.Unjudged + "\n"}); err != nil {
			return err
		}
	}
	for _, s := range r.Wrong {
		if err := put(event{Action: "output", Output: s + "\n"}); err != nil {
			return err
		}
	}
	if s := strings.TrimSpace(counters(r)); s != "" {
		if err := put(event{Action: "output", Output: s + "\n"}); err != nil {
			return err
		}
	}
	action := "pass"
	switch {
	case r.Failed():
		action = "fail"
	case !r.Passed():
		action = "skip"
	}
	took := r.Took.Seconds()
	return put(event{Action: action, Elapsed: &took})
}

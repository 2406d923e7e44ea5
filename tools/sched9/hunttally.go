package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"

	schedhunt "sched9/sched/hunt"
	"sched9/tools/internal/hunt"
	"sched9/tools/internal/suite"
)

// tally is what has come of a hunt so far.
type tally struct {
	tried  int
	orders map[uint64]bool // schedules, by their hashes
	failed []hunt.Verdict
	broken []hunt.Verdict

	seeds int    // tried, without what was saved
	last  int    // the highest of them
	space uint64 // most that the strategy exhaust has told; 0: there is another one
}

// exhausted reports whether there is no schedule left to try: see the strategy.
func (t *tally) exhausted() bool {
	return t.space > 0 && t.seeds == t.last+1 && t.space <= uint64(t.seeds)
}

// add counts v.
func (t *tally) add(v hunt.Verdict) {
	if t.orders == nil {
		t.orders = map[uint64]bool{}
	}
	t.tried++
	if v.Saved == nil {
		t.seeds++
		t.last, t.space = max(t.last, v.Seed), max(t.space, v.Counters["hunt_space"])
	}
	t.orders[v.Counters["hunt_hash"]] = true
	switch {
	case v.Failed:
		t.failed = append(t.failed, v)
	case v.Broken != "":
		t.broken = append(t.broken, v)
	}
}

// progress is a line for whoever waits; n is how many are to be tried, 0: nobody knows.
func (t *tally) progress(took time.Duration, n int) string {
	line := fmt.Sprintf("%d schedules, %d different ones, %.1f/s", t.tried, len(t.orders), float64(t.tried)/took.Seconds())
	if n > 0 {
		line += fmt.Sprintf(", %v left", (took / time.Duration(t.tried) * time.Duration(max(n-t.tried, 0))).Round(time.Second))
	}
	if len(t.failed) > 0 {
		line += fmt.Sprintf(", %d failed", len(t.failed))
	}
	return line
}

// kinds are the failures of one title each, with the lowest seed.
func (t *tally) kinds() (kinds []hunt.Verdict) {
	slices.SortFunc(t.failed, func(a, b hunt.Verdict) int { return a.Seed - b.Seed })
	told := map[string]bool{}
	for _, v := range t.failed {
		if !told[v.Title] {
			kinds = append(kinds, v)
		}
		told[v.Title] = true
	}
	return kinds
}

// print tells what was found: each kind of failure once, with its lowest seed, and its cause, if that is known. again makes the command that replays a verdict's schedule, or
// the moves of a cause; pages are the names of pages, by seeds. took is 0 if nobody knows.
func (t *tally) print(w io.Writer, took time.Duration, causes map[int]*hunt.Cause, pages map[int]string, again func(v hunt.Verdict, c *hunt.Cause) string) {
	rate := ""
	if took > 0 {
		rate = fmt.Sprintf(", %.1f s, %.1f/s", took.Seconds(), float64(t.tried)/took.Seconds())
	}
	fmt.Fprintf(w, "%d schedules (%d different)%s: %d failed\n", t.tried, len(t.orders), rate, len(t.failed))
	switch {
	case t.exhausted():
		fmt.Fprintln(w, "exhausted: there is no other schedule with so few preemptions at points")
	case t.space > 0 && t.space < schedhunt.MostSpace:
		fmt.Fprintf(w, "not exhausted: that takes %d schedules, or more\n", t.space)
	case t.space > 0:
		fmt.Fprintln(w, "not exhausted: the program has too many schedules")
	}
	times := map[string]int{}
	for _, v := range t.failed {
		times[v.Title]++
	}
	for _, v := range t.kinds() {
		fmt.Fprintf(w, "%s (%d)\n", v.Title, times[v.Title])
		fmt.Fprintf(w, "  strategy %s, %d choices, %d preemptions\n  replay: %s\n", schedhunt.Name(int(v.Counters["hunt_strategy"])),
			v.Counters["hunt_choices"], v.Counters["hunt_preempts"], again(v, nil))
		if v.Saved != nil {
			fmt.Fprintf(w, "  as saved in %s\n", v.Saved.Name)
		}
		if c := causes[v.Seed]; c != nil {
			c.Print(w)
			fmt.Fprintf(w, "  replay of that alone: %s\n", again(v, c))
		}
		if name := pages[v.Seed]; name != "" {
			fmt.Fprintf(w, "  page: %s\n", name)
		}
	}
	for _, v := range t.broken {
		fmt.Fprintf(w, "no verdict, sched9's own fault: %s\n  replay: %s\n", v.Broken, again(v, nil))
	}
}

// jsonVerdict is a line of -json.
type jsonVerdict struct {
	Seed     int    `json:"seed"`
	Strategy string `json:"strategy"`
	Status   int    `json:"status"`
	Failed   bool   `json:"failed"`
	Title    string `json:"title,omitempty"`
	Broken   string `json:"broken,omitempty"`
	Schedule string `json:"schedule"`
	Output   string `json:"output"`
	Choices  uint64 `json:"choices"`
	Preempts uint64 `json:"preemptions"`
	Space    uint64 `json:"space,omitempty"` // of the strategy exhaust
}

// writeJSON writes a verdict as one line.
func writeJSON(w io.Writer, v hunt.Verdict) {
	line := jsonVerdict{v.Seed, schedhunt.Name(int(v.Counters["hunt_strategy"])), v.Status, v.Failed, v.Title, v.Broken, fmt.Sprintf("%016x", v.Counters["hunt_hash"]),
		fmt.Sprintf("%016x", v.Sum), v.Counters["hunt_choices"], v.Counters["hunt_preempts"], v.Counters["hunt_space"]}
	json.NewEncoder(w).Encode(line)
}

// writeJUnit writes the hunt as one test case.
func (t *tally) writeJUnit(w io.Writer, name string, took time.Duration) error {
	tc := junit.Testcase{Name: name, Classname: "hunt", Time: fmt.Sprintf("%.3f", took.Seconds())}
	switch {
	case len(t.failed) > 0:
		v := t.failed[0]
		tc.Failure = &junit.Result{Message: suite.XMLText(v.Title), Data: suite.XMLText(fmt.Sprintf("seed %d\n%s", v.Seed, v.Output))}
	case len(t.broken) > 0:
		tc.Error = &junit.Result{Message: suite.XMLText(t.broken[0].Broken)}
	}
	ts := junit.Testsuite{Name: "hunt", Time: tc.Time}
	ts.AddTestcase(tc)
	var all junit.Testsuites
	all.AddSuite(ts)
	return all.WriteXML(w)
}

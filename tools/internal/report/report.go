// Package report reads what a guest tells the host about its run, on a channel
// of its own: lines
//
//	trace ADDRESS
//	counter NAME VALUE
//	counter NAME.ID VALUE
//	run NUMBER...
//	switch FROM TIMES TO OTHER WHY AT ENDED TIME LINE FUNCTION CALL FILE
//	fault
//	exit STATUS
//
// of which the last one says that all has been told, and fault that the kernel could not
// go on. A run line comes of each run that sched9 hunt's machine ended well: kernel/hunt.go.
// A switch line comes of each time that sched9 hunt's hunter chose a goroutine, if that was asked for.
package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Report is a guest's account of its run.
type Report struct {
	Ended    bool // the exit line came
	Status   int  // the guest's exit status, if Ended
	Fault    bool // its kernel could not go on; else the program ended it
	Counters map[string]uint64
	Runs     [][]uint64 // the numbers of each run line, in order
	Switches []Switch
	order    []string // keys of Counters as they came
	garbage  string   // the first line of unknown form
}

// Parse reads the text of a report. There is no error: a guest that is lost
// leaves half a report or none, and Ended tells.
func Parse(text string) Report {
	r := Report{Counters: map[string]uint64{}}
	for line := range strings.Lines(text) {
		whole := strings.HasSuffix(line, "\n")
		if !whole || r.Ended || !r.line(strings.Fields(line)) {
			if r.garbage == "" {
				r.garbage = strings.TrimSpace(line)
			}
			// Nothing but the end may follow the end.
			r.Ended = false
			return r
		}
	}
	return r
}

// line takes the words of a line and reports whether they are as they should be.
func (r *Report) line(words []string) bool {
	switch {
	case len(words) == 3 && words[0] == "counter":
		v, err := strconv.ParseUint(words[2], 10, 64)
		if err != nil {
			return false
		}
		if _, twice := r.Counters[words[1]]; !twice {
			r.order = append(r.order, words[1])
		}
		r.Counters[words[1]] = v
		return true
	case len(words) > 1 && words[0] == "run":
		run := make([]uint64, len(words)-1)
		for i, w := range words[1:] {
			v, err := strconv.ParseUint(w, 10, 64)
			if err != nil {
				return false
			}
			run[i] = v
		}
		r.Runs = append(r.Runs, run)
		return true
	case len(words) > 12 && words[0] == "switch":
		return r.addSwitch(words)
	case len(words) == 1 && words[0] == "fault":
		r.Fault = true
		return true
	case len(words) == 2 && words[0] == "trace":
		return true // for those who record
	case len(words) == 2 && words[0] == "exit":
		v, err := strconv.ParseUint(words[1], 10, 8)
		r.Status, r.Ended = int(v), err == nil
		return err == nil
	}
	return false
}

// Switch is a goroutine that left the CPU, and another one that went on.
type Switch struct {
	From, To       uint64
	Times          uint64 // so often has From left
	Other          bool   // To was not the one that could have run for the longest time
	Why            byte   // From was made to leave: a Kind of package sched/hunt; 0: it left of itself
	At             uint64 // the number of that Move
	Ended          bool   // From has
	Time           int64  // in nanoseconds of a recording
	Function, File string // of the program, where From stands; - if it is unknown
	Line           uint64
	Call           string // what Function calls in the library; - for none
}

// addSwitch takes a switch line, and reports whether it is as it should be.
func (r *Report) addSwitch(words []string) bool {
	var n [9]uint64
	for i := range n {
		v, err := strconv.ParseUint(words[1+i], 10, 64)
		if err != nil {
			return false
		}
		n[i] = v
	}
	r.Switches = append(r.Switches, Switch{From: n[0], Times: n[1], To: n[2], Other: n[3] != 0, Why: byte(n[4]), At: n[5], Ended: n[6] != 0, Time: int64(n[7]), Line: n[8],
		Function: words[10], Call: words[11], File: strings.Join(words[12:], " ")})
	return true
}

// Missing says what is wrong with a report that has not Ended.
func (r Report) Missing() string {
	switch {
	case r.Ended:
		return ""
	case r.garbage != "":
		return fmt.Sprintf("its report breaks off at %q", r.garbage)
	case len(r.Counters) > 0:
		return "its report breaks off"
	}
	return "it left no report"
}

// Names are the names of the counters, without those of single Ms, in the order
// they came.
func (r Report) Names() []string {
	return slices.DeleteFunc(slices.Clone(r.order), func(name string) bool { return strings.Contains(name, ".") })
}

// Print writes a table: a counter a line, its total and then its values for
// each M.
func (r Report) Print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	defer t.Flush()
	for _, name := range r.Names() {
		fmt.Fprintf(t, "%s\t%d", name, r.Counters[name])
		sep := "\t  "
		for id := 0; ; id++ {
			v, ok := r.Counters[name+"."+strconv.Itoa(id)]
			if !ok {
				break
			}
			fmt.Fprintf(t, "%s%d", sep, v)
			sep = " "
		}
		fmt.Fprintln(t)
	}
}

package suite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sched9/tools/internal/guest"
	"sched9/tools/internal/scenario"
	"sched9/trace"
	"sched9/trace/check"
)

// schedule checks a run's recording against the scheduler's rules and returns
// what does not hold, a sentence each.
func (c *console) schedule(o guest.Outcome) (wrong []string, unjudged string) {
	if o.Record != nil {
		return []string{"the schedule was not recorded whole: " + o.Record.Error()}, ""
	}
	t, err := trace.Read(c.recording.Reader())
	if err != nil {
		return []string{"the schedule cannot be read: " + err.Error()}, ""
	}
	if unjudged = check.Unjudged(t); unjudged != "" {
		return nil, unjudged
	}
	c.trace = t
	for _, v := range check.Check(t) {
		wrong = append(wrong, v.String())
	}
	if err := accepted(t); err != nil {
		wrong = append(wrong, err.Error())
	}
	return wrong, ""
}

// keep writes the recording of a run that failed into the suite's directory and
// says where it is.
func (s Suite) keep(j job, c *console) string {
	name := filepath.Join(s.Keep, FileName(j.run)+".s9")
	f, err := os.Create(name)
	if err == nil {
		_, err = io.Copy(f, c.recording.Reader())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Sprintf("its recording could not be kept: %v", err)
	}
	return "its recording: sched9 trace " + name
}

// FileName is a run's full name as one of a file, without an ending.
func FileName(r scenario.Run) string {
	return strings.Trim(odd.ReplaceAllString(r.FullName(), "-"), "-")
}

// odd matches what is better not in a file's name.
var odd = regexp.MustCompile(`[^A-Za-z0-9_.=]+`)

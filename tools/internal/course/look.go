package course

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"sched9/tools/internal/book"
	"sched9/trace"
	"sched9/trace/page"
)

// looker writes pages on which one sees why a part was lost: the explorer's order of steps, to be gone through one by one, or a boot's recording.
type looker struct {
	tree, to string // the tree with the student's files, and the pages' directory
	stepped  bool   // the page for stepping is written
}

// How failures name what a page shows.
var (
	schedule  = regexp.MustCompile(`replay with SCHEDULE='([^']+)'`)
	recording = regexp.MustCompile(`sched9 trace (\S+\.s9)`)
	moments   = regexp.MustCompile(`\(at ([0-9.]+) ms, | at ([0-9.]+)ms| between ([0-9.]+)ms and ([0-9.]+)ms`)
)

// look writes the page that shows what a run of a part said, and returns its name with the place in it; "" if there is nothing to be shown.
func (l *looker) look(run, said string) (string, error) {
	if m := schedule.FindStringSubmatch(said); m != nil {
		const name = "step.html"
		if !l.stepped {
			if err := book.Step(l.tree, filepath.Join(l.to, name)); err != nil {
				return "", err
			}
			l.stepped = true
		}
		return name + "#" + m[1], nil
	}
	m := recording.FindStringSubmatch(said)
	if m == nil {
		return "", nil
	}
	f, err := os.Open(m[1])
	if err != nil {
		return "", err
	}
	defer f.Close()
	t, err := trace.Read(f)
	if err != nil {
		return "", nil // a guest that recorded nothing has no page
	}
	v := t.View()
	var b strings.Builder
	if err := page.Write(&b, v); err != nil {
		return "", err
	}
	name := strings.ReplaceAll(run, "/", "-") + ".html"
	if err := os.MkdirAll(l.to, 0o777); err != nil {
		return "", err
	}
	return name + moment(said, v.Start), os.WriteFile(filepath.Join(l.to, name), []byte(b.String()), 0o666)
}

// around is how much is shown before and after a moment, in nanoseconds.
const around = 50_000

// moment is the first stretch of time that a failure names, as the page of a recording that begins at start takes it; "" if it names none.
func moment(said string, start int64) string {
	m := moments.FindStringSubmatch(said)
	if m == nil {
		return ""
	}
	at := func(s string) int64 {
		ms, _ := strconv.ParseFloat(s, 64)
		return int64(ms*1e6+0.5) - start
	}
	from, to := at(m[1]+m[2]+m[3]), at(m[1]+m[2]+m[4])
	return fmt.Sprintf("#%d-%d", max(from-around, 0), max(to+around, 1))
}

package names

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Goroutine is what /proc/GOID/status and /proc/GOID/wait say of a goroutine.
type Goroutine struct {
	ID, State, M, P        string
	Run, Ready, Call, Wait time.Duration
	Turns, Pri, Wired      string
	Reason                 string // why it waits, with the channels that it waits for
	Func                   string
}

// Parse reads what the two files hold; wait may be "". ok is false for texts that are not theirs, as Linux's.
func Parse(status, wait string) (g Goroutine, ok bool) {
	f := Fields(status)
	if len(f) != 13 {
		return g, false
	}
	g = Goroutine{ID: f[0], State: f[1], M: f[2], P: f[3], Turns: f[8], Pri: f[9], Reason: f[10], Func: f[11], Wired: f[12]}
	for i, d := range []*time.Duration{&g.Run, &g.Ready, &g.Call, &g.Wait} {
		ns, err := strconv.ParseInt(f[4+i], 10, 64)
		if err != nil {
			return g, false
		}
		*d = time.Duration(ns)
	}
	if w := Fields(wait); len(w) > 2 && w[0] == g.Reason {
		g.Reason += " " + strings.Join(w[2:], " ")
	}
	return g, true
}

// Fields splits a record at blanks, except in quotes, where a doubled quote stands for one.
func Fields(record string) (all []string) {
	for record = strings.TrimSpace(record); record != ""; record = strings.TrimLeft(record, " \t\n") {
		if record[0] != '\'' {
			n := strings.IndexAny(record+" ", " \t\n")
			all, record = append(all, record[:n]), record[n:]
			continue
		}
		n := 1
		for n < len(record) && (record[n] != '\'' || n+1 < len(record) && record[n+1] == '\'') {
			if record[n] == '\'' {
				n++
			}
			n++
		}
		n = min(n, len(record))
		all = append(all, strings.ReplaceAll(record[1:n], "''", "'"))
		record = record[min(n+1, len(record)):]
	}
	return all
}

// WriteTable writes goroutines as ps shows processes.
func WriteTable(to io.Writer, all []Goroutine) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "GOID\tSTATE\tM\tP\tRUN\tREADY\tCALL\tWAIT\tTURNS\tPRI\tWIRED\tFUNC\tREASON")
	for _, g := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", g.ID, g.State, g.M, g.P,
			short(g.Run), short(g.Ready), short(g.Call), short(g.Wait), g.Turns, g.Pri, g.Wired, g.Func, g.Reason)
	}
	return w.Flush()
}

// short is a duration as the table has it.
func short(d time.Duration) string { return d.Round(time.Microsecond).String() }

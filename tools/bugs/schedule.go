package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// schedule makes one interleaving of a program happen. A file schedule.txt has, a line each:
//
//	before NAME: LINE           the goroutine that is about to run this line of main.go comes to the point NAME
//	after NAME: LINE            ... that has run it
//	before NAME if EXPR: LINE   ... only where the Go expression holds
//	order: NAME.N ...           the Nth arrival at NAME waits until all those before it in the list have passed
//	until NAME.N: [K] TEXT      and until a goroutine, or K of them, is blocked whose dump contains each word of TEXT
//	hold: NAME.N ...            these stay where they are: the program ends without them
//
// LINE is one whole line of the program, without what indents it. An arrival that neither line names passes.
type schedule struct {
	inserts []insert
	order   []string
	hold    []string
	until   map[string]blocked
}

// insert is a point beside a line of the program.
type insert struct {
	after      bool
	name, cond string
	line       string
}

// blocked is a state of the program: count goroutines are blocked whose dumps contain each of the words.
type blocked struct {
	count int
	words []string
}

var (
	insertLine = regexp.MustCompile(`^(before|after) ([a-z]+)(?: if ([^:]+))?: (.+)$`)
	untilLine  = regexp.MustCompile(`^until ([a-z]+\.\d+): (?:(\d+) )?(.+)$`)
)

// parseSchedule reads a schedule.
func parseSchedule(text string) (schedule, error) {
	s := schedule{until: map[string]blocked{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if m := insertLine.FindStringSubmatch(line); m != nil {
			s.inserts = append(s.inserts, insert{m[1] == "after", m[2], m[3], m[4]})
		} else if m := untilLine.FindStringSubmatch(line); m != nil {
			count := 1
			if m[2] != "" {
				count, _ = strconv.Atoi(m[2]) // digits
			}
			s.until[m[1]] = blocked{count, strings.Fields(m[3])}
		} else if list, ok := strings.CutPrefix(line, "order: "); ok {
			s.order = strings.Fields(list)
		} else if list, ok := strings.CutPrefix(line, "hold: "); ok {
			s.hold = strings.Fields(list)
		} else {
			return s, fmt.Errorf("no line of a schedule: %q", line)
		}
	}
	if len(s.order) == 0 {
		return s, fmt.Errorf("there is no order")
	}
	return s, nil
}

// apply returns the source with calls of the points beside its lines. Lines keep their numbers. main is called by
// another main, which then looks for goroutines that wait for ever.
func (s schedule) apply(source string) (string, error) {
	lines := strings.Split(source, "\n")
	const begin = "func main() {"
	before, after, at := make([]string, len(lines)), make([]string, len(lines)), map[string][]int{}
	for i, line := range lines {
		at[strings.TrimSpace(line)] = append(at[strings.TrimSpace(line)], i)
	}
	for _, in := range append(s.inserts, insert{line: begin}) {
		if len(at[in.line]) != 1 {
			return "", fmt.Errorf("%d lines are %q", len(at[in.line]), in.line)
		}
		i := at[in.line][0]
		call := fmt.Sprintf("point(%q)", in.name)
		if in.cond != "" {
			call = fmt.Sprintf("if %s { %s }", in.cond, call)
		}
		switch {
		case in.line == begin:
			lines[i] = "func main() { pointMain(); pointEnd() }; func pointMain() {"
		case in.after:
			after[i] += "; " + call
		default:
			before[i] += call + "; "
		}
	}
	for i := range lines {
		code, comment, ok := strings.Cut(lines[i], " //")
		if ok {
			comment = " //" + comment
		}
		lines[i] = before[i] + code + after[i] + comment
	}
	return strings.Join(lines, "\n"), nil
}

// tables is the Go source of what the points look up.
func (s schedule) tables() string {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nvar pointOrder = %#v\n\nvar pointHold = %#v\n\nvar pointUntil = map[string]pointBlocked{\n", s.order, s.hold)
	for label, state := range s.until {
		fmt.Fprintf(&b, "\t%q: {%d, %#v},\n", label, state.count, state.words)
	}
	b.WriteString("}\n")
	return b.String()
}

// load reads the schedule beside a program.
func load(dir string) (schedule, error) {
	name := filepath.Join(dir, "schedule.txt")
	text, err := os.ReadFile(name)
	if err != nil {
		return schedule{}, err
	}
	s, err := parseSchedule(string(text))
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

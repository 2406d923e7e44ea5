package book

import (
	"errors"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"time"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/svg"
)

// moment is when a picture is of something: an event of a goroutine of a kind, the nth.
type moment struct {
	event record.Event
	kind  string // of goroutine, "": any
	n     int    // from 1
}

// drawing is a block picture. Each line is a word and what it is:
//
//	of steal              the recording
//	lanes P               rows for Ps, for processors (M), or for goroutines (G main.worker main.other)
//	at Steal 2 main.job   the second event Steal of a goroutine of kind main.job; number and kind may be left out
//	before 10us           begins so long before it
//	after 1ms             ends so long after it
//	mark Steal Tick       events that are marked
//	says Two Ps.          what is below it
type drawing struct {
	of            string
	lanes         svg.Lanes
	kinds         []string
	at            moment
	before, after time.Duration
	marks         []record.Event
	says          string
}

// event is the event with that name.
func event(name string) (record.Event, error) {
	if i := slices.Index(record.Names[:], name); i > 0 && name != "" {
		return record.Event(i), nil
	}
	return 0, fmt.Errorf("there is no event %s: docs/trace.md names them", name)
}

// readDrawing reads a block picture.
func readDrawing(text string) (d drawing, err error) {
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			return d, fmt.Errorf("%q says nothing", word)
		}
		switch word {
		case "of":
			d.of = rest
		case "lanes":
			d.lanes = svg.Lanes(fields[0])
			for _, k := range strings.Split(strings.TrimSpace(strings.TrimPrefix(rest, fields[0])), ",") {
				if k = strings.TrimSpace(k); k != "" {
					d.kinds = append(d.kinds, k)
				}
			}
		case "at":
			d.at, err = readMoment(fields)
		case "before":
			d.before, err = time.ParseDuration(rest)
		case "after":
			d.after, err = time.ParseDuration(rest)
		case "mark":
			for _, f := range fields {
				e, err := event(f)
				if err != nil {
					return d, err
				}
				d.marks = append(d.marks, e)
			}
		case "says":
			d.says = rest
		default:
			err = fmt.Errorf("the word %q is unknown", word)
		}
		if err != nil {
			return d, err
		}
	}
	if d.of == "" || d.at.n == 0 || d.says == "" || d.before+d.after <= 0 {
		return d, errors.New("of, at, says, and before or after are missing")
	}
	return d, nil
}

// readMoment reads what stands after at.
func readMoment(fields []string) (m moment, err error) {
	m.n = 1
	if m.event, err = event(fields[0]); err != nil {
		return m, err
	}
	fields = fields[1:]
	if len(fields) > 0 {
		if n, err := strconv.Atoi(fields[0]); err == nil && n > 0 {
			m.n, fields = n, fields[1:]
		}
	}
	m.kind = strings.Join(fields, " ")
	return m, nil
}

// find is the moment's time in a recording.
func (m moment) find(v *trace.View) (int64, error) {
	n := 0
	for _, e := range v.Trace.Events {
		if e.Kind != m.event {
			continue
		}
		if m.kind != "" {
			if g := v.G(e.G); g == nil || g.Kind() != m.kind {
				continue
			}
		}
		if n++; n == m.n {
			return e.Time, nil
		}
	}
	return 0, fmt.Errorf("the recording has %d events %s of %q, and not %d", n, record.Names[m.event], m.kind, m.n)
}

// picture draws a block picture.
func (b *blocks) picture(text string) (string, error) {
	d, err := readDrawing(text)
	if err != nil {
		return "", err
	}
	v, ok := b.site.views[d.of]
	if !ok {
		return "", fmt.Errorf("no program %s ran before", d.of)
	}
	if v == nil {
		return "", nil
	}
	var s strings.Builder
	from, to, err := d.draw(&s, v)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("<figure>\n%s<figcaption>%s <a href=\"%s.html#%d-%d\">Look at it in the recording.</a></figcaption>\n</figure>\n",
		s.String(), html.EscapeString(d.says), d.of, from-v.Start, to-v.Start), nil
}

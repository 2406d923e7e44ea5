package hunt

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"sched9/trace"
	"sched9/trace/page"
)

// Page replays a failing schedule, or only the cause of its failure if that is not nil, and writes what happened as a page with the moments that a cause
// tells of; without a cause they are those at which a goroutine was made to leave. The error says also that the replay did not fail so.
func (h Hunt) Page(ctx context.Context, w io.Writer, v Verdict, c *Cause) error {
	set := *h.Guest.Hunt
	set.Log = true
	if s := v.Saved; s != nil {
		set.Strategy, set.Depth, set.Moves = s.Strategy, s.Depth, s.Moves
	}
	if c != nil {
		set.Moves = c.Text()
	}
	var recording bytes.Buffer
	h.Guest.Hunt, h.Guest.Record = &set, &recording
	got, err := h.Boot(ctx, v.Seed)
	switch {
	case err != nil:
		return err
	case !h.Same && (!got.Failed || !alike(got.Title, v.Title)): // an output that differs is no failure of a run alone
		return fmt.Errorf("recorded, seed %d ends otherwise: %q", v.Seed, got.Title)
	}
	t, err := trace.Read(&recording)
	if err != nil {
		return err
	}
	view := t.View()
	return page.Write(w, view, marks(got, set.Moves != "")...)
}

// marks are a page's marks of a schedule.
func marks(v Verdict, whole bool) (all []page.Mark) {
	told, _ := moments(v.Switches)
	for _, m := range told {
		if whole || m.Why != 0 {
			all = append(all, page.Mark{At: m.Time, From: m.From, To: m.To, Left: m.Left, Right: m.Right, Forced: m.Why != 0, Moved: moved(m.Switch)})
		}
	}
	return all[:min(len(all), mostMarks)]
}

// mostMarks bounds a page's marks: so many can be looked at.
const mostMarks = 200

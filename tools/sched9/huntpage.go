package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"sched9/tools/internal/hunt"
	"sched9/tools/internal/progress"
)

// paint writes the pages of failures, and returns their names by seeds. It says what keeps it from that; what was found is told all the same.
func (h *hunter) paint(ctx context.Context, line *progress.Line, failed []hunt.Verdict, causes map[int]*hunt.Cause) map[int]string {
	pages := map[int]string{}
	if h.pages == "" {
		return pages
	}
	for _, v := range failed {
		if ctx.Err() != nil {
			break
		}
		line.Say(fmt.Sprintf("seed %d: %s; a page of it", v.Seed, v.Title))
		name, err := h.page(ctx, v, causes[v.Seed])
		switch {
		case err == nil:
			pages[v.Seed] = name
		case ctx.Err() == nil:
			fmt.Fprintf(line.Writer(h.err), "sched9: no page of seed %d: %v\n", v.Seed, err)
		}
	}
	return pages
}

// page writes the page of a failure, or of its cause, and returns its name, of which the schedule's hash is a part.
func (h *hunter) page(ctx context.Context, v hunt.Verdict, c *hunt.Cause) (name string, err error) {
	var b bytes.Buffer
	if err := h.Page(ctx, &b, v, c); err != nil {
		return "", err
	}
	name = filepath.Join(h.pages, fmt.Sprintf("hunt-%04x.html", v.Counters["hunt_hash"]>>48))
	return name, replace(name, b.Bytes())
}

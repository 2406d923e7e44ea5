package page

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"

	"sched9/record"
	"sched9/sched"
	"sched9/trace"
	"sched9/trace/events"
)

//go:embed page.html page.css js
var files embed.FS

// scripts are the page's, in an order in which each is complete when it is used.
var scripts = []string{
	"data.js", "trace.js", "words.js", "time.js", "colors.js", "view.js", "bins.js", "layout.js",
	"lanes.js", "curves.js", "arrows.js", "world.js", "marks.js", "axis.js", "minimap.js", "hit.js",
	"explain.js", "lives.js", "panel.js", "rows.js", "lists.js", "range.js", "stats.js", "charts.js", "tables.js", "report.js", "input.js", "main.js",
}

// about is what the page knows beside its columns.
type about struct {
	Program  string
	Version  string
	Machine  string
	SMP      int
	ICount   bool
	Slice    int64 // in nanoseconds
	Start    int64
	Length   int64
	Status   int
	Why      string
	Whole    bool
	Verdict  verdict
	Marks    []mark
	Lost     []uint64
	Strings  []string
	Reasons  []string
	Stops    []string
	Names    []string               // of events
	Events   []events.Event         // by event
	Places   []events.Place         // by place
	Looks    []events.Event         // by step of the search
	IPIs     []events.Event         // by purpose
	Drops    []string               // by place
	States   []events.Note          // by what an M does
	Finer    map[string]events.Note // see finer
	Contract map[string]string      // rules by id
	Columns  map[string]column
}

// Write writes v as a page, with marks at some moments of it.
func Write(w io.Writer, v *trace.View, marks ...Mark) error {
	page, err := files.ReadFile("page.html")
	if err != nil {
		return err
	}
	e := encode(v)
	for _, part := range []struct {
		slot string
		fill func(io.Writer) error
	}{
		{"/*css*/", func(w io.Writer) error { return copyFile(w, "page.css") }},
		{"/*about*/", func(w io.Writer) error {
			a := e.about()
			a.Marks = e.marks(marks)
			return json.NewEncoder(w).Encode(a)
		}},
		{"/*data*/", e.blob},
		{"/*js*/", writeScripts},
	} {
		before, after, ok := bytes.Cut(page, []byte(part.slot))
		if !ok {
			return fmt.Errorf("page.html has no %s", part.slot)
		}
		if _, err := w.Write(before); err != nil {
			return err
		}
		if err := part.fill(w); err != nil {
			return err
		}
		page = after
	}
	_, err = w.Write(page)
	return err
}

// about is the page's knowledge beside the columns, which are complete.
func (e *encoder) about() about {
	t := e.Trace
	return about{
		Program: t.Program, Version: t.Version, Machine: t.Arch + " " + t.Machine, SMP: t.SMP, ICount: t.ICount, Slice: cmp.Or(t.Slice, int64(sched.Slice)),
		Start: e.Start, Length: e.End - e.Start,
		Status: t.Status, Why: t.Why, Whole: t.Whole, Lost: t.Lost,
		Strings: e.strings.list, Reasons: t.Reasons, Stops: t.Stops,
		Names: record.Names[:], Events: events.Table[:], Places: events.Places[:], Looks: events.Looks[:], IPIs: events.IPIs[:], Drops: record.DropNames[:], States: states[:],
		Finer: finer, Contract: contract, Verdict: e.verdict(),
		Columns: e.dir,
	}
}

// blob writes the columns' data.
func (e *encoder) blob(w io.Writer) error {
	b := base64.NewEncoder(base64.StdEncoding, w)
	z, err := gzip.NewWriterLevel(b, gzip.DefaultCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(e.data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return b.Close()
}

// copyFile writes one of the page's files.
func copyFile(w io.Writer, name string) error {
	b, err := files.ReadFile(name)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// writeScripts writes the scripts as one, so that they share their names with
// each other and with nothing else.
func writeScripts(w io.Writer) error {
	if _, err := io.WriteString(w, "\"use strict\";\n(() => {\n"); err != nil {
		return err
	}
	for _, name := range scripts {
		if err := copyFile(w, "js/"+name); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "})();\n")
	return err
}

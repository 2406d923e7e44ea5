// Package tree shows a recording as the files that a guest with names has (docs/names.md): what /proc and /sched would have said at
// the end of the recording, or at another moment of it. So one looks at a guest that has crashed, that hangs, or that served no files.
package tree

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sched9/kernel/names"
	"sched9/trace"
)

// Tree has the text of each file, by its path.
type Tree map[string]string

// Names are the names in directory dir, in order.
func (t Tree) Names(dir string) []string {
	there := map[string]bool{}
	for file := range t {
		if rest, ok := strings.CutPrefix(file, strings.TrimSuffix(dir, "/")+"/"); ok {
			name, _, _ := strings.Cut(rest, "/")
			there[name] = true
		}
	}
	return slices.Sorted(maps.Keys(there))
}

// Make makes the tree as of time at of the guest. It has the files that a recording tells enough of.
func Make(t *trace.Trace, at int64) Tree {
	n, _ := slices.BinarySearchFunc(t.Events, at, func(e trace.Event, at int64) int {
		if e.Time <= at {
			return -1
		}
		return 1
	})
	cut := *t
	cut.Events = t.Events[:n]
	b := builder{v: cut.View(), files: Tree{}}
	for _, g := range b.v.Gs {
		if g.Ended < 0 {
			b.goroutine(g)
		}
	}
	b.processors()
	return b.files
}

// builder makes a Tree.
type builder struct {
	v     *trace.View
	files Tree
	alive int64
}

// file adds a file, of the records that fill makes.
func (b *builder) file(path string, fill func(*names.Text)) {
	for room := 4 << 10; ; room *= 4 {
		text := names.Text{Buf: make([]byte, room)}
		if fill(&text); !text.Full {
			b.files[path] = string(text.Buf[:text.N])
			return
		}
	}
}

// states are the words of status for what a goroutine does.
var states = [...]string{trace.Waits: "wait", trace.Readies: "ready", trace.Calls: "call", trace.Runs: "run"}

// goroutine adds the files of one that lives.
func (b *builder) goroutine(g *trace.Goroutine) {
	b.alive++
	dir := fmt.Sprintf("/proc/%d/", g.ID)
	last := trace.Run{M: -1, P: -1}
	if n := len(g.Runs); n > 0 {
		last = b.v.Runs[g.Runs[n-1]]
	}
	reason, p := "-", -1
	switch g.State {
	case trace.Waits:
		reason = cmp.Or(last.Reason, "-")
	case trace.Runs:
		p = last.P
	}
	b.file(dir+"status", func(t *names.Text) {
		t.Int(int64(g.ID))
		t.Word(states[g.State])
		t.Int(int64(last.M))
		t.Int(int64(p))
		for _, ns := range [...]int64{g.Running, g.Ready, g.Calling, g.Waiting} {
			t.Int(ns)
		}
		t.Int(int64(len(g.Runs)))
		t.Int(-1)
		t.Word(reason)
		t.Word(g.Entry)
		t.Int(int64(g.Home) - 1)
		t.End()
	})
	b.file(dir+"wait", func(t *names.Text) {
		if g.State == trace.Waits {
			t.Word(reason)
			t.Int(b.v.End - g.Since)
			t.End()
		}
	})
	b.file(dir+"args", func(t *names.Text) {
		t.Word(g.Entry)
		place(t, append(b.v.Trace.Frames(g.Stack), trace.Frame{})[0])
		t.Int(int64(g.Parent))
		t.End()
	})
	b.file(dir+"stack", func(t *names.Text) {
		if g.State == trace.Runs {
			return // where it is now is not known
		}
		for _, f := range b.v.Trace.Frames(last.Stack) {
			t.Word(f.Func)
			place(t, f)
			t.End()
		}
	})
}

// place adds where f is, if that is known.
func place(t *names.Text, f trace.Frame) {
	if f.File == "" || f.Line <= 0 {
		t.Int(-1)
		return
	}
	t.Place(f.File, int64(f.Line))
}

// processors adds the files of Ps and Ms, and the scheduler's own.
func (b *builder) processors() {
	length := map[int]int{}
	for _, q := range b.v.Queues {
		length[q.P] = q.Len
	}
	owner := map[int]int{}
	for _, s := range b.v.PSpans {
		length[s.Of] += 0 // it is there, if nothing was ever queued
		owner[s.Of] = -1
		if s.End >= b.v.End {
			owner[s.Of] = s.Also
		}
	}
	for p := range length {
		if p < 0 {
			continue
		}
		b.file(fmt.Sprintf("/sched/p/%d/status", p), func(t *names.Text) {
			t.Int(int64(p))
			state, m := "idle", -1
			if o, ok := owner[p]; ok && o >= 0 {
				state, m = "run", o
			}
			t.Word(state)
			t.Int(int64(m))
			t.Int(-1)
			t.Int(int64(length[p]))
			t.Int(-1)
			t.End()
		})
	}
	doing := map[int]trace.Span{}
	for _, s := range b.v.MSpans {
		doing[s.Of] = s
	}
	for m, s := range doing {
		b.file(fmt.Sprintf("/sched/m/%d/status", m), func(t *names.Text) {
			t.Int(int64(m))
			word := "run"
			switch s.Doing {
			case trace.Spinning:
				word = "spin"
			case trace.Halted:
				word = "sleep"
			}
			t.Word(word)
			p := -1
			for of, o := range owner {
				if o == m {
					p = of
				}
			}
			t.Int(int64(p))
			id := int64(-1)
			for _, g := range b.v.Gs {
				if n := len(g.Runs); g.Ended < 0 && (g.State == trace.Runs || g.State == trace.Calls) && n > 0 && b.v.Runs[g.Runs[n-1]].M == m {
					id = int64(g.ID)
				}
			}
			t.Int(id)
			t.End()
		})
	}
	b.file("/sched/status", func(t *names.Text) {
		for _, f := range []struct {
			name  string
			value int64
		}{{"ms", int64(len(doing))}, {"global", int64(length[-1])}, {"goroutines", b.alive}, {"stops", int64(len(b.v.Stops))}} {
			t.Word(f.name)
			t.Int(f.value)
			t.End()
		}
	})
	b.file("/dev/time", func(t *names.Text) {
		t.Int(-1)
		t.Int(-1)
		t.Int(b.v.End)
		t.Int(1e9)
		t.End()
	})
}

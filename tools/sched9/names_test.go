package main

import (
	"slices"
	"strings"
	"testing"

	"sched9/record"
	"sched9/trace"
)

// TestNames: a goroutine is called after the function that its go statement calls, and by the same name in
// the summary, the list of events, the page and top.
func TestNames(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			name, tr := recordBoot(t, 0, "-arch", arch, "-icount", "./testdata/names")
			v := tr.View()
			var got []string
			for _, g := range v.Gs {
				if !g.System {
					got = append(got, g.Kind())
				}
			}
			slices.Sort(got)
			want := []string{
				"WaitGroup.Go of main.main", "main.(*worker).work", "main.argument", "main.generic[go.shape.int]", "main.generic[go.shape.string]",
				"main.leaf", "main.main.func1", "main.plain", "main.spun", "main.stays", "main.worker.value", "runtime.main",
			}
			if !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			inlined(t, tr, v)
			summary, _, _ := sched9(t, "trace", name)
			events, _, _ := sched9(t, "trace", "-events", name)
			live, _, _ := sched9(t, "top", "-follow", name)
			for _, g := range v.Gs {
				texts := map[string]string{"the events": events}
				switch g.Kind() {
				case "main.spun": // one of those that run most
					texts["the summary"] = summary
				case "main.stays": // there at the end
					texts["top"] = live
				}
				for what, text := range texts {
					if !strings.Contains(text, g.Name()) {
						t.Errorf("%s does not know %s\n%s", what, g.Name(), text)
					}
				}
			}
			if strings.Contains(summary+events+live, ".gowrap") {
				t.Error("a wrapper's name is shown")
			}
		})
	}
}

// inlined looks for functions that the compiler has put into others: main.send in main.leaf, and in
// main.spun main.loaded, where ticks strike.
func inlined(t *testing.T, tr *trace.Trace, v *trace.View) {
	t.Helper()
	var stacks []string
	for i := range tr.Stacks {
		var names []string
		for _, f := range tr.Frames(int32(i)) {
			names = append(names, f.Func)
		}
		stacks = append(stacks, strings.Join(names, " "))
	}
	if !slices.ContainsFunc(stacks, func(s string) bool { return strings.Contains(s, "main.send main.leaf") }) {
		t.Errorf("main.send in main.leaf is on no stack:\n%s", strings.Join(stacks, "\n"))
	}
	for _, e := range tr.Events {
		if g := v.G(e.G); e.Kind != record.EvTick || g == nil || g.Entry != "main.spun" {
			continue
		}
		fs := tr.At(e.Aux)
		last := fs[len(fs)-1]
		if last.Func != "main.spun" || !strings.HasSuffix(last.File, "names/main.go") {
			t.Errorf("a tick struck %v", fs)
		}
		for _, f := range fs[:len(fs)-1] {
			own := f.Func == "main.loaded"
			if own != strings.HasSuffix(f.File, "names/main.go") {
				t.Errorf("a line of another function's: %v", f)
			}
		}
		if len(fs) > 1 {
			return
		}
	}
	t.Error("no tick struck what was put into main.spun")
}

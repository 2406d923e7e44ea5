// Std runs the standard library's own tests on bare metal, by sched9 gotest, and compares them with a list of
// what passes, which may only grow.
//
//	go run ./tools/std                      every package of the list
//	go run ./tools/std -arch arm64 sort     one
//	go run ./tools/std -update sort         and write into the list how many tests pass
//
// It exits with 1 if a test fails that the list does not except, or fewer pass than it says. See docs/gotest.md.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
)

func main() {
	var o options
	flag.StringVar(&o.arch, "arch", "amd64", "guest `architecture`")
	flag.StringVar(&o.list, "list", "tools/std/list.txt", "the list's `file`")
	flag.StringVar(&o.tool, "sched9", "build/sched9", "the `command`")
	flag.BoolVar(&o.update, "update", false, "write the list with what passes now, if that is more")
	flag.IntVar(&o.jobs, "j", 1, "`N` packages at once")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := o.run(ctx, flag.Args(), os.Stdout)
	if err != nil {
		fmt.Fprintf(os.Stderr, "std: %v\n", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	arch, list, tool string
	update           bool
	jobs             int
}

// run tests packages, all of the list if none is named, and reports whether all is as the list says.
func (o options) run(ctx context.Context, names []string, out io.Writer) (ok bool, err error) {
	text, err := os.ReadFile(o.list)
	if err != nil {
		return false, err
	}
	l, err := parse(string(text))
	if err != nil {
		return false, err
	}
	at := slices.Index(architectures, o.arch)
	if at < 0 {
		return false, fmt.Errorf("architecture %q is not one of %s", o.arch, strings.Join(architectures, ", "))
	}
	for _, name := range names {
		if l.find(name) == nil {
			if !o.update {
				return false, fmt.Errorf("%s is not in the list", name)
			}
			l.add(name)
		}
	}
	var wg sync.WaitGroup
	var mu sync.Mutex // guards what follows, and entries
	turn := make(chan struct{}, max(o.jobs, 1))
	packages, tests, bad := 0, 0, 0
	for _, e := range l.entries {
		if len(names) == 0 && e.passed[at] == 0 || len(names) > 0 && !slices.Contains(names, e.name) {
			continue
		}
		turn <- struct{}{}
		wg.Go(func() {
			defer func() { <-turn }()
			r, err := o.test(ctx, e)
			mu.Lock()
			defer mu.Unlock()
			if ctx.Err() != nil {
				return
			}
			packages++
			tests += r.passed
			why := r.verdict(e.passed[at])
			if err != nil {
				why = err.Error()
			}
			if why != "" {
				bad++
				fmt.Fprintf(out, "FAIL %s: %s\n", e.name, why)
				return
			}
			fmt.Fprintf(out, "ok   %s: %d tests\n", e.name, r.passed)
			e.passed[at] = max(e.passed[at], r.passed)
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	fmt.Fprintf(out, "%s: %d tests of %d packages passed, %d packages are not as the list says\n", o.arch, tests, packages, bad)
	if o.update {
		err = os.WriteFile(o.list, []byte(l.String()), 0o644)
	}
	return bad == 0 && packages > 0, err
}

// test runs one package's tests.
func (o options) test(ctx context.Context, e *entry) (result, error) {
	args := []string{"gotest", "-arch", o.arch, "-smp", "4", "-norecord", e.name, "-json", "-short", "-timeout=5m"}
	if s := e.skip(); s != "" {
		args = append(args, "-skip="+s)
	}
	cmd := exec.CommandContext(ctx, o.tool, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	r := read(out)
	if err != nil && len(r.failed) == 0 && !r.ended {
		return r, fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return r, nil
}

// result is what go test -json tells of a package.
type result struct {
	passed int      // tests, examples and fuzz tests, without subtests and what skipped itself
	failed []string // the same
	ended  bool     // the package's own verdict came
	ok     bool     // and was good
	last   string   // of the package's own output
}

// read reads events.
func read(events []byte) (r result) {
	for line := range bytes.Lines(events) {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal(line, &e) != nil || strings.Contains(e.Test, "/") {
			continue
		}
		switch {
		case e.Test == "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
			r.ended, r.ok = true, e.Action != "fail"
		case e.Test == "" && e.Action == "output" && strings.TrimSpace(e.Output) != "" && !strings.HasPrefix(e.Output, "FAIL"):
			r.last = strings.TrimSpace(e.Output)
		case e.Test != "" && e.Action == "pass":
			r.passed++
		case e.Test != "" && e.Action == "fail":
			r.failed = append(r.failed, e.Test)
		}
	}
	return r
}

// verdict says what is wrong with a result of which the list says that so many tests pass.
func (r result) verdict(want int) string {
	switch {
	case len(r.failed) > 0:
		return strings.Join(r.failed, ", ")
	case !r.ok:
		return "it ended early: " + r.last
	case r.passed < want:
		return fmt.Sprintf("%d tests passed, the list has %d", r.passed, want)
	}
	return ""
}

// Std runs the Go project's own tests, and those of well-known modules, on bare metal, and compares them with a list of
// what passes, which may only grow.
//
//	go run ./tools/std                      every entry of the list
//	go run ./tools/std -list tools/std/modules.txt
//	go run ./tools/std -arch arm64 sort     one
//	go run ./tools/std -update sort         and write into the list how many tests pass
//
// It exits with 1 if a test fails that the list does not except, or fewer pass than it says. See docs/gotest.md.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strconv"
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
		switch e := l.find(name); {
		case e == nil && !o.update:
			return false, fmt.Errorf("%s is not in the list", name)
		case e == nil:
			l.add(name)
		case e.reason() != "":
			return false, fmt.Errorf("%s is not run: %s", name, e.reason())
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
				fmt.Fprintf(out, "FAIL %s: %s (%d tests passed)\n%s", e.name, why, r.passed, r.said())
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

// test runs one entry's tests.
func (o options) test(ctx context.Context, e *entry) (result, error) {
	if j, ok := judges[e.name]; ok {
		return o.host(ctx, e, j)
	}
	dir, pkg, err := locate(ctx, e.name)
	if err != nil {
		return result{}, err
	}
	tool, err := filepath.Abs(o.tool)
	if err != nil {
		return result{}, err
	}
	return e.run("", func(r run) *exec.Cmd {
		args := []string{"gotest", "-arch", o.arch, "-smp", strconv.Itoa(r.vcpus), "-mem", r.mem, "-norecord", pkg, "-json", "-count=1", "-vet=off", "-timeout=20m"}
		cmd := exec.CommandContext(ctx, tool, append(args, r.args...)...)
		cmd.Dir = dir
		return cmd
	})
}

// cutModule takes the name of an entry apart: the module at its version, "" for the standard library, and the package
// from the module's directory on.
func cutModule(name string) (module, pkg string) {
	path, rest, ok := strings.Cut(name, "@")
	if !ok {
		return "", name
	}
	version, within, _ := strings.Cut(rest, "/")
	return path + "@" + version, "./" + within
}

// locate says in which directory the package of an entry is tested, and by which name.
func locate(ctx context.Context, name string) (dir, pkg string, err error) {
	module, pkg := cutModule(name)
	if module == "" {
		return "", pkg, nil
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir() // of no module
	out, err := cmd.Output()
	var m struct{ Dir, Error string }
	if bad := json.Unmarshal(out, &m); bad != nil || m.Dir == "" {
		return "", "", fmt.Errorf("go mod download %s: %s", module, cmp.Or(m.Error, fmt.Sprint(err)))
	}
	dir, err = unpack(m.Dir, module)
	return dir, pkg, err
}

// unpack copies a module to a directory that is called as its authors have it, without a version, which their tests see in
// the names of files. The directory stays, so that packages need not be built again. There a module is tested with the versions
// of others that its own go.mod names.
func unpack(from, module string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	name, _, _ := strings.Cut(module, "@")
	to := filepath.Join(cache, "sched9", "modules", filepath.FromSlash(module), path.Base(name))
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return "", err
	}
	half, err := os.MkdirTemp(filepath.Dir(to), ".half-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(half)
	if err := os.CopyFS(half, os.DirFS(from)); err != nil {
		return "", err
	}
	if err := os.Rename(half, to); err != nil && !errors.Is(err, fs.ErrExist) { // another was faster
		return "", err
	}
	return to, nil
}

// run runs the entry's tests by the commands that command makes. prefix stands before the names in the list.
func (e *entry) run(prefix string, command func(run) *exec.Cmd) (sum result, err error) {
	sum = result{ended: true, ok: true, output: map[string]string{}}
	for _, which := range e.runs(prefix) {
		r, err := events(command(which), prefix)
		sum.add(r)
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// events runs a command that prints events of tests.
func events(cmd *exec.Cmd, prefix string) (result, error) {
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	r := read(out, prefix)
	if err != nil && len(r.failed) == 0 && !r.ended {
		return r, fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return r, nil
}

// result is what go test -json tells of a package.
type result struct {
	passed int      // tests, examples and fuzz tests, without subtests and what skipped itself
	failed []string // the same
	going  []string // those that had begun and not ended: one of them is why a package ended early
	ended  bool     // the package's own verdict came
	ok     bool     // and was good
	last   string   // of the package's own output
	output map[string]string
}

// add adds what another run of the package came to.
func (r *result) add(s result) {
	r.passed += s.passed
	r.failed = append(r.failed, s.failed...)
	r.ended, r.ok = r.ended && s.ended, r.ok && s.ok
	r.last, r.going = s.last, append(r.going, s.going...)
	maps.Copy(r.output, s.output)
}

// said is what the tests that failed or did not end have printed, the end of much.
func (r result) said() string {
	const most = 4000
	var b strings.Builder
	for _, t := range slices.Concat(r.failed, r.going) {
		text := r.output[t]
		b.WriteString(text[max(0, len(text)-most):])
	}
	return b.String()
}

// read reads events. Those tests count whose names begin with prefix, and if that is "" are no subtests.
func read(events []byte, prefix string) (r result) {
	r.output = map[string]string{}
	for line := range bytes.Lines(events) {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		name, has := strings.CutPrefix(e.Test, prefix)
		if prefix == "" {
			name, _, has = strings.Cut(name, "/")
			has = !has
		}
		if e.Test != "" && e.Action == "output" {
			r.output[name] += e.Output
		}
		if e.Test != "" && !has {
			continue
		}
		switch {
		case e.Test == "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
			r.ended, r.ok = true, e.Action != "fail"
		case e.Test == "" && e.Action == "output" && strings.TrimSpace(e.Output) != "" && !strings.HasPrefix(e.Output, "FAIL"):
			r.last = strings.TrimSpace(e.Output)
		case e.Test != "" && e.Action == "run":
			r.going = append(r.going, name)
			continue
		case e.Test != "" && e.Action == "pass":
			r.passed++
		case e.Test != "" && e.Action == "fail":
			r.failed = append(r.failed, name)
		}
		if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
			r.going = slices.DeleteFunc(r.going, func(t string) bool { return t == name })
		}
	}
	return r
}

// verdict says what is wrong with a result of which the list says that so many tests pass. A test of a package that passed may
// have run others, as testify's does, to see them fail.
func (r result) verdict(want int) string {
	switch {
	case len(r.failed) > 0 && !r.ok:
		return strings.Join(r.failed, ", ")
	case !r.ok:
		return "it ended early" + strings.Join(append([]string{""}, r.going...), " in ") + ": " + r.last
	case r.passed < want:
		return fmt.Sprintf("%d tests passed, the list has %d", r.passed, want)
	}
	return ""
}

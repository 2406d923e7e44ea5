package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sched9/kernel/goruntime"
	"sched9/qemu"
	"sched9/tools/internal/hunt"
	"sched9/tools/internal/image"
	"sched9/tools/internal/progress"
	"sched9/tools/internal/suite"
	"sched9/tools/internal/toolchain"
)

// newGotest makes the command `sched9 gotest`.
func newGotest(s streams) *cobra.Command {
	e := executor{streams: s}
	cmd := &cobra.Command{
		Use:   "gotest [flags] [PKG...] [flags of go test]",
		Short: "go test on bare metal",
		Long: `Gotest is go test with each package's test booted on a machine of its own. What follows the first package is
go test's: -v -run -skip -bench -count -short -json -timeout -shuffle -failfast -parallel -cpu -cover, and build flags. Before it stand
sched9's flags, and such of go test's as sched9 has none of the same name. Output and status are go test's.

A test that fails keeps its recording, for sched9 trace, and a line says where.`,
		Annotations: map[string]string{guestArgs: "yes", goTestArgs: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.gotest(cmd.Context(), given(cmd.Flags()), packagesFirst(args))
		},
	}
	cmd.Flags().SetInterspersed(false)
	e.flags(cmd)
	cmd.Flags().StringVar(&e.junit, "junit", "", "write a JUnit report to `file`")
	cmd.Flags().BoolVar(&e.saved, "saved", true, "first try the schedules that the packages have in "+hunt.SavedDir+", where sched9 hunt -save has saved them")
	imageFlags(cmd, &e)
	return cmd
}

// newEnv makes the command `sched9 env`.
func newEnv(s streams) *cobra.Command {
	e := executor{streams: s}
	cmd := &cobra.Command{
		Use:   "env [flags]",
		Short: "prints variables with which go test boots its tests",
		Long: `Env prints variables for a shell:

    eval "$(sched9 env -smp 4)"
    go test ./...

Go test, also when an editor runs it, then boots tests with sched9 exec and the flags given here.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("unexpected argument %q: sched9 env takes only flags", args[0])}
			}
			return e.env(cmd.Context(), given(cmd.Flags()))
		},
	}
	e.flags(cmd)
	imageFlags(cmd, &e)
	return cmd
}

// imageFlags adds -race and -names, which the executables are built with. Go test's own -race, behind the packages, is the same.
func imageFlags(cmd *cobra.Command, e *executor) {
	cmd.Flags().BoolVar(&e.race, "race", false, "find data races")
	cmd.Flags().BoolVar(&e.names, "names", false, "show tests the scheduler as files: /proc, /sched (docs/names.md)")
}

// parts are what the executables have beside the usual.
func (e *executor) parts() []goruntime.Part {
	if e.names {
		return []goruntime.Part{goruntime.Names}
	}
	return nil
}

// buildFlags are the flags of the go command that flags of sched9's stand for.
func (e *executor) buildFlags() []string {
	if e.race {
		return []string{"-race=true"}
	}
	return nil
}

// given are the flags that were set, as sched9 exec takes them; the architecture it reads in the executable.
func given(f *pflag.FlagSet) []string {
	return setFlags(f, "arch", "help", "junit", "names", "race", "saved")
}

// setFlags are the flags that were set, but for some and for the go command's.
func setFlags(f *pflag.FlagSet, but ...string) (args []string) {
	f.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		switch v := f.Value.(type) {
		case *goFlag:
			return
		case pflag.SliceValue:
			values = v.GetSlice()
		case interface{ given() []string }:
			values = v.given()
		}
		if f.Name == "trace" {
			if dir, err := filepath.Abs(values[0]); err == nil {
				values[0] = dir
			}
		}
		for _, v := range values {
			if !slices.Contains(but, f.Name) {
				args = append(args, "-"+f.Name+"="+v)
			}
		}
	})
	return args
}

// check says what is wrong with the machine before anything is built.
func (e *executor) check() error {
	g := e.guest
	if g.Timeout == 0 {
		g.Timeout = defaultLimit
	}
	if err := g.Check(); err != nil {
		return usageError{err}
	}
	_, err := qemu.Locate(g.Arch)
	return err
}

// refused are flags of go test, and why they are not possible here.
var refused = map[string]string{"exec": "it is sched9's", "i": "it runs nothing"}

// buildFlags are the flags of go test that what an image is built with depends on.
var buildFlags = []string{"tags", "ldflags", "gcflags", "overlay", "mod", "modfile", "pgo", "race", "msan", "asan"}

// split takes go test's arguments apart: those that package image must know of, of the form -NAME=VALUE, and others, without -vet (vetAsked).
func split(args []string) (build, rest []string, err error) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "-args" || a == "--args" {
			return build, append(rest, args[i:]...), nil
		}
		name, value, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		if !strings.HasPrefix(a, "-") {
			rest = append(rest, a)
			continue
		}
		if name == "vet" {
			if !has {
				i++
			}
			continue
		}
		if why, bad := refused[strings.TrimPrefix(name, "test.")]; bad {
			return nil, nil, fmt.Errorf("-%s is not possible: %s", name, why)
		}
		if !slices.Contains(buildFlags, name) {
			rest = append(rest, a)
			continue
		}
		switch {
		case has:
		case name == "race" || name == "msan" || name == "asan":
			value = "true"
		case i+1 == len(args):
			return nil, nil, fmt.Errorf("-%s wants a value", name)
		default:
			i++
			value = args[i]
		}
		build = append(build, "-"+name+"="+value)
	}
	return build, rest, nil
}

// gotest is `sched9 gotest`; machine are the flags that sched9 exec gets.
func (e *executor) gotest(ctx context.Context, machine, args []string) error {
	build, rest, err := split(args)
	if err != nil {
		return usageError{err}
	}
	if err := e.check(); err != nil {
		return err
	}
	if err := e.saySources(); err != nil {
		return err
	}
	line := progress.New(e.err)
	t, flags, run, err := e.testFlags(ctx, append(e.buildFlags(), build...), machine, line.Say)
	line.Clear()
	var bad *image.FlagError
	if errors.As(err, &bad) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	n := slices.IndexFunc(rest, func(a string) bool { return strings.HasPrefix(a, "-") })
	if n < 0 {
		n = len(rest)
	}
	words, rest := rest[:n:n], rest[n:]
	all, err := e.list(ctx, t, flags, words)
	if err != nil {
		return err
	}
	stderr := &shared{w: e.err}
	told := &suite.Events{Out: e.out, Err: stderr, JSON: hasFlag(rest, "json"), Verbose: hasFlag(rest, "v") || hasFlag(rest, "bench")}
	left, err := e.pure(all, stderr)
	if err != nil {
		return err
	}
	again := false
	if e.saved {
		if again, err = e.trySaved(ctx, left); err != nil {
			return err
		}
	}
	vetted := left
	if list := vetAsked(args); list != "off" && !slices.Contains(strings.Fields(os.Getenv("GOFLAGS")), "-vet=off") {
		if left, err = e.vet(ctx, t, list, flags, patterns(words, all, left), left, told); err != nil {
			return err
		}
	}
	ran := len(left) > 0 || len(all) == 0
	if ran {
		cmd := t.Command(ctx, "", e.guest.Arch, slices.Concat([]string{"test"}, flags, run, patterns(words, all, left), rest)...)
		cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
		cmd.Stdout, cmd.Stderr, cmd.Stdin = e.out, stderr, nil
		if e.junit != "" {
			cmd.Stdout = told
			cmd.Args = slices.Insert(cmd.Args, slices.Index(cmd.Args, "test")+1, "-json")
		}
		err = runGroup(ctx, cmd)
	}
	if e.junit != "" {
		var b bytes.Buffer
		if lost := errors.Join(told.WriteJUnit(&b), replace(e.junit, b.Bytes())); lost != nil {
			return errors.Join(err, lost)
		}
	}
	if len(left) < len(vetted) && err == nil && e.junit == "" && !told.JSON {
		fmt.Fprintln(e.out, "FAIL") // go test's last line, if a package failed
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return ended(exit.ExitCode())
	case err == nil && (again || len(left) < len(all)):
		return ended(statusFailed)
	}
	return err
}

// shared is a writer for several goroutines.
type shared struct {
	lock sync.Mutex
	w    io.Writer
}

// Write writes p.
func (s *shared) Write(p []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.w.Write(p)
}

// hasFlag reports whether go test's arguments turn a flag on, or give it a value.
func hasFlag(args []string, name string) bool {
	on := false
	for _, a := range args {
		if a == "-args" || a == "--args" {
			break
		}
		n, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		if strings.HasPrefix(a, "-") && strings.TrimPrefix(n, "test.") == name {
			on = value != "false"
		}
	}
	return on
}

// testee is a package of go test's arguments.
type testee struct {
	path string
	dir  string
	cgo  string // a file that needs cgo, "" if none does
	bad  bool   // it cannot be loaded, of which go test says more
}

// list lists the packages that words name; none if the go command cannot, of which go test says more.
func (e *executor) list(ctx context.Context, t toolchain.Toolchain, flags, words []string) (all []testee, err error) {
	var some []string // tags, and where modules are from
	for _, f := range flags {
		if name, _, _ := strings.Cut(f, "="); name == "-tags" || name == "-mod" || name == "-modfile" || name == "-overlay" {
			some = append(some, f)
		}
	}
	const format = "{{if .Error}}-{{else}}+{{end}} {{.ImportPath}}{{if not .Standard}}{{range .CgoFiles}} {{.}}{{end}}{{end}}\t{{.Dir}}"
	cmd := t.Command(ctx, "", e.guest.Arch, slices.Concat([]string{"list", "-e", "-f", format}, some, words)...)
	cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
	out, err := cmd.Output()
	if err != nil || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for line := range strings.Lines(string(out)) {
		line, dir, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		p := testee{path: f[1], dir: dir, bad: f[0] == "-"}
		if len(f) > 2 {
			p.cgo = f[2]
		}
		all = append(all, p)
	}
	return all, nil
}

// pure leaves out the packages that need cgo, and says so: go test would build them without their cgo files.
func (e *executor) pure(all []testee, stderr io.Writer) (left []testee, err error) {
	for _, p := range all {
		if p.cgo == "" {
			left = append(left, p)
		} else if _, err := fmt.Fprintf(stderr, "sched9: %s needs cgo (%s): only pure Go can boot, so it was not tested\n", p.path, p.cgo); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// patterns names some of all packages for the go command: by the words that named all, which may be files, if none is left out.
func patterns(words []string, all, some []testee) (names []string) {
	if len(some) == len(all) {
		return words
	}
	for _, p := range some {
		names = append(names, p.path)
	}
	return names
}

// testFlags are the flags of go test that build tests, and those that boot them.
func (e *executor) testFlags(ctx context.Context, build, machine []string, note func(string)) (t toolchain.Toolchain, flags, run []string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return t, nil, nil, err
	}
	if t, flags, err = image.Flags(ctx, dir, e.guest.Arch, build, e.parts(), note); err != nil {
		return t, nil, nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return t, nil, nil, err
	}
	st, err := os.Stat(self)
	if err != nil {
		return t, nil, nil, err
	}
	// Go test caches a result under the command that ran the test.
	all := append([]string{self, "exec", fmt.Sprintf("-tool=%x-%x", st.Size(), st.ModTime().UnixNano())}, machine...)
	for i, w := range all {
		if all[i], err = quote(w); err != nil {
			return t, nil, nil, usageError{err}
		}
	}
	return t, flags, []string{"-vet=off", "-exec=" + strings.Join(all, " ")}, nil
}

// quote writes a word so that the go command takes it for one: quotes may be around it, not in it.
func quote(w string) (string, error) {
	switch {
	case w != "" && !strings.ContainsAny(w, " \t\r\n'\""):
		return w, nil
	case !strings.Contains(w, "'"):
		return "'" + w + "'", nil
	case !strings.Contains(w, `"`):
		return `"` + w + `"`, nil
	}
	return "", fmt.Errorf("%s has both kinds of quotes in it, and the go command could not be told of it", w)
}

// env is `sched9 env`.
func (e *executor) env(ctx context.Context, machine []string) error {
	if err := e.check(); err != nil {
		return err
	}
	if err := e.saySources(); err != nil {
		return err
	}
	t, flags, run, err := e.testFlags(ctx, e.buildFlags(), machine, func(string) {})
	if err != nil {
		return err
	}
	flags = append(flags, run...)
	for i, f := range flags {
		if flags[i], err = quote(f); err != nil {
			return usageError{err}
		}
	}
	for _, v := range [][2]string{
		{"GOOS", "linux"}, {"GOARCH", e.guest.Arch}, {"CGO_ENABLED", "0"}, {"GOROOT", t.Root}, {"GOTOOLCHAIN", "local"},
		{"PATH", filepath.Join(t.Root, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH")},
		{"GOFLAGS", strings.Join(slices.Concat(strings.Fields(t.Flags), flags), " ")},
	} {
		fmt.Fprintf(e.out, "export %s=%s\n", v[0], words(v[1]))
	}
	return nil
}

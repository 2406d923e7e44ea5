package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sched9/kernel/ramfs"
	"sched9/qemu"
	"sched9/record"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
	"sched9/tools/internal/testfiles"
)

// newExec makes the command `sched9 exec`.
func newExec(s streams) *cobra.Command {
	e := executor{streams: s}
	cmd := &cobra.Command{
		Use:   "exec [flags] BINARY [ARG...]",
		Short: "boots an executable that the go command has built: for go test -exec",
		Long: `Exec boots an executable that was built with the flags of sched9 env, and exits with its status. It is made for

    go test -exec 'sched9 exec -smp 4' ...

which sched9 gotest and sched9 env see to. A test finds its package's directory at its own path, as its working
directory, and its module's files beside it, read-only. What it writes is gone when it ends. A test that fails keeps its recording,
and a line says where.

The statuses are those of sched9 run.`,
		Annotations: map[string]string{guestArgs: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("smp") {
				e.guest.SMP = vcpus(args)
			}
			e.moreFiles = cmd.Flags().Changed("files")
			return e.exec(cmd.Context(), args)
		},
	}
	cmd.Flags().SetInterspersed(false)
	e.flags(cmd)
	return cmd
}

// executor is one `sched9 exec`.
type executor struct {
	streams
	guest   guest.Guest
	trace   string // directory for recordings of all tests, "" for those that fail
	noTrace bool
	junit   string // file for a report, of sched9 gotest alone
	race    bool   // build for the race detector, of sched9 gotest and env
	names   bool   // show the scheduler as files, of these, too
	saved   bool   // first try schedules that are saved, of sched9 gotest alone
	back    []string

	moreFiles bool // the guest gets files that the user names
}

// flags adds the flags of sched9 exec, which sched9 gotest and env have too.
func (e *executor) flags(cmd *cobra.Command) {
	machineFlags(cmd, &e.guest)
	f := cmd.Flags()
	mem := f.Lookup("mem")
	mem.DefValue = "1G"
	e.guest.Mem = mem.DefValue
	limit := f.Lookup("timeout")
	limit.DefValue = "0s"
	limit.Usage = "`limit` on a run, in this machine's time (default for a test: slightly more than its own -test.timeout)"
	e.guest.Timeout = 0
	f.DurationVar(&e.guest.Audit, "audit", 0, "audit the scheduler every `interval` (stops the world)")
	f.DurationVar(&e.guest.Slice, "slice", 0, "the scheduler's time slice, 10us to 1s (default 10ms)")
	f.StringVar(&e.trace, "trace", "", "record every test into `directory` (by default only failed tests, into a directory of sched9's)")
	f.StringArrayVar(&e.back, "back", nil, "when a test has ended, copy what it made or changed at `PATH` back to this machine; again for more")
	f.BoolVar(&e.noTrace, "norecord", false, "record nothing")
	f.String("tool", "", "`version` of sched9, for go test, which takes another command for another test")
	f.Lookup("tool").Hidden = true
}

// defaultLimit bounds a run that is no test's.
const defaultLimit = 10 * time.Minute

// grace is how long a test may exceed its own limit, at which it ends itself and reports. It is less than the minute
// that go test grants.
const grace = 45 * time.Second

// forever is the limit of a test that has none.
const forever = 1000 * time.Hour

// limit sets the limit on the run by what the test has itself. The guest's time may be
// another than the host's when instructions are counted: then only the host's counts.
func (e *executor) limit(args []string) (changed []string) {
	own := time.Duration(-1)
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "-test.timeout="); ok {
			if d, err := time.ParseDuration(v); err == nil {
				own = d
				if e.guest.ICount {
					args[i] = "-test.timeout=0"
				}
			}
		}
	}
	switch {
	case e.guest.Timeout > 0:
	case own > 0:
		e.guest.Timeout = own + grace
	case own == 0:
		e.guest.Timeout = forever
	default:
		e.guest.Timeout = defaultLimit
	}
	return args
}

// vcpus is how many vCPUs a test gets that was not given a number: one for each P that its -test.cpu asks for, at most as many
// as a machine may have.
func vcpus(args []string) int {
	n := 1
	for _, a := range args {
		if list, ok := strings.CutPrefix(a, "-test.cpu="); ok {
			for word := range strings.SplitSeq(list, ",") {
				if cpus, err := strconv.Atoi(strings.TrimSpace(word)); err == nil {
					n = max(n, cpus)
				}
			}
		}
	}
	return min(n, qemu.MaxSMP)
}

// isTest reports whether an executable is called as go test calls one, or as the go command calls a test.
func isTest(exe string, args []string) bool {
	if strings.HasSuffix(exe, ".test") {
		return true
	}
	for _, a := range args {
		if strings.HasPrefix(a, "-test.") {
			return true
		}
	}
	return false
}

// seeds makes of a test's arguments that ask for fuzzing such as run the same fuzz tests with their seeds, and returns the pattern of
// their names, "" if none was asked for. Package testing fuzzes by other processes, of which the guest has none.
func seeds(args []string) (out []string, fuzz string) {
	for _, a := range args {
		if v, ok := strings.CutPrefix(a, "-test.fuzz="); ok {
			fuzz = v
		}
	}
	if fuzz == "" {
		return args, ""
	}
	for _, a := range args {
		if run, ok := strings.CutPrefix(a, "-test.run="); ok && run != "" {
			a += "|" + fuzz
		}
		if !strings.HasPrefix(a, "-test.fuzz") {
			out = append(out, a)
		}
	}
	return out, fuzz
}

// maxRecording bounds the recording of a test, in bytes: of a longer run only the beginning is recorded.
const maxRecording = 256 << 20

// exec boots what args name.
func (e *executor) exec(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return usageError{errors.New("which executable? sched9 exec needs one that the go command has built")}
	}
	name := args[0]
	args, fuzz := seeds(args[1:])
	exe, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if e.guest.Arch, err = image.Arch(exe); err != nil {
		return &image.ProgramError{Source: name, Err: err}
	}
	img, err := image.Wrap(exe, name, e.guest.Arch)
	if err != nil {
		return err
	}
	if _, err := qemu.Locate(e.guest.Arch); err != nil {
		return err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	back := guest.Back{Tree: img.Tree, Paths: testfiles.Outputs(args, cwd)}
	for _, path := range e.back {
		back.Paths = append(back.Paths, absolute(path, cwd))
	}
	set, err := testfiles.Of(testfiles.Program{Exe: exe, Path: full, Dir: cwd, Test: isTest(name, args), Args: args, Writes: back.Paths})
	if err != nil {
		return err
	}
	for _, f := range e.guest.Files {
		set.Keep(f)
	}
	g := &e.guest
	g.Files = set.Records()
	g.Name, g.Image, g.Args = name, img.Data, e.limit(args)
	g.Env = append(testfiles.Environ(os.Environ(), cwd), g.Env...)
	g.Depth = record.MaxStack
	if looked := e.looked(full, args); looked != "" {
		g.Args = append([]string{"-test.testlogfile=" + looked}, g.Args...)
		back.Maybe = []string{looked}
	}
	if len(back.Paths)+len(back.Maybe) > 0 {
		g.Back = &back
	}
	if err := g.Check(); err != nil {
		return usageError{err}
	}
	rec, err := e.record(recordingName(name, cwd))
	if err != nil {
		return err
	}
	defer rec.close()
	tail := guest.NewTail(e.err)
	g.Stdout, g.Stderr = e.out, tail
	if sameFile(e.out, e.err) {
		g.Stdout, g.Stderr, g.Merged = tail, nil, true
	}
	signals, stop := passSignals()
	defer stop()
	g.Signals = signals
	g.Input = standardInput(os.Stdin)
	if rec != nil {
		g.Record = rec
	}
	o, err := guest.Run(ctx, *g)
	if err != nil {
		return err
	}
	if o.Why != "" && !tail.Say("%s", o.Why) {
		fmt.Fprintf(e.err, "sched9: %s\n", o.Why)
	}
	if err := writeBack(o.Files); err != nil {
		return err
	}
	if o.Back != nil && o.Status == 0 {
		tail.Say("%v", o.Back)
	}
	if fuzz != "" {
		tail.Say("-fuzz=%s: only the seeds of fuzz tests were run, from f.Add and testdata/fuzz", fuzz)
	}
	if rec.keep(e.trace != "" || o.Status != 0) {
		// Go test says the status itself of a test that has printed nothing; now it has.
		status := ""
		if o.Status > 2 {
			status = fmt.Sprintf("exit status %d, ", o.Status)
		}
		tail.Say("%srecorded in %s", status, rec.name)
	}
	if o.Status != 0 {
		return ended(o.Status)
	}
	return nil
}

// looked is the file into which go test has a test write which files and variables it looked at, for a result to be cached as long as
// these stay the same. With -exec go test does not ask for it, but takes it where it lies. "" if no result may be cached: nobody called
// go test, or the run has effects, or causes that go test knows nothing of.
func (e *executor) looked(exe string, args []string) string {
	scratch := filepath.Dir(exe)
	if !slices.Contains(args, "-test.paniconexit0") || !strings.HasPrefix(filepath.Base(filepath.Dir(scratch)), "go-build") ||
		e.trace != "" || len(e.back)+len(e.guest.Disks) > 0 || e.moreFiles {
		return ""
	}
	return filepath.Join(scratch, "testlog.txt")
}

// absolute is path, from dir on.
func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// writeBack writes a guest's files to this machine, where they were in the guest.
func writeBack(files []ramfs.OutFile) error {
	for _, f := range files {
		name := filepath.FromSlash(f.Path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, os.FileMode(f.Mode)&0o777); err != nil {
			return err
		}
	}
	return nil
}

// recordingName is what the recording of an executable is called, without its ending. A test's has the package's directory in
// it, because many packages have the same last name.
func recordingName(exe, dir string) string {
	base, test := strings.CutSuffix(filepath.Base(exe), ".test")
	if up := filepath.Base(filepath.Dir(dir)); test && up != string(filepath.Separator) {
		return up + "-" + base
	}
	return base
}

// testRecording is the recording of a run, which is thrown away if it is not kept.
type testRecording struct {
	file *os.File
	name string
	left int64
	kept bool
}

// record begins a recording of the program called name; nil if none is wanted. What cannot be
// recorded by default is not.
func (e *executor) record(name string) (*testRecording, error) {
	if e.noTrace {
		return nil, nil
	}
	dir := e.trace
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, nil
		}
		dir = filepath.Join(cache, "sched9", "failed")
	}
	err := os.MkdirAll(dir, 0o755)
	var f *os.File
	if err == nil {
		f, err = os.CreateTemp(dir, "."+name+"-")
	}
	if err != nil {
		if e.trace == "" {
			return nil, nil
		}
		return nil, err
	}
	return &testRecording{file: f, name: filepath.Join(dir, name+".s9"), left: maxRecording}, nil
}

// Write ends the recording when it has become too long.
func (r *testRecording) Write(p []byte) (int, error) {
	if r.left -= int64(len(p)); r.left < 0 {
		return 0, fmt.Errorf("it is longer than %d MiB", maxRecording>>20)
	}
	return r.file.Write(p)
}

// keep gives the recording its name if it is wanted, and reports whether there is one now.
func (r *testRecording) keep(wanted bool) bool {
	if r == nil || !wanted {
		return false
	}
	if st, err := r.file.Stat(); err != nil || st.Size() == 0 {
		return false
	}
	r.kept = os.Rename(r.file.Name(), r.name) == nil
	return r.kept
}

// close closes the recording, and takes it away if it was not kept.
func (r *testRecording) close() {
	if r == nil {
		return
	}
	r.file.Close()
	if !r.kept {
		os.Remove(r.file.Name())
	}
}

var _ io.Writer = (*testRecording)(nil)

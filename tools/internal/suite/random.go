package suite

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"sched9/qemu"
	"sched9/tools/internal/scenario"
)

// randomName is the scenario that is as many programs as there are numbers.
const randomName = "random"

// bootsEach is how many machines each random program is booted on.
const bootsEach = 4

// hostLimit bounds a random program's run on the host.
const hostLimit = time.Minute

// Random boots random programs on random machines, one after another, and calls done
// after each boot: scenarios/random, whose argument decides the program. Each program
// is first run on the host, by stock Go; a guest has to write the same on standard
// output, and to end in the same way. All is decided by the course's seed and the boot's
// number. The error says that there is no such scenario, that it cannot be built, or
// that ctx was cancelled.
func (s Suite) Random(ctx context.Context, c Course, done func(Boot)) error {
	i := slices.IndexFunc(s.Scenarios, func(sc scenario.Scenario) bool { return sc.Name == randomName })
	if i < 0 {
		return fmt.Errorf("there is no scenario %q", randomName)
	}
	sc := s.Scenarios[i]
	im := s.images()
	img, err := im.Get(ctx, sc.Dir)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", qemu.Scratch("random"))
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	host := filepath.Join(dir, randomName)
	build := exec.CommandContext(ctx, "go", "build", "-o", host, ".")
	build.Dir = sc.Dir
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build of %s: %w: %s", sc.Dir, err, said)
	}
	var want verdict // of program
	program := uint64(0)
	failed := 0
	for n := max(c.First, 1); ; n++ {
		run, p := s.chance(c.Seed, n)
		res := Result{Run: run}
		if p != program {
			s.note("on the host: " + run.FullName())
			want, err = native(ctx, host, run.Args)
			program = p
		}
		if err != nil {
			res.Wrong = []string{err.Error()}
		} else {
			s.note("running " + run.FullName())
			res.Run.Exit = want.status
			begin := time.Now()
			s.judged(ctx, img.Data, job{sc, res.Run}, false, &res, func(con *console, r *Result) {
				if got := (verdict{want.status, con.Out(), last(con.Err())}); r.Outcome.Why == "" && got != want {
					r.Wrong = append(r.Wrong, want.differs(got))
				}
			})
			res.Took = time.Since(begin)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		done(Boot{N: n, Dir: sc.Dir, Result: res})
		if res.Failed() {
			failed++
		}
		if n-max(c.First, 1)+1 == c.Boots || failed == c.Failures && failed > 0 || !c.Until.IsZero() && !time.Now().Before(c.Until) {
			return nil
		}
	}
}

// randomLimit is how long a random program may run, on the host. It is less than the two minutes after which the runtime collects anyhow, which would wake
// what was forgotten.
const randomLimit = 110 * time.Second

// chance is the boot with number n of the order that seed decides, and the number of its
// program.
func (s Suite) chance(seed uint64, n int) (scenario.Run, uint64) {
	pick := func(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }
	program := rand.New(rand.NewPCG(seed, uint64((n-1)/bootsEach))).Uint64N(maxSeed*maxSeed) + 1
	r := rand.New(rand.NewPCG(seed, uint64(n)<<32))
	run := scenario.Run{
		Scenario: randomName,
		SMP:      []int{1, 2, 2, 3, 4, 4, 8}[r.IntN(7)],
		Mem:      pick(r, "512M", "1G"),
		ICount:   r.IntN(2) == 0,
		Args:     []string{fmt.Sprint(program)},
	}
	slice := []time.Duration{0, 0, 0, 100 * time.Microsecond, time.Millisecond, 30 * time.Millisecond}[r.IntN(6)]
	run.SetTimes(randomLimit, slice)
	run.Unrecorded = r.IntN(8) == 0
	arch := cmp.Or(s.Arch, "amd64")
	machines := slices.DeleteFunc(slices.Clone(soakMachines[arch]), func(m string) bool { return qemu.CheckMachine(arch, m, run.SMP) != nil })
	run.Machine = machines[r.IntN(len(machines))]
	for _, e := range []string{
		pick(r, "", "", "GOGC=1", "GOGC=20", "GOGC=400"),
		pick(r, "", "", "", "GODEBUG=dontfreezetheworld=1", "GODEBUG=gcstoptheworld=1", "GODEBUG=schedpolicy=pool"),
		pick(r, "", "", "", fmt.Sprintf("GOMAXPROCS=%d", 1+r.IntN(run.SMP))),
	} {
		if e != "" {
			run.Env = append(run.Env, e)
		}
	}
	how := ""
	if run.ICount {
		how = " icount"
	}
	run.Name = fmt.Sprintf("%d (smp=%d %s%s)", program, run.SMP, run.Machine, how)
	return run, program
}

// verdict is what must be the same wherever a program runs.
type verdict struct {
	status int
	out    string // standard output
	last   string // what it says that it dies of
}

// differs says in what b, a guest's, differs from a, the host's.
func (a verdict) differs(b verdict) string {
	what := "what it dies of"
	if a.out != b.out {
		what = "standard output"
	}
	return fmt.Sprintf("it differs from the host in %s; there it was status %d, %q\n%s", what, a.status, a.last, strings.TrimSpace(a.out))
}

// dies matches the line in which a Go program says what it dies of.
var dies = regexp.MustCompile(`(?m)^(panic|fatal error): .*$`)

// last is that line of what a program wrote on standard error, or "".
func last(stderr string) string { return dies.FindString(stderr) }

// native runs a program twice by stock Go, on one P and on more than there are
// processors. The error is that of a program whose results do depend on that, which is one
// of the program.
func native(ctx context.Context, binary string, args []string) (verdict, error) {
	var first verdict
	for i, procs := range []string{"1", "8"} {
		v, err := nativeOn(ctx, binary, args, procs)
		switch {
		case err != nil:
			return v, err
		case i == 0:
			first = v
		case v != first:
			return v, errors.New("on the host, " + first.differs(v))
		}
	}
	return first, nil
}

// nativeOn runs a program on so many Ps.
func nativeOn(ctx context.Context, binary string, args []string, procs string) (verdict, error) {
	limited, cancel := context.WithTimeout(ctx, hostLimit)
	defer cancel()
	cmd := exec.CommandContext(limited, binary, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+procs)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	if limited.Err() != nil {
		return verdict{}, fmt.Errorf("on the host it did not end within %v: %s", hostLimit, out.String())
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return verdict{}, err
	}
	return verdict{cmd.ProcessState.ExitCode(), out.String(), last(stderr.String())}, nil
}

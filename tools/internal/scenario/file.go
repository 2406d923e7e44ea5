// Package scenario reads what is expected of the programs in scenarios/, and
// compares it with what they did. scenarios/README.md explains the format.
package scenario

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"sched9/qemu"
	"sched9/tools/internal/guest"
)

// fileName is the name of a scenario's expectations, beside its program.
const fileName = "expect.toml"

// Scenario is a program with the runs that are to be made of it.
type Scenario struct {
	Name  string // of its directory
	Dir   string
	About string
	Runs  []Run
}

// Run is one boot of a scenario and what must hold of it.
type Run struct {
	Scenario   string    `toml:"-"`
	Name       string    // unique within the scenario
	SMP        int       // vCPUs
	Mem        string    // 512M when absent
	Machine    string    // the architecture's usual one when absent; else only guests that have it make the run
	CPU        string    // QEMU's model of the processor; the usual one when absent
	ICount     bool      // a deterministic run
	Env        []string  // KEY=VALUE
	Args       []string  // os.Args[1:]
	Input      *string   // standard input; none when absent
	Prompt     *pattern  // a line of input for each line of standard output that matches; all at once when absent
	Slice      duration  // the scheduler's time slice; its own when absent
	Merged     bool      // both outputs go to one place: what is matched is standard output
	Serial     bool      // the console is a serial port
	Disk       string    // size of a disk with a pattern (guest.Pattern); none when absent
	Timeout    duration  // on the host; 2 minutes when absent
	Exit       int       // the guest's exit status
	Require    []pattern // when absent the line that each scenario ends with, "NAME: done"
	Forbid     []pattern // what no scenario prints, when absent (forbidden)
	Counter    []Bound
	Boots      int  // times to boot; each must print and count the same, so it wants ICount. 1 when absent
	Unrecorded bool // the schedule is not recorded: the ways are taken that only a guest without a recorder has
	Soak       bool // holds on any machine, with any number of vCPUs and any GOGC
}

// Bound is a bound on a counter, or on its ratio to another.
type Bound struct {
	Name  string
	Per   string  // divide by this counter
	Scale float64 // and multiply by this; 1 when absent
	Min   *float64
	Max   *float64
}

// duration is a time.Duration that is written as a string.
type duration time.Duration

// UnmarshalText reads "60s".
func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = duration(v)
	return err
}

// pattern is a regular expression.
type pattern struct{ *regexp.Regexp }

// UnmarshalText compiles the expression.
func (p *pattern) UnmarshalText(text []byte) error {
	re, err := regexp.Compile(string(text))
	p.Regexp = re
	return err
}

// FullName is SCENARIO/RUN.
func (r Run) FullName() string { return r.Scenario + "/" + r.Name }

// Limit is how long the run may take on the host.
func (r Run) Limit() time.Duration { return time.Duration(r.Timeout) }

// SetTimes sets the run's limit on the host, and the scheduler's slice; 0: its own.
func (r *Run) SetTimes(limit, slice time.Duration) {
	r.Timeout, r.Slice = duration(limit), duration(slice)
}

// Guest is the machine that the run asks for, without image and outputs.
func (r Run) Guest() guest.Guest {
	g := guest.Guest{
		Name:    r.Scenario,
		Args:    r.Args,
		Env:     r.Env,
		Arch:    r.arch(),
		SMP:     r.SMP,
		Mem:     r.Mem,
		Machine: r.Machine,
		CPU:     r.CPU,
		Accel:   "tcg",
		ICount:  r.ICount,
		Timeout: r.Limit(),
		Slice:   time.Duration(r.Slice),
		Merged:  r.Merged,
		Serial:  r.Serial,
	}
	if r.Input != nil {
		g.Input = strings.NewReader(*r.Input)
	}
	if r.Prompt != nil {
		g.Prompt = r.Prompt.Regexp
	}
	if r.Disk != "" {
		n, _ := diskSize(r.Disk) // complete has seen that it is one
		g.Disks = []guest.Disk{{Size: n}}
	}
	return g
}

// arch is an architecture that has the run's machine.
func (r Run) arch() string {
	for _, a := range qemu.Architectures() {
		if r.On(a) {
			return a
		}
	}
	return "amd64" // Check tells what is wrong
}

// On reports whether guests of the architecture make the run.
func (r Run) On(arch string) bool {
	name, _, _ := strings.Cut(r.Machine, ",")
	return r.Machine == "" || slices.Contains(qemu.Machines(arch), name)
}

// diskSize reads the size of a disk, "16M" or "64K", in bytes.
func diskSize(s string) (int64, error) {
	num, shift := s, 0
	switch {
	case strings.HasSuffix(s, "M"):
		num, shift = s[:len(s)-1], 20
	case strings.HasSuffix(s, "K"):
		num, shift = s[:len(s)-1], 10
	}
	n, err := strconv.ParseUint(num, 10, 31)
	if err != nil || n == 0 || shift == 0 {
		return 0, fmt.Errorf("disk %q is not a size of K or M", s)
	}
	return int64(n) << shift, nil
}

// LoadAll reads the scenarios under dir, in the order of their names. The error
// names every file that is not as it should be.
func LoadAll(dir string) ([]Scenario, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*", fileName))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there are no scenarios in %s (no */%s)", dir, fileName)
	}
	slices.Sort(names)
	var all []Scenario
	var errs []error
	for _, name := range names {
		s, err := Load(name)
		if err != nil {
			errs = append(errs, err)
		}
		all = append(all, s)
	}
	return all, errors.Join(errs...)
}

// Load reads one file of expectations.
func Load(name string) (Scenario, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return Scenario{}, err
	}
	dir := filepath.Dir(name)
	s, err := parse(filepath.Base(dir), string(text))
	s.Dir = dir
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// parse reads the text of a file of expectations. An unknown key is an error: it is most likely
// misspelt.
func parse(name, text string) (Scenario, error) {
	var f struct {
		About string
		Run   []Run
	}
	meta, err := toml.Decode(text, &f)
	s := Scenario{Name: name, About: f.About, Runs: f.Run}
	if err != nil {
		var where toml.ParseError
		if errors.As(err, &where) && where.Position.Line > 0 {
			return s, fmt.Errorf("line %d: %s", where.Position.Line, strings.TrimPrefix(where.Message, "toml: "))
		}
		return s, err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return s, fmt.Errorf("unknown key %q", unknown[0].String())
	}
	if s.About == "" {
		return s, errors.New(`there is no "about"`)
	}
	if len(s.Runs) == 0 {
		return s, errors.New("there is no [[run]]")
	}
	seen := map[string]bool{}
	for i := range s.Runs {
		r := &s.Runs[i]
		r.Scenario = name
		if err := r.complete(); err != nil {
			return s, fmt.Errorf("run %q: %w", r.Name, err)
		}
		if seen[r.Name] {
			return s, fmt.Errorf("run %q is defined twice", r.Name)
		}
		seen[r.Name] = true
	}
	return s, nil
}

// runName is what a run may be called: it is part of a path-like name.
var runName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// usualLimit is how long a run may take on the host, even on a busy one.
const usualLimit = duration(2 * time.Minute)

// forbidden is what a program prints that has seen something wrong, or that dies.
var forbidden = []pattern{{regexp.MustCompile(`wrong:`)}, {regexp.MustCompile(`fatal error`)}, {regexp.MustCompile(`^panic:`)}}

// complete fills in what is absent and says what is wrong.
func (r *Run) complete() error {
	if !runName.MatchString(r.Name) {
		return errors.New("its name is not of letters, digits and dashes")
	}
	if r.Mem == "" {
		r.Mem = "512M"
	}
	if r.Timeout == 0 {
		r.Timeout = usualLimit
	}
	if r.Require == nil {
		r.Require = []pattern{{regexp.MustCompile("^" + regexp.QuoteMeta(r.Scenario) + ": done$")}}
	}
	if r.Forbid == nil {
		r.Forbid = forbidden
	}
	if r.Disk != "" {
		if _, err := diskSize(r.Disk); err != nil {
			return err
		}
	}
	if err := r.Guest().Check(); err != nil {
		return err
	}
	if r.Boots == 0 {
		r.Boots = 1
	}
	if r.Boots < 1 || r.Boots > 100 {
		return fmt.Errorf("boots %d is not one of 1 to 100", r.Boots)
	}
	if r.Boots > 1 && !r.ICount {
		return errors.New("boots above 1 needs icount: other runs differ")
	}
	if r.Boots > 1 && (r.Input != nil || r.Disk != "") {
		return errors.New("boots above 1 takes neither input nor disk: the host decides when they answer")
	}
	if r.Exit < 0 || r.Exit > 255 {
		return fmt.Errorf("exit status %d is not one of 0 to 255", r.Exit)
	}
	for i := range r.Counter {
		b := &r.Counter[i]
		if b.Scale == 0 {
			b.Scale = 1
		}
		switch {
		case b.Name == "":
			return errors.New("a counter has no name")
		case b.Min == nil && b.Max == nil:
			return fmt.Errorf("counter %q has neither min nor max", b.Name)
		case b.Min != nil && b.Max != nil && *b.Min > *b.Max:
			return fmt.Errorf("counter %q has min %v above max %v", b.Name, *b.Min, *b.Max)
		case b.Scale != 1 && b.Per == "":
			return fmt.Errorf("counter %q has a scale but no per", b.Name)
		}
	}
	return nil
}

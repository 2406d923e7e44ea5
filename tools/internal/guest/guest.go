// Package guest runs an image in QEMU and says how the run ended.
//
// A guest ends itself in three ways at once: it writes a last line to its
// report, it gives its exit status there, and it ends QEMU with a status that
// QEMU never has by itself. Only if these agree has the guest ended; else it
// is lost, and Outcome says what was seen.
package guest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"sched9/boot"
	"sched9/kernel/cmdline"
	"sched9/qemu"
	"sched9/sched"
	"sched9/tools/internal/report"
	"sched9/trace"
)

// Exit statuses of runs that the guest did not end. Its own are 0 to 125, and
// StatusFault if its kernel ended it.
const (
	StatusTimeout   = 124 // the time limit ended the run
	StatusHost      = 125 // sched9 or QEMU failed
	StatusFault     = 126 // the guest's kernel could not go on
	StatusLost      = 127 // the guest was lost: a triple fault, or QEMU was killed
	StatusInterrupt = 130 // the user ended the run
)

// QEMU's exit statuses for a guest whose own status is 0 or another
// (drivers/debugexit and drivers/poweroff).
const (
	qemuClean   = 0x63
	qemuUnclean = 0x65
)

// Bounds of the kernel's command line (kernel/args.go).
const (
	maxCmdline = 16<<10 - 256 // less what a boot loader may put before it
	maxWords   = 1024 - 8
)

// Bounds of a time slice: below the least a processor is busy with little but its timer.
const (
	MinSlice = 10 * time.Microsecond
	MaxSlice = time.Second
)

// ArchVariable is the environment's variable by which tests in Go are told the
// architecture of the machines that they boot.
const ArchVariable = "SCHED9_ARCH"

// Accels are what a Guest may ask for.
var Accels = []string{"auto", "tcg", "kvm"}

// Guest is a machine and what it is to run.
type Guest struct {
	Name    string // the program's os.Args[0]
	Image   []byte // as made by package boot
	Args    []string
	Env     []string // KEY=VALUE
	Arch    string
	SMP     int
	Mem     string
	Machine string // the architecture's usual one if empty
	CPU     string // QEMU's -cpu; the architecture's usual one if empty
	Accel   string
	ICount  bool
	Timeout time.Duration // limit on the host, from QEMU's start
	Disks   []Disk        // /dev/vda and so on

	// Input, if not nil, is the guest's standard input. It is not read before the
	// program reads, and then by a goroutine that may outlast the run by one Read.
	// With Prompt, the program gets a line of it, and at last its end, for each
	// line that it prints on standard output which matches.
	Input  io.Reader
	Prompt *regexp.Regexp

	// Each writer is written to by one goroutine of its own. nil discards.
	Stdout, Stderr io.Writer

	Started func(*qemu.VM) // is called when the guest runs; may be nil

	// Audit, if not 0, is how often the scheduler stops the world and checks all
	// that it holds: a millisecond at least.
	Audit time.Duration

	// Slice, if not 0, is the scheduler's time slice: whole microseconds, from MinSlice
	// to MaxSlice. Of itself the scheduler takes 10 ms.
	Slice time.Duration

	// Record, if not nil, gets a recording of the run (package trace), while it
	// goes on. An error of its own ends the recording, not the run.
	Record io.Writer
	// Depth is how many code addresses are recorded of a goroutine's stack,
	// beside the innermost: at most sched.MaxStack.
	Depth int
}

// Outcome is how a run ended.
type Outcome struct {
	Status int    // the guest's exit status, or one of this package's
	Why    string // why the guest did not end itself, in one sentence, or ""
	Report report.Report
	Record error // why the recording is not whole; a lost record is not an error
	QEMU   qemu.Result
}

// Check says what is wrong with g, whatever its image. Run checks again; this
// is for those who want to know before the image is built.
func (g Guest) Check() error {
	if err := qemu.CheckMachine(g.Arch, g.machine(), g.SMP); err != nil {
		return err
	}
	if g.SMP < 1 || g.SMP > qemu.MaxSMP {
		return fmt.Errorf("%d vCPUs asked for, 1 to %d are possible", g.SMP, qemu.MaxSMP)
	}
	if _, err := qemu.ParseMem(g.Mem); err != nil {
		return err
	}
	if !slices.Contains(Accels, g.Accel) {
		return fmt.Errorf("accelerator %q is not one of %s", g.Accel, strings.Join(Accels, ", "))
	}
	if g.ICount && g.Accel == "kvm" {
		return errors.New("counting instructions needs the accelerator tcg, not kvm")
	}
	if g.Audit != 0 && (g.Audit < time.Millisecond || g.Audit > 1000*time.Second) {
		return fmt.Errorf("audits every %v asked for, 1ms to 1000s are possible", g.Audit)
	}
	if g.Slice != 0 && (g.Slice < MinSlice || g.Slice > MaxSlice || g.Slice%time.Microsecond != 0) {
		return fmt.Errorf("a time slice of %v asked for, whole microseconds from %v to %v are possible", g.Slice, MinSlice, MaxSlice)
	}
	if g.Depth < 0 || g.Depth > sched.MaxStack {
		return fmt.Errorf("%d code addresses of a stack asked for, 0 to %d are possible", g.Depth, sched.MaxStack)
	}
	if len(g.Disks) > qemu.MaxDisks {
		return fmt.Errorf("%d disks are too many, %d are possible", len(g.Disks), qemu.MaxDisks)
	}
	for _, d := range g.Disks {
		if err := d.Check(); err != nil {
			return err
		}
	}
	if g.Prompt != nil && g.Input == nil {
		return errors.New("a prompt is nothing without input")
	}
	if g.Timeout <= 0 {
		return fmt.Errorf("time limit %v is not more than 0", g.Timeout)
	}
	for _, e := range g.Env {
		if i := strings.IndexByte(e, '='); i < 1 {
			return fmt.Errorf("environment %q is not of the form KEY=VALUE", e)
		}
	}
	for _, s := range slices.Concat(g.Env, g.Args) {
		if strings.ContainsRune(s, 0) {
			return errors.New("an argument holds a zero byte")
		}
	}
	if n := len(g.Env) + len(g.Args) + 1; n > maxWords {
		return fmt.Errorf("%d arguments and variables are too many, %d are possible", n, maxWords)
	}
	if n := len(g.cmdline()); n > maxCmdline {
		return fmt.Errorf("arguments and environment take %d bytes, %d are possible", n, maxCmdline)
	}
	return nil
}

// machine is the machine type.
func (g Guest) machine() string {
	if all := qemu.Machines(g.Arch); g.Machine == "" && len(all) > 0 {
		return all[0]
	}
	return g.Machine
}

// options are for the guest's kernel.
func (g Guest) options() []string {
	var o []string
	if g.Record != nil {
		o = append(o, fmt.Sprintf("record=%d", g.Depth))
	}
	if g.Audit > 0 {
		o = append(o, fmt.Sprintf("audit=%d", g.Audit.Milliseconds()))
	}
	if g.Slice > 0 {
		o = append(o, fmt.Sprintf("slice=%d", g.Slice.Microseconds()))
	}
	if g.Input != nil {
		o = append(o, "input=1")
	}
	return o
}

// cmdline is the guest's command line.
func (g Guest) cmdline() string {
	return cmdline.Format(g.options(), g.Env, append([]string{g.Name}, g.Args...))
}

// Run boots g and waits for its end. The error says what is wrong with g or
// missing on the host; all that happens later is in the Outcome. Cancelling ctx
// ends the run.
func Run(ctx context.Context, g Guest) (Outcome, error) {
	if err := g.Check(); err != nil {
		return Outcome{}, err
	}
	file, err := os.CreateTemp("", "sched9-image-")
	if err != nil {
		return Outcome{}, err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(g.Image)
	if err := errors.Join(err, file.Close()); err != nil {
		return Outcome{}, fmt.Errorf("the image could not be written: %w", err)
	}
	var told bytes.Buffer
	var rec *recording
	var memory *qemu.Memory
	tell := io.Writer(&told)
	if g.Record != nil {
		if rec, err = newRecording(g); err != nil {
			return Outcome{}, err
		}
		defer rec.mem.Close()
		memory, tell = rec.mem, rec.report(&told)
	}
	disks, remove, err := prepare(g.Disks)
	defer remove()
	if err != nil {
		return Outcome{}, err
	}
	stdout, stdin := g.Stdout, io.Reader(nil)
	if g.Input != nil {
		k := newKeyboard(g.Input, g.Prompt)
		defer k.close()
		stdout, stdin, tell = k.watch(g.Stdout), k, k.report(tell)
	}
	vm, err := qemu.Start(ctx, qemu.Config{
		Arch:        g.Arch,
		Machine:     g.machine(),
		CPU:         g.CPU,
		SMP:         g.SMP,
		Mem:         g.Mem,
		Accel:       g.Accel,
		ICount:      g.ICount,
		Kernel:      file.Name(),
		Append:      g.cmdline(),
		Timeout:     g.Timeout,
		Disks:       disks,
		Input:       stdin,
		Stdout:      stdout,
		Stderr:      g.Stderr,
		Report:      tell,
		Memory:      memory,
		Probe:       probe(g.Arch),
		ProbeStatus: 2*boot.ProbeStatus + 1,
	})
	if err != nil {
		if ctx.Err() != nil {
			return interrupted(), nil
		}
		return Outcome{}, err
	}
	if g.Started != nil {
		g.Started(vm)
	}
	res := vm.Wait()
	o := judge(res, report.Parse(told.String()))
	if rec != nil {
		o.Record = rec.end(trace.End{Status: o.Status, Why: o.Why})
	}
	return o, nil
}

// probe is the image that proves KVM, nil where there is none.
func probe(arch string) []byte {
	if arch != "amd64" {
		return nil
	}
	return boot.Probe()
}

// interrupted is the outcome of a run that was cancelled before it began.
func interrupted() Outcome {
	return Outcome{Status: StatusInterrupt, Why: "interrupted", QEMU: qemu.Result{Reason: qemu.Cancelled}}
}

// judge decides how a run ended from what QEMU and the guest say of it.
func judge(res qemu.Result, rep report.Report) Outcome {
	o := Outcome{Report: rep, QEMU: res}
	switch res.Reason {
	case qemu.Exited:
		o.Status, o.Why = exited(res, rep)
	case qemu.TimedOut:
		o.Status, o.Why = StatusTimeout, res.Err.Error()
	case qemu.Cancelled:
		o.Status, o.Why = StatusInterrupt, "interrupted"
	case qemu.Failed:
		o.Status, o.Why = StatusHost, res.Err.Error()
	default: // Reset, Panicked, Killed
		o.Status, o.Why = StatusLost, res.Err.Error()
	}
	return o
}

// exited judges a run that seems to have been ended by the guest.
func exited(res qemu.Result, rep report.Report) (status int, why string) {
	want := qemuUnclean
	if rep.Status == 0 {
		want = qemuClean
	}
	switch {
	case !rep.Ended:
		return StatusLost, "the guest is lost: " + rep.Missing()
	case res.Status != want:
		return StatusLost, fmt.Sprintf("the guest is lost: it reports status %d, but QEMU ended with status %#x", rep.Status, res.Status)
	case res.Err != nil: // its output could not be written
		return StatusHost, res.Err.Error()
	case rep.Status == StatusFault:
		return StatusFault, "the guest's kernel ended the run (status 126)"
	}
	return rep.Status, ""
}

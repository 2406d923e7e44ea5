// Package guest runs an image in QEMU and says how the run ended.
//
// A guest ends itself in three ways at once: it writes a last line to its report, it gives its exit
// status there, and it ends QEMU with a status that QEMU never uses itself. Only if these agree has
// the guest ended; otherwise it is lost, and Outcome says what was seen.
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
	"syscall"
	"time"

	"github.com/u-root/u-root/pkg/cpio"

	"sched9/boot"
	"sched9/kernel/frame"
	"sched9/kernel/ramfs"
	"sched9/qemu"
	"sched9/record"
	"sched9/tools/internal/disc"
	"sched9/tools/internal/report"
	"sched9/trace"
)

// Exit statuses of runs that the program did not end. It may end with any of them itself:
// then Outcome.Why is "".
const (
	StatusTimeout   = 124 // the time limit ended the run
	StatusHost      = 125 // sched9 or QEMU failed
	StatusFault     = 126 // the guest's kernel could not go on
	StatusLost      = 127 // the guest was lost: a triple fault, or QEMU was killed
	StatusInterrupt = 130 // the user ended the run
	StatusQuit      = 131 // the user ended the run, and the guest showed what it did
	StatusPipe      = 141 // the reader of the guest's output has gone away
)

// Reserved reports whether a status is one of those above, so that a program which ends
// with it is taken for a run that it did not end.
func Reserved(status int) bool {
	switch status {
	case StatusTimeout, StatusHost, StatusFault, StatusLost, StatusInterrupt, StatusQuit, StatusPipe:
		return true
	}
	return false
}

// QEMU's exit statuses for a guest whose own status is 0 or another
// (drivers/debugexit and drivers/poweroff).
const (
	qemuClean   = 0x63
	qemuUnclean = 0x65
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

	Root *qemu.Folder // of the host's, at /n/host; nil: none

	Net *Net // network card; nil: none

	// Files are the guest's files at boot, a directory before its contents. They stay in the
	// archive made of them; the guest's changes are its own.
	Files []cpio.Record

	Back *Back // which files the Outcome shall have; nil: none

	// Input, if not nil, is the guest's standard input. It is not read before the
	// program reads, and then by a goroutine that may outlast the run by one Read.
	// With Prompt, the program gets a line of it, and at last its end, for each
	// line that it prints on standard output which matches.
	Input  io.Reader
	Prompt *regexp.Regexp

	// Each writer is written to by one goroutine of its own. nil discards. An error of a writer
	// ends the run.
	Stdout, Stderr io.Writer

	// Merged sends standard error to Stdout too, in the order in which the program writes: for a
	// user who has one place for both.
	Merged bool

	// Serial takes the virtio console away: the guest's console is a serial port.
	Serial bool

	// Via is how the machine comes to the image: "" has QEMU load it. With ViaGRUB and ViaUEFI firmware, a BIOS or UEFI's,
	// starts GRUB from a CD, as on real machines, and Image is in the format boot.Multiboot. ViaEFI has UEFI start the image
	// itself, as an application on a USB stick. ViaBochs is as ViaGRUB, in Bochs instead of QEMU: the console is a serial port, and there is no Input.
	Via string

	// GDB, if not "", is where a debugger is waited for: as GDBAddress returns it.
	GDB string

	Started func(*qemu.VM) // is called when the guest runs; may be nil

	// Signals, if not nil, delivers the user's signals. SIGQUIT, Ctrl-\, makes the guest show what everything does, as it does
	// at its time limit, and ends the run. Others reach the guest's program; the second of those that end programs ends the
	// run.
	Signals <-chan os.Signal

	// Audit, if not 0, is how often the scheduler stops the world and checks all
	// that it holds: a millisecond at least.
	Audit time.Duration

	// Slice, if not 0, is the scheduler's time slice: whole microseconds, from MinSlice to MaxSlice
	// (default 10 ms).
	Slice time.Duration

	// Wire, if not nil, is called in a goroutine of its own with the host's end of the guest's wire (srv/wire). Reads from
	// that end when the run is over.
	Wire func(io.ReadWriter)

	// Hunt, if not nil, is the schedule: the image is built for that, there is one vCPU, and ICount is set.
	Hunt *Hunt

	// Record, if not nil, gets a recording of the run (package trace), while it
	// goes on. An error of its own ends the recording, not the run.
	Record io.Writer
	// Depth is how many code addresses are recorded of a goroutine's stack,
	// beside the innermost: at most record.MaxStack.
	Depth int
}

// Outcome is how a run ended.
type Outcome struct {
	Status int    // the guest's exit status, or one of this package's
	Why    string // why the guest did not end itself, in one sentence, or ""
	Report report.Report
	Record error // why the recording is not whole; a lost record is not an error

	Files []ramfs.OutFile // what Back asked for
	Back  error           // why some of that is not there
	QEMU  qemu.Result
}

// Check says what is wrong with g, except for its image. Run checks again; Check is for callers
// that want to know before they build the image.
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
	if g.Slice != 0 {
		if err := g.CheckSlice(); err != nil {
			return err
		}
	}
	if g.Depth < 0 || g.Depth > record.MaxStack {
		return fmt.Errorf("%d code addresses of a stack asked for, 0 to %d are possible", g.Depth, record.MaxStack)
	}
	if len(g.Disks) > qemu.MaxDisks {
		return fmt.Errorf("%d disks are too many, %d are possible", len(g.Disks), qemu.MaxDisks)
	}
	for _, d := range g.Disks {
		if err := d.Check(); err != nil {
			return err
		}
	}
	if err := g.checkRoot(); err != nil {
		return err
	}
	if err := g.checkNet(); err != nil {
		return err
	}
	if g.Hunt != nil {
		if err := g.checkHunt(); err != nil {
			return err
		}
	}
	if g.GDB != "" {
		if _, err := GDBAddress(g.GDB); err != nil {
			return err
		}
	}
	if g.Wire != nil && (g.Serial || g.Via == ViaBochs) {
		return errors.New("this machine has no virtio console, by which files are served")
	}
	if g.Prompt != nil && g.Input == nil {
		return errors.New("a prompt is nothing without input")
	}
	if err := g.fits(); err != nil {
		return err
	}
	if g.Timeout <= 0 {
		return fmt.Errorf("time limit %v is not more than 0", g.Timeout)
	}
	if err := g.checkVia(); err != nil {
		return err
	}
	if err := g.checkBoard(); err != nil {
		return err
	}
	return g.checkArgs()
}

// What Guest.Via may be.
const (
	ViaGRUB  = "grub"
	ViaUEFI  = "uefi"
	ViaEFI   = "efi"
	ViaBochs = "bochs"
)

// Vias are the ways that there are beside "".
var Vias = []string{ViaGRUB, ViaUEFI, ViaEFI, ViaBochs}

// Format is the format that g.Image has to have for g.Via; boot.PVH also stands for what another architecture has.
func (g Guest) Format() boot.Format {
	if g.Via == "" || g.Arch == "arm64" {
		return boot.PVH
	}
	return boot.Multiboot
}

// checkVia says what is wrong with g.Via.
func (g Guest) checkVia() error {
	machine, _, _ := strings.Cut(g.machine(), ",")
	switch {
	case g.Via == "":
		return nil
	case !slices.Contains(Vias, g.Via):
		return fmt.Errorf("no way to boot is called %q; there are %s", g.Via, strings.Join(Vias, ", "))
	case g.Arch == "arm64":
		if g.Via != ViaEFI || machine != "virt" {
			return fmt.Errorf("by way of %s boot a q35 and a pc, not a %s; a virt boots by way of %s", g.Via, machine, ViaEFI)
		}
		return nil
	case g.Image != nil && boot.FormatOf(g.Image) != boot.Multiboot:
		return fmt.Errorf("by way of %s boots an image of the format multiboot, and this one is of %v", g.Via, boot.FormatOf(g.Image))
	case g.Via == ViaBochs:
		return g.checkBochs()
	case machine == "microvm":
		return fmt.Errorf("by way of %s boot a q35 and a pc, not a %s", g.Via, machine)
	}
	return nil
}

// CheckSlice says what is wrong with g.Slice as a time slice that was asked for: 0 is none.
func (g Guest) CheckSlice() error {
	if g.Slice < MinSlice || g.Slice > MaxSlice || g.Slice%time.Microsecond != 0 {
		return fmt.Errorf("a time slice of %v asked for, whole microseconds from %v to %v are possible", g.Slice, MinSlice, MaxSlice)
	}
	return nil
}

// fits says whether the image, if there is one already, fits into the machine's memory. The guest's
// kernel knows better how much it needs besides, but a loader may fail before that.
func (g Guest) fits() error {
	if g.Image == nil {
		return nil
	}
	size, err := boot.Extent(g.Image)
	if err != nil {
		return err
	}
	mib, err := qemu.ParseMem(g.Mem)
	files := uint64(0)
	for _, f := range g.Files {
		files += f.FileSize
	}
	switch {
	case err != nil || size+files+frame.Least <= uint64(mib)<<20:
	case files > 0:
		err = fmt.Errorf("the image takes %d MiB of memory, files %d, and %d are wanted beside them, and the machine has %d", ceil(size), ceil(files), frame.Least>>20, mib)
	default:
		err = fmt.Errorf("the image takes %d MiB of memory and %d beside it, and the machine has %d", ceil(size), frame.Least>>20, mib)
	}
	return err
}

// ceil is a number of bytes in MiB, rounded up.
func ceil(size uint64) uint64 { return (size + 1<<20 - 1) >> 20 }

// machine is the machine type.
func (g Guest) machine() string {
	if all := qemu.Machines(g.Arch); g.Machine == "" && len(all) > 0 {
		return all[0]
	}
	return g.Machine
}

// board reports whether the machine is one with the devices that it has (qemu.Fixed): two serial ports, the second of which is for the report.
func (g Guest) board() bool {
	smp, _ := qemu.Fixed(g.machine())
	return smp != 0
}

// checkBoard says what of g such a machine cannot have.
func (g Guest) checkBoard() error {
	_, mem := qemu.Fixed(g.machine())
	switch {
	case !g.board():
		return nil
	case g.Mem != mem:
		return fmt.Errorf("a %s has %s of memory, not %s", g.machine(), mem, g.Mem)
	case g.CPU != "" || g.Accel == "kvm":
		return fmt.Errorf("a %s has its own processor, and no KVM", g.machine())
	case len(g.Disks) > 0, g.Root != nil, g.Net != nil, g.Wire != nil:
		return fmt.Errorf("a %s has no disks, no folder of the host's, no network card, and serves no files", g.machine())
	}
	return nil
}

// Debug puts item, KEY=VALUE, before what else there is in the environment's GODEBUG.
func (g *Guest) Debug(item string) {
	const name = "GODEBUG="
	env := slices.Clone(g.Env)
	found := false
	for i, e := range env {
		if v, ok := strings.CutPrefix(e, name); ok {
			env[i] = name + strings.TrimSuffix(item+","+v, ",")
			found = true
		}
	}
	if !found {
		env = append(env, name+item)
	}
	g.Env = env
}

// options are for the guest's kernel.
func (g Guest) options() []string {
	var o []string
	if g.Record != nil || g.Hunt != nil { // what the recorder takes is part of a schedule
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
	if g.Via == ViaBochs || g.board() {
		o = append(o, "coms=1")
	}
	if g.board() { // it has no clock
		now := time.Now()
		if g.ICount {
			now = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC) // as package qemu has others' begin
		}
		o = append(o, fmt.Sprintf("wall=%d", now.Unix()))
	}
	if g.Merged {
		o = append(o, "merged=1")
	}
	if h := g.Hunt; h != nil {
		leaks, log := 0, 0
		if h.Leaks {
			leaks = 1
		}
		if h.Log {
			log = 1
		}
		// The same words for each hunt, and as long, so that the boot takes as many instructions.
		for _, n := range []struct {
			name  string
			value int
		}{{"hunt", h.Seed}, {"hunthow", h.Strategy}, {"huntdepth", h.Depth}, {"huntlimit", int(h.Limit.Milliseconds())}, {"hunthang", int(h.Hang.Seconds())}, {"huntruns", max(h.Runs, 1)}, {"huntstep", h.Step}, {"huntleaks", leaks}, {"huntlog", log}} {
			o = append(o, fmt.Sprintf("%s=%07d", n.name, n.value))
		}
		if h.Moves != "" {
			o = append(o, "huntmoves="+h.Moves)
		}
	}
	return o
}

// Run boots g and waits for its end. The error says what is wrong with g or
// missing on the host; all that happens later is in the Outcome. Cancelling ctx
// ends the run.
func Run(ctx context.Context, g Guest) (Outcome, error) {
	if err := g.Check(); err != nil {
		return Outcome{}, err
	}
	if g.Via == ViaBochs {
		g.Input, g.Prompt = nil, nil
	}
	g.Serial = g.Serial || g.board()
	var files temporary // QEMU has read or opened them by the time that Start returns
	defer files.remove()
	line, archive, err := g.arguments()
	if err != nil {
		return Outcome{}, err
	}
	kernel, module, cd, treeFile := "", "", "", ""
	if g.Via != "" {
		if cd, err = files.add("cd", nil); err != nil {
			return Outcome{}, fmt.Errorf("the disc could not be written: %w", err)
		}
		d := disc.Disc{Image: g.Image, Line: line, Module: archive}
		if g.Via == ViaEFI {
			err = d.MakeStick(cd)
		} else {
			err = d.Make(ctx, cd)
		}
		if err != nil {
			if ctx.Err() != nil {
				return interrupted(), nil
			}
			return Outcome{}, err
		}
		if g.Via == ViaBochs {
			return g.runBochs(ctx, cd), nil
		}
		line = ""
	} else if kernel, err = files.add("image", g.Image); err != nil {
		return Outcome{}, fmt.Errorf("the image could not be written: %w", err)
	} else if archive != nil {
		if module, err = files.add("files", archive); err != nil {
			return Outcome{}, fmt.Errorf("the arguments could not be written: %w", err)
		}
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
	} else if g.Back != nil {
		if memory, err = qemu.NewMemory(g.Mem); err != nil {
			return Outcome{}, err
		}
		defer memory.Close()
	}
	disks, err := prepare(g.Disks, &files)
	if err != nil {
		return Outcome{}, err
	}
	stdout, stdin := g.Stdout, io.Reader(nil)
	if g.Input != nil {
		k := newKeyboard(g.Input, g.Prompt)
		defer k.close()
		stdout, stdin, tell = k.watch(g.Stdout), k, k.report(tell)
	}
	stderr := NewTail(g.Stderr)
	said := stderr // where what the host says goes
	if g.Merged {
		said = NewTail(stdout)
		stdout = said
	}
	tree, err := qemu.DeviceTree(g.machine())
	if err == nil && tree != nil {
		treeFile, err = files.add("tree", tree)
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("the device tree could not be written: %w", err)
	}
	var card *qemu.Net
	if g.Net != nil {
		card = &g.Net.Net
	}
	vm, err := qemu.Start(ctx, qemu.Config{
		Arch:        g.Arch,
		Machine:     g.machine(),
		CPU:         g.CPU,
		SMP:         g.SMP,
		Mem:         g.Mem,
		Accel:       g.Accel,
		ICount:      g.ICount,
		Kernel:      kernel,
		Append:      line,
		Module:      module,
		Tree:        treeFile,
		Disc:        cd,
		UEFI:        g.Via == ViaUEFI || g.Via == ViaEFI,
		Stick:       g.Via == ViaEFI,
		Timeout:     g.Timeout,
		Overdue:     func() { said.Say("the time limit of %v has passed", g.Timeout) },
		Disks:       disks,
		Random:      !g.ICount,
		Root:        g.Root,
		Net:         card,
		GDB:         g.GDB,
		Serial:      g.Serial,
		Merged:      g.Merged,
		Input:       stdin,
		Wire:        g.Wire != nil,
		Stdout:      stdout,
		Stderr:      stderr,
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
	files.remove()
	if g.Started != nil {
		g.Started(vm)
	}
	go g.relay(vm, said)
	if g.Wire != nil {
		go g.Wire(vm.Wire())
	}
	res := vm.Wait()
	o := judge(res, report.Parse(told.String()))
	if g.Back != nil {
		o.Files, o.Back = g.Back.files(memory.Bytes(), g.Arch, g.machine())
	}
	if rec != nil {
		o.Record = rec.end(trace.End{Status: o.Status, Why: o.Why})
	}
	return o, nil
}

// relay passes signals on to the guest until it ends. A guest with a serial port has no way for them, so the first ends it.
func (g Guest) relay(vm *qemu.VM, said *Tail) {
	asked := g.Serial
	for {
		select {
		case <-vm.Done():
			return
		case s := <-g.Signals:
			switch {
			case s == syscall.SIGQUIT:
				said.Say(`asked for by Ctrl-\`)
				vm.Interrupt()
				return
			case s == syscall.SIGWINCH:
				vm.Signal(syscall.SIGWINCH)
			case asked:
				vm.Quit()
				return
			default:
				asked = true
				vm.Signal(s.(syscall.Signal))
			}
		}
	}
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
	case qemu.Interrupted:
		o.Status, o.Why = StatusQuit, `ended by Ctrl-\`
	case qemu.Unheard: // Lost says why
	case qemu.Failed:
		o.Status, o.Why = StatusHost, res.Err.Error()
	case qemu.Reset:
		if rep.Ended && !rep.Fault && rep.Status == 0 { // by reboot(2)
			break
		}
		o.Status, o.Why = StatusLost, res.Err.Error()
	default: // Panicked, Killed
		o.Status, o.Why = StatusLost, res.Err.Error()
	}
	switch {
	case res.Lost == nil:
	case errors.Is(res.Lost, syscall.EPIPE) && (o.Why == "" || res.Reason == qemu.Unheard):
		o.Status, o.Why = StatusPipe, "the reader of the program's output has gone away"
	case o.Why == "" || res.Reason == qemu.Unheard:
		o.Status, o.Why = StatusHost, res.Lost.Error()
	default:
		o.Why += "; " + res.Lost.Error()
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
	case rep.Fault:
		return StatusFault, "the guest's kernel ended the run (status 126)"
	}
	return rep.Status, ""
}

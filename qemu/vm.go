package qemu

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// Limits of the end of a run. Their sum without the first, 22 s, is how long Wait can last beyond
// Config.Timeout; all but the first two are for a QEMU that misbehaves.
const (
	nmiGrace   = 3 * time.Second // for the guest to report after the NMI; begins anew with each output
	nmiLimit   = 9 * time.Second // for all that it says
	askLimit   = 1 * time.Second // for QEMU to answer while it is being ended
	quitLimit  = 1 * time.Second // for QEMU to end after quit
	killLimit  = 8 * time.Second // for QEMU to be gone after SIGKILL, on a busy host
	drainLimit = 3 * time.Second // for the writers and events to take the rest

	// For QEMU to end by itself after it closed the monitor, while the run's
	// own limit is still far: longer than quitLimit, for a busy host.
	exitLimit = 5 * time.Second
)

// VM is one run of one guest. Its methods are safe for concurrent use.
type VM struct {
	arch  string
	accel string
	grace time.Duration // nmiGrace, or 0 for a guest without an NMI handler

	proc     *process
	mon      *monitor
	channels []*channel
	input    *input // nil: there is none
	signals  *socket
	wire     *socket // nil: there is none

	quitOnce sync.Once
	quit     chan struct{} // closed by Quit
	icount   bool
	gdb      bool       // a debugger lets the guest begin
	ends     sync.Mutex // guards the channels' far ends
	askOnce  sync.Once
	asked    chan struct{} // closed by Interrupt
	deafOnce sync.Once
	deaf     chan struct{} // closed when a writer of the guest's output has failed
	overdue  func()        // Config.Overdue
	ready    chan struct{} // closed when the guest runs or never will
	done     chan struct{} // closed when result is set
	forced   bool          // QEMU was killed by us; supervise's alone
	result   Result        // read only after done is closed
}

// CPU is a vCPU as QEMU sees it.
type CPU struct {
	Index    int `json:"cpu-index"`
	ThreadID int `json:"thread-id"` // host thread; the same for all under ICount
}

// Start checks c, chooses the accelerator, starts QEMU and sets the guest going. Its error says
// what is wrong with c or missing on the host; no QEMU runs then. Everything that happens once QEMU
// exists, even that QEMU refuses the image, is in the Result. The caller must not drop the VM:
// Wait.
//
// Cancelling ctx ends the run at any time. With Accel "auto" or "kvm" the first call on a host may
// take some seconds for the probe.
func Start(ctx context.Context, c Config) (*VM, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	path, err := Locate(c.Arch)
	if err != nil {
		return nil, err
	}
	if c.firmware, err = firmware(path, c); err != nil {
		return nil, err
	}
	sweep(os.TempDir())
	accel, err := hostProber(path).choose(ctx, c)
	if err != nil {
		return nil, err
	}
	return launch(ctx, path, c, accel, nmiGrace)
}

// launch starts the QEMU at path for c, which withDefaults has filled in.
// grace is how long the guest may take after the NMI of a time-out.
func launch(ctx context.Context, path string, c Config, accel string, grace time.Duration) (vm *VM, err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("QEMU was not started: %w", err)
	}
	vm = &VM{
		arch:    c.Arch,
		accel:   accel,
		grace:   grace,
		overdue: c.Overdue,
		icount:  c.ICount,
		gdb:     c.GDB != "",
		quit:    make(chan struct{}),
		asked:   make(chan struct{}),
		deaf:    make(chan struct{}),
		ready:   make(chan struct{}),
		done:    make(chan struct{}),
	}
	defer func() {
		if err != nil {
			vm.handedOver()
			for _, ch := range vm.channels {
				ch.near.Close()
			}
			vm.signals.close()
			vm.wire.close()
		}
	}()
	if vm.mon, err = newMonitor(); err != nil {
		return nil, err
	}
	defer vm.mon.handedOver()
	files := []*os.File{vm.mon.far} // in the order of fdMonitor and so on
	for _, name := range []string{"stdout", "stderr", "report"} {
		ch, err := newChannel(name)
		if err != nil {
			return nil, err
		}
		ch.failed = func() { vm.deafOnce.Do(func() { close(vm.deaf) }) }
		vm.channels = append(vm.channels, ch)
		files = append(files, ch.far)
	}
	if vm.signals, err = newSocket("signals"); err != nil {
		return nil, err
	}
	defer vm.signals.handedOver()
	files = append(files, vm.signals.far)
	if c.Memory != nil {
		files = append(files, c.Memory.file)
	}
	if c.Wire {
		if vm.wire, err = newSocket("wire"); err != nil {
			return nil, err
		}
		defer vm.wire.handedOver()
		files = append(files, vm.wire.far)
	}
	var stdin, stdout *os.File
	if c.Input != nil {
		if vm.input, err = newInput(); err != nil {
			return nil, err
		}
		defer vm.input.handedOver()
		stdin, stdout = vm.input.far, vm.channels[0].far
	}
	limit := time.NewTimer(c.Timeout)
	if vm.proc, err = spawn(path, args(c, accel), files, stdin, stdout); err != nil {
		limit.Stop()
		vm.input.close()
		return nil, err
	}
	if vm.input != nil {
		vm.input.handedOver()
		go vm.input.copy(c.Input)
	}
	for i, w := range []io.Writer{c.Stdout, c.Stderr, c.Report} {
		vm.channels[i].copyTo(w)
	}
	// Our copies of QEMU's ends must be closed before anything waits for QEMU
	// to close its own: the deferred calls may come too late for connect. With ICount
	// begin still needs those of the channels.
	vm.mon.handedOver()
	if !vm.icount {
		vm.handedOver()
	}
	go vm.supervise(ctx, limit, c.Timeout)
	<-vm.ready
	return vm, nil
}

// handedOver closes our copies of QEMU's ends of the channels.
func (vm *VM) handedOver() {
	vm.ends.Lock()
	defer vm.ends.Unlock()
	for _, ch := range vm.channels {
		ch.handedOver()
	}
}

// blocking has QEMU wait when a channel is full, if the ends are still ours.
func (vm *VM) blocking() error {
	vm.ends.Lock()
	defer vm.ends.Unlock()
	var errs []error
	for _, ch := range vm.channels {
		errs = append(errs, ch.blocking())
	}
	return errors.Join(errs...)
}

// supervise sees the run through: the guest is set going, something ends it,
// all output is collected, the result is set.
//
// A QEMU that is gone already when a limit fires has ended by itself, so each
// case looks for that first: select takes ready cases in any order.
func (vm *VM) supervise(ctx context.Context, limit *time.Timer, timeout time.Duration) {
	defer limit.Stop()
	defer close(vm.done)
	begun := make(chan error, 1)
	go func() { begun <- vm.begin(timeout) }()

	var e ending
	select {
	case e.err = <-begun:
		if e.err != nil {
			// QEMU is ending, most likely, and its status says more than err.
			close(vm.ready)
			if !vm.proc.waited(exitLimit) {
				vm.end()
			}
			vm.finish(ctx, limit, e)
			return
		}
		close(vm.ready)
		e = vm.watch(ctx, limit, timeout)
	case <-vm.proc.gone:
		close(vm.ready)
	case <-limit.C:
		close(vm.ready)
		e = vm.timeOut(timeout)
	case <-ctx.Done():
		close(vm.ready)
		e = vm.cancel(ctx.Err())
	}
	vm.finish(ctx, limit, e)
}

// watch waits for the events that end a running guest.
func (vm *VM) watch(ctx context.Context, limit *time.Timer, timeout time.Duration) ending {
	select {
	case <-vm.proc.gone:
		return ending{}
	case <-limit.C:
		return vm.timeOut(timeout)
	case <-ctx.Done():
		return vm.cancel(ctx.Err())
	case <-vm.quit:
		return vm.cancel(errQuit)
	case <-vm.deaf:
		if vm.proc.waited(0) {
			return ending{}
		}
		vm.end()
		return ending{ours: Unheard, err: errUnheard}
	case <-vm.asked:
		if vm.proc.waited(0) {
			return ending{}
		}
		vm.interrupt()
		vm.end()
		return ending{ours: Interrupted, err: errInterrupted}
	}
}

// timeOut ends a run whose time is over.
func (vm *VM) timeOut(timeout time.Duration) ending {
	if vm.proc.waited(0) {
		return ending{}
	}
	if vm.overdue != nil {
		vm.overdue()
	}
	vm.interrupt()
	vm.end()
	return ending{ours: TimedOut, err: fmt.Errorf("the guest did not end within %v", timeout)}
}

// cancel ends a run that the caller no longer wants.
func (vm *VM) cancel(why error) ending {
	if vm.proc.waited(0) {
		return ending{}
	}
	vm.end()
	return ending{ours: Cancelled, err: fmt.Errorf("the run was cancelled: %w", why)}
}

// begin connects the monitor and lets the guest run, if no debugger is to. It ends when QEMU does,
// and supervise ends QEMU when the time limit of the run has passed.
func (vm *VM) begin(timeout time.Duration) error {
	if err := vm.mon.connect(); err != nil {
		return err
	}
	if vm.icount {
		// QEMU has opened all its channels before it answers.
		if err := vm.blocking(); err != nil {
			return err
		}
		vm.handedOver()
	}
	if vm.gdb {
		return nil
	}
	_, err := vm.mon.run("cont", timeout)
	return err
}

// interrupt gives a guest that did not end the chance to say why: its NMI
// handler prints its state and ends it. A stopped guest is set going for
// that. There is nothing to wait for if QEMU does not take the command, or if the guest
// has nothing more to say.
func (vm *VM) interrupt() {
	if vm.grace == 0 {
		return
	}
	if _, err := vm.mon.run(vm.nmi(), askLimit); err != nil {
		return
	}
	vm.mon.run("cont", askLimit) // an error means that it has ended
	said := vm.said()
	for limit := time.Now().Add(nmiLimit); !vm.proc.waited(vm.grace) && time.Now().Before(limit); {
		now := vm.said()
		if now == said {
			return
		}
		said = now
	}
}

// said is how many bytes the guest's channels have brought.
func (vm *VM) said() (n int64) {
	for _, ch := range vm.channels {
		n += ch.moved.Load()
	}
	return n
}

// end makes sure that QEMU is gone: it is asked, then killed.
func (vm *VM) end() {
	if vm.proc.waited(0) {
		return
	}
	if _, err := vm.mon.run("quit", askLimit); err == nil && vm.proc.waited(quitLimit) {
		return
	}
	vm.forced = true
	vm.proc.kill()
	vm.proc.waited(killLimit)
}

// finish collects what QEMU left behind and sets the result. A guest that ended by itself has its
// output taken at the reader's speed, as long as the run may last; else what the
// writers do not take within drainLimit is dropped.
func (vm *VM) finish(ctx context.Context, limit *time.Timer, e ending) {
	vm.handedOver()
	expired := make(chan time.Time)
	stop := make(chan struct{})
	defer close(stop)
	go func() { // one expiry for several waits
		if e.ours == Failed && !vm.forced && e.err == nil {
			select {
			case <-limit.C:
			case <-ctx.Done():
			case <-vm.quit:
			case <-stop:
				return
			}
		}
		t := time.NewTimer(drainLimit)
		defer t.Stop()
		select {
		case <-t.C:
			close(expired)
		case <-stop:
		}
	}()
	var lost error
	for _, ch := range vm.channels {
		lost = errors.Join(lost, ch.drain(expired))
	}
	vm.mon.close(expired)
	vm.input.close()
	vm.signals.close()
	vm.wire.close()
	e.forced = vm.forced
	e.events, e.stderr = vm.mon.seen(), vm.proc.complaints.String()
	if vm.proc.waited(0) {
		e.status, e.signal = vm.proc.state()
	} else {
		e.status = -1
		e.err = errors.New("QEMU could not be killed")
	}
	vm.result = classify(e)
	vm.result.Accel = vm.accel
	vm.result.Lost = lost
}

// Wait blocks until QEMU is gone and all of the guest's output has been
// written, and returns how the run ended. It always returns, at most 22
// seconds after Config.Timeout. It may be called more than once.
func (vm *VM) Wait() Result {
	<-vm.done
	return vm.result
}

// Done is closed when Wait would not block.
func (vm *VM) Done() <-chan struct{} { return vm.done }

// PID is the id of the QEMU process. It means nothing after the run.
func (vm *VM) PID() int { return vm.proc.cmd.Process.Pid }

// Stop halts all vCPUs and the guest's clocks. The run's time limit goes on.
func (vm *VM) Stop() error { return vm.command("stop") }

// Cont lets a stopped guest go on.
func (vm *VM) Cont() error { return vm.command("cont") }

// Interrupt asks a running guest to show what it does and to end, as at its time limit, and ends
// the run if it does not. The Result's Reason is Interrupted unless the run had ended before. It
// does not wait, and calling it again, or late, does no harm.
func (vm *VM) Interrupt() { vm.askOnce.Do(func() { close(vm.asked) }) }

// Signal sends the guest's program signal n, if the guest is sched9's kernel and has a virtio console. It does not wait
// for anything, and calling it late does no harm.
func (vm *VM) Signal(n syscall.Signal) { vm.signals.send(n) }

// Wire is the host's end of the guest's port sched9.wire, nil without Config.Wire. It is closed when the run is over.
func (vm *VM) Wire() io.ReadWriteCloser {
	if vm.wire == nil {
		return nil
	}
	return vm.wire.near
}

// nmi is the monitor's command for an interrupt that the guest does not keep out. On amd64 every
// vCPU gets a non-maskable one, by way of LINT1 of its APIC: a vCPU whose LVT entry for
// LINT1 is masked, as it is out of reset, does not get it. The guest must set the
// entry (0x400) on each vCPU. A virt has no such thing, but a power button, which the
// guest's kernel takes for one.
func (vm *VM) nmi() string {
	if vm.arch == "arm64" {
		return "system_powerdown"
	}
	return "inject-nmi"
}

// Quit ends the run; the guest is not asked. The Result's Reason is Cancelled
// unless the run had ended before. It returns when the run is over, and calling
// it again, or late, does no harm.
func (vm *VM) Quit() {
	vm.quitOnce.Do(func() { close(vm.quit) })
	<-vm.done
}

// Human runs a line in the monitor for people, for commands that the one for machines does not
// have. Any output of QEMU is an error: it prints nothing on success.
func (vm *VM) Human(line string) error {
	if vm.proc.waited(0) {
		return fmt.Errorf("%s: %w", line, errEnded)
	}
	reply, err := vm.mon.send("human-monitor-command", map[string]string{"command-line": line}, commandLimit)
	if err != nil {
		return err
	}
	var said string
	if err := json.Unmarshal(reply, &said); err != nil {
		return fmt.Errorf("%s: QEMU's reply is not understood: %w", line, err)
	}
	if said != "" {
		return fmt.Errorf("%s: %s", line, said)
	}
	return nil
}

// CPUs lists the vCPUs.
func (vm *VM) CPUs() ([]CPU, error) {
	reply, err := vm.ask("query-cpus-fast")
	if err != nil {
		return nil, err
	}
	var cpus []CPU
	if err := json.Unmarshal(reply, &cpus); err != nil {
		return nil, fmt.Errorf("QEMU's list of vCPUs is not understood: %w", err)
	}
	return cpus, nil
}

// command runs a monitor command whose reply carries nothing.
func (vm *VM) command(name string) error {
	_, err := vm.ask(name)
	return err
}

// ask runs a monitor command within commandLimit. A run that is over answers
// errEnded.
func (vm *VM) ask(name string) (json.RawMessage, error) {
	if vm.proc.waited(0) {
		return nil, fmt.Errorf("%s: %w", name, errEnded)
	}
	return vm.mon.run(name, commandLimit)
}

package guest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"syscall"

	"sched9/qemu"
	"sched9/tools/internal/bochs"
	"sched9/tools/internal/report"
)

// checkBochs says what of g a run in Bochs cannot have.
func (g Guest) checkBochs() error {
	mib, err := qemu.ParseMem(g.Mem)
	switch {
	case err != nil:
		return err
	case g.Arch != "amd64":
		return errors.New("Bochs is a PC: no " + g.Arch)
	case g.Machine != "" || g.CPU != "" || g.Accel == "kvm":
		return errors.New("by way of bochs the machine, its processor and the accelerator cannot be chosen")
	case g.SMP > bochs.MaxSMP:
		return errors.New("Bochs has up to 8 processors")
	case mib > bochs.MaxMem:
		return errors.New("Bochs has up to 2 GiB of memory")
	case g.Record != nil, g.Back != nil, g.Hunt != nil, len(g.Disks) > 0, g.GDB != "", g.ICount:
		return errors.New("by way of bochs there is no recording, no hunt, no file that comes back, no disk, no debugger and no count of instructions")
	}
	return nil
}

// runBochs boots the disc cd in Bochs and waits for the end of the run. The guest's console is a serial port, without input.
func (g Guest) runBochs(ctx context.Context, cd string) Outcome {
	mib, _ := qemu.ParseMem(g.Mem) // checkBochs has seen that it is one
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case s := <-g.Signals:
				if s != os.Signal(syscall.SIGWINCH) {
					cancel() // a serial port that nobody writes to has no way for it
				}
			}
		}
	}()
	stderr := g.Stderr
	if g.Merged {
		stderr = nil // the guest uses the other
	}
	var told bytes.Buffer
	err := bochs.Run(ctx, bochs.Machine{
		Disc: cd, SMP: g.SMP, Mem: mib, Timeout: g.Timeout,
		Stdout: g.Stdout, Stderr: stderr, Report: &told,
	})
	return judgeBochs(err, report.Parse(told.String()))
}

// judgeBochs is judge for a run in Bochs, which err ended.
func judgeBochs(err error, rep report.Report) Outcome {
	o := Outcome{Report: rep}
	switch {
	case errors.Is(err, bochs.ErrTimeout):
		o.Status, o.Why = StatusTimeout, err.Error()
	case errors.Is(err, bochs.ErrCancelled):
		o.Status, o.Why = StatusInterrupt, "interrupted"
	case err != nil:
		o.Status, o.Why = StatusLost, err.Error()
	case !rep.Ended:
		o.Status, o.Why = StatusLost, "the guest is lost: "+rep.Missing()
	case rep.Fault:
		o.Status, o.Why = StatusFault, "the guest's kernel ended the run (status 126)"
	default:
		o.Status = rep.Status
	}
	return o
}

package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"sched9/qemu"
)

// Machine is a machine with Linux, and what it runs.
type Machine struct {
	Kernel  string // path
	Archive []byte // see Archive
	Args    []string
	Arch    string
	SMP     int
	Mem     string
	Machine string
	ICount  bool
	Timeout time.Duration
	Stdout  io.Writer // the console

	Net     *qemu.Net      // its card; nil: none
	Started func(*qemu.VM) // is called when it runs; may be nil
}

// cmdline is the kernel's command line. The time-stamp counter is reliable in QEMU; without being
// told, the kernel may mistrust it on a busy host and use a clock that is many times slower. There
// are no other users to protect from, so mitigations are off. A panic ends the machine.
func (m Machine) cmdline() string {
	console := "ttyS0"
	if m.Arch == "arm64" {
		console = "ttyAMA0"
	}
	words := []string{"console=" + console, "quiet", "loglevel=0", "panic=-1", "mitigations=off"}
	if m.Arch == "amd64" {
		words = append(words, "tsc=reliable", "clocksource=tsc")
	}
	return strings.Join(append(append(words, "--"), m.Args...), " ")
}

// Run boots m and waits for its end. The error says why it did not switch itself off.
func (m Machine) Run(ctx context.Context) error {
	file, err := os.CreateTemp("", qemu.Scratch("cpio"))
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(m.Archive)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("the archive for Linux could not be written: %w", err)
	}
	vm, err := qemu.Start(ctx, qemu.Config{
		Arch:    m.Arch,
		Machine: m.Machine,
		SMP:     m.SMP,
		Mem:     m.Mem,
		Accel:   "tcg",
		ICount:  m.ICount,
		Kernel:  m.Kernel,
		Append:  m.cmdline(),
		Serial:  true,
		Timeout: m.Timeout,
		Stdout:  m.Stdout,
		Net:     m.Net,
		Extra:   []string{"-initrd", file.Name()},
	})
	if err != nil {
		return err
	}
	if m.Started != nil {
		m.Started(vm)
	}
	res := vm.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case res.Err != nil || res.Lost != nil:
		return fmt.Errorf("Linux: %w", errors.Join(res.Err, res.Lost))
	case res.Reason != qemu.Exited || res.Status != 0:
		return fmt.Errorf("Linux ended otherwise than by switching itself off: %v, QEMU's status %d", res.Reason, res.Status)
	}
	return nil
}

// Package bochs boots a disc in Bochs, an emulator of PCs that shares no code with QEMU. It is strict where QEMU forgives:
// reserved bits, addresses that are not canonical, the rules of interrupts. Bochs 2.7 of Debian is meant, with its debugger,
// which waits for a command at the beginning.
package bochs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Bounds of a Machine.
const (
	MaxSMP = 8
	MaxMem = 2048 // MiB
)

// Machine is a PC (an i440FX with a Haswell) and what it boots.
type Machine struct {
	Disc    string // path of a CD's image
	SMP     int    // processors, 1 to MaxSMP
	Mem     int    // MiB, at most MaxMem
	Timeout time.Duration

	// What the guest writes to its serial ports 1 to 3. Each writer is written to by one goroutine of its own.
	Stdout, Stderr, Report io.Writer
}

// Errors of a run that something else than the guest ended.
var (
	ErrTimeout   = errors.New("the guest did not end in time")
	ErrCancelled = errors.New("the run was cancelled")
)

// roms are the files of the packages bochsbios and vgabios.
var roms = [2]string{"/usr/share/bochs/BIOS-bochs-latest", "/usr/share/bochs/VGABIOS-lgpl-latest"}

// Locate returns Bochs's path. The error says what to install.
func Locate() (string, error) {
	path, err := exec.LookPath("bochs")
	if err == nil {
		for _, rom := range roms {
			if _, err = os.Stat(rom); err != nil {
				break
			}
		}
	}
	if err != nil {
		return "", fmt.Errorf("%w: install the packages bochs, bochsbios, vgabios and bochs-term (Debian, Ubuntu)", err)
	}
	return path, nil
}

// Run boots m, waits until Bochs is gone, and returns what ended it: nil if the machine was turned off, or why it was not. Whether
// the guest has ended well is in its report.
func Run(ctx context.Context, m Machine) error {
	path, err := Locate()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "sched9-bochs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	log := filepath.Join(dir, "log")
	config := filepath.Join(dir, "bochsrc")
	if err := os.WriteFile(config, []byte(m.config(log)), 0o600); err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, m.Timeout)
	defer cancel()
	cmd := exec.CommandContext(limit, path, "-q", "-f", config)
	cmd.Env = append(os.Environ(), "TERM=vt100") // for the display, which nobody sees
	cmd.Stdin = strings.NewReader("c\nq\n")      // to the debugger: continue; quit, should it come back
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	wait, err := outputs(cmd, m.Stdout, m.Stderr, m.Report)
	if err != nil {
		return err
	}
	err = cmd.Start()
	for _, f := range cmd.ExtraFiles {
		f.Close() // the readers see the end when Bochs is gone
	}
	if err == nil {
		cmd.Wait() // its status is 1 when the machine is turned off
	}
	failed := wait()
	switch {
	case err != nil:
		return fmt.Errorf("Bochs did not start: %w", err)
	case failed != nil:
		return fmt.Errorf("the guest's output could not be written: %w", failed)
	case ctx.Err() != nil:
		return ErrCancelled
	case limit.Err() != nil:
		return ErrTimeout
	}
	said, err := os.ReadFile(log)
	if err != nil {
		return fmt.Errorf("Bochs left no log: %w", err)
	}
	return complaint(said)
}

// config is Bochs's configuration. Time passes by instructions alone, so a run does not depend on the host. Whatever
// Bochs would ask a person about ends it.
func (m Machine) config(log string) string {
	// The display term needs no window, and shows text alone: any other mode ends it. Without VGA's extension GRUB stays in it.
	return fmt.Sprintf(`display_library: term
plugin_ctrl: speaker=0, unmapped=1
cpu: model=corei7_haswell_4770, count=%d, ips=50000000, reset_on_triple_fault=0
clock: sync=none, time0=1577836800
megs: %d
romimage: file=%s
vga: extension=none
vgaromimage: file=%s
ata0-master: type=cdrom, path=%q, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=/dev/fd/3
com2: enabled=1, mode=file, dev=/dev/fd/4
com3: enabled=1, mode=file, dev=/dev/fd/5
log: %s
panic: action=fatal
error: action=report
info: action=ignore
`, m.SMP, m.Mem, roms[0], roms[1], m.Disc, log)
}

// outputs gives cmd the writing end of a pipe for each writer, as descriptors from 3 on. wait returns when all that came has
// been written, and the first writer's error.
func outputs(cmd *exec.Cmd, to ...io.Writer) (wait func() error, err error) {
	var copies sync.WaitGroup
	errs := make([]error, len(to))
	for i, w := range to {
		near, far, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if w == nil {
			w = io.Discard
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, far)
		copies.Go(func() {
			defer near.Close()
			if _, errs[i] = io.Copy(w, near); errs[i] != nil {
				io.Copy(io.Discard, near)
			}
		})
	}
	return func() error {
		copies.Wait()
		return errors.Join(errs...)
	}, nil
}

// complaint is what ended a Bochs that has ended by itself, by its log: nil if the guest turned the machine off.
func complaint(log []byte) error {
	for line := range bytes.Lines(log) {
		// Time, level, device in brackets, text; p is a panic, which ends Bochs.
		head, text, ok := bytes.Cut(line, []byte("] "))
		if ok && bytes.Contains(head, []byte("p[")) {
			text := strings.TrimPrefix(string(bytes.TrimSpace(text)), ">>PANIC<< ")
			if strings.HasSuffix(text, "soft power off") {
				return nil
			}
			return fmt.Errorf("Bochs stops the machine: %s", text)
		}
	}
	return errors.New("Bochs ended without a reason")
}

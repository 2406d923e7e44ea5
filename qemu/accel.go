package qemu

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	kvmDevice  = "/dev/kvm"
	probeLimit = 5 * time.Second
	probeMem   = "128M"
)

// prober chooses the accelerator. Its fields are its knowledge of the host, so that tests can give
// other answers.
//
// That KVM's device opens proves nothing: on some hosts (nested, confidential) an ordinary 64-bit
// guest then hangs. So KVM is used only after an image of the caller's has run under it to its end.
// A hang costs probeLimit, so the answer is remembered, under all that it depends on: QEMU, the
// host's kernel, the machine type, its firmware and the image.
type prober struct {
	open    func() error                                  // opens and closes KVM's device
	version func() (string, error)                        // QEMU's version
	release func() (string, error)                        // the host kernel's release
	boot    func(context.Context, Config) (Result, error) // runs c.Probe under KVM
	cache   string                                        // directory of remembered answers, or "" for none
}

// hostProber is the prober of this host for the QEMU at path.
func hostProber(path string) prober {
	p := prober{
		open:    openKVM,
		version: func() (string, error) { return versionOf(path) },
		release: hostRelease,
		boot: func(ctx context.Context, c Config) (Result, error) {
			return bootProbe(ctx, path, c, "kvm")
		},
	}
	if dir, err := os.UserCacheDir(); err == nil {
		p.cache = filepath.Join(dir, "sched9")
	}
	return p
}

// choose returns "tcg" or "kvm" for c, which withDefaults has filled in.
//
//	auto  kvm if the device opens and c.Probe runs under it, else tcg
//	kvm   an error if that fails; without c.Probe the caller is believed
//	tcg   tcg
//
// The error also reports a cancelled ctx.
func (p prober) choose(ctx context.Context, c Config) (string, error) {
	if c.Accel == "tcg" || c.ICount {
		return "tcg", nil
	}
	if c.Accel == "auto" && c.Probe == nil {
		return "tcg", nil
	}
	if err := p.open(); err != nil {
		if c.Accel == "kvm" {
			return "", fmt.Errorf("KVM is not usable: %w", err)
		}
		return "tcg", nil
	}
	if c.Probe == nil {
		return "kvm", nil
	}
	proved, why, err := p.proved(ctx, c)
	switch {
	case err != nil:
		return "", err
	case proved:
		return "kvm", nil
	case c.Accel == "kvm":
		return "", fmt.Errorf("KVM is not usable: %s", why)
	default:
		return "tcg", nil
	}
}

// proved reports whether c.Probe runs under KVM, and if not, why. A remembered
// answer is taken. An answer is remembered if it is about KVM: not when the
// run was cancelled (the error then says so) or killed.
func (p prober) proved(ctx context.Context, c Config) (ok bool, why string, err error) {
	file, err := p.answerFile(c)
	if err != nil {
		return false, "", err
	}
	if ok, why, known := recall(file); known {
		return ok, fmt.Sprintf("%s, when it was tried (remove %s to try again)", why, file), nil
	}
	res, err := p.boot(ctx, c)
	if err != nil {
		return false, "", err
	}
	switch {
	case res.Reason == Cancelled:
		return false, "", res.Err
	case res.Reason == Killed:
		return false, "the probe was killed", nil
	case res.Reason == Exited && res.Status == c.ProbeStatus:
		remember(file, yes)
		return true, "", nil
	case res.Reason == Exited:
		why = fmt.Sprintf("the probe ended with status %d, not %d", res.Status, c.ProbeStatus)
	default:
		why = fmt.Sprintf("the probe did not run under it: %v", res.Err)
	}
	remember(file, no+oneLine(why))
	return false, why, nil
}

// answerFile is where the answer for c on this host is remembered, or "" if
// there is no place for it.
func (p prober) answerFile(c Config) (string, error) {
	if p.cache == "" {
		return "", nil
	}
	version, err := p.version()
	if err != nil {
		return "", err
	}
	release, err := p.release()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s\n%d\n%s", version, release, c.Machine, c.firmware, c.ProbeStatus, c.Probe))
	return filepath.Join(p.cache, fmt.Sprintf("kvm-%x", sum[:8])), nil
}

// Remembered answers. Behind no stands why.
const (
	yes = "yes"
	no  = "no: "
)

// oneLine makes blanks of line ends.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// recall reads a remembered answer, and with no the reason for it. A file with anything else in it
// is as good as none.
func recall(file string) (ok bool, why string, known bool) {
	if file == "" {
		return false, "", false
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return false, "", false
	}
	answer := strings.TrimSpace(string(text))
	why, known = strings.CutPrefix(answer, no)
	return answer == yes, why, known || answer == yes
}

// remember writes an answer, at once and whole (rename), for other processes
// may read. Errors are not reported: the price is another probe.
func remember(file, answer string) {
	if file == "" {
		return
	}
	dir := filepath.Dir(file)
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return
	}
	_, werr := f.WriteString(answer + "\n")
	if err := errors.Join(werr, f.Close()); err != nil || os.Rename(f.Name(), file) != nil {
		os.Remove(f.Name())
	}
}

// bootProbe runs c.Probe on accel with one vCPU of c's machine, for at most
// probeLimit. The probe has no NMI handler, so there is no grace.
func bootProbe(ctx context.Context, path string, c Config, accel string) (Result, error) {
	dir, err := newScratch()
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(dir)
	image := filepath.Join(dir, "probe")
	if err := os.WriteFile(image, c.Probe, 0o600); err != nil {
		return Result{}, fmt.Errorf("KVM probe: %w", err)
	}
	vm, err := launch(ctx, path, Config{
		Arch:     c.Arch,
		Machine:  c.Machine,
		SMP:      1,
		Mem:      probeMem,
		Kernel:   image,
		Timeout:  probeLimit,
		firmware: c.firmware,
	}, accel, 0)
	if err != nil {
		return Result{}, err
	}
	return vm.Wait(), nil
}

// openKVM opens KVM's device as QEMU would.
func openKVM() error {
	f, err := os.OpenFile(kvmDevice, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// hostRelease is the release of the host's kernel. Only Linux has KVM, so
// Linux's file is the only source.
func hostRelease() (string, error) {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return "", fmt.Errorf("the host kernel's release is not known: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

package qemu

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// Bounds of a Config.
const (
	MaxSMP     = 64      // most vCPUs
	MinMemMiB  = 32      // least guest memory
	maxMemMiB  = 1 << 20 // most guest memory, 1 TiB: a larger figure is a slip of the hand
	MaxDisks   = 4       // most disks
	defaultMem = "512M"
)

// Config describes one run of one guest. Fields without a stated default must
// be set. Start checks everything here before it starts QEMU.
type Config struct {
	Arch    string // guest architecture: "amd64" (default) or "arm64"
	Machine string // one of Machines(Arch), the first by default; see CheckMachine
	CPU     string // QEMU's -cpu; default "max,-rdrand,-rdseed" or "cortex-a57" under TCG, "host" under KVM
	SMP     int    // number of vCPUs, 1 to MaxSMP
	Mem     string // guest memory as ParseMem reads it; default 512M, at least MinMemMiB

	Accel  string // "auto" (default), "tcg" or "kvm"; see prober
	ICount bool   // count instructions: deterministic time, one host thread, TCG only

	Memory *Memory // the guest's memory, of size Mem; nil: QEMU's own

	Disks []Disk // in the order in which the guest finds them

	Root *Folder // a folder of this host that the guest has, by 9P; nil: none. No run repeats with one

	Net *Net // the guest's network card; nil: none. No run repeats with one

	Random bool // the guest has a device that gives it the host's random bytes; no run repeats then

	Kernel string // path of the image to boot
	Append string // the guest's command line
	Module string // path of a file that is loaded beside the image; "": none

	// Tree is the path of the device tree that the guest gets, for machines of which QEMU has none (DeviceTree); else "".
	Tree string

	// Disc is the path of a CD's image that the machine's firmware boots, in place of Kernel, Append and Module. With UEFI the
	// firmware is UEFI's, else a BIOS. With Stick it is the image of a USB stick instead. PCs have both, but for the microvm.
	Disc  string
	UEFI  bool
	Stick bool

	Timeout time.Duration // limit on the whole run from QEMU's start, more than 0
	Overdue func()        // is called when that has passed, before the guest is asked why; may be nil

	// Each writer has one goroutine of its own that writes to it; one writer given twice must be
	// safe for concurrent use. nil discards. A writer that returns an error gets nothing more, and
	// ends the run, because further output would be lost.
	Stdout io.Writer // guest's first serial port, and the port sched9.console of its virtio console
	Stderr io.Writer // guest's port 0xe9, on arm64 the first one of a PCI card with two serial ports; and the port sched9.errors
	Report io.Writer // guest's port 0xea; on arm64 the second one of the card

	// Serial leaves the virtio console out: the guest has what a plain machine has.
	Serial bool

	// Merged has all that the guest says for Stderr come to Stdout, in the order in which it is said.
	// The guest finds no port sched9.errors, and is to use the other.
	Merged bool

	// Input, if not nil, goes to the guest's port sched9.console, or with Serial to its first serial port,
	// as fast as the guest takes it.
	// A goroutine reads it that may outlast the run by one Read. Its end is not
	// told to the guest, which has no way to see it.
	Input io.Reader

	// Wire has the guest find a port sched9.wire: what it sends there VM.Wire reads, and the other way round.
	Wire bool

	// GDB, if not "", is the address, HOST:PORT, at which QEMU waits for a debugger that speaks gdb's remote
	// protocol. The guest does not begin before the debugger lets it.
	GDB string

	Probe       []byte // image that proves KVM; without it "auto" means "tcg"
	ProbeStatus int    // status QEMU ends with when Probe ran well (2*v+1)

	Extra []string // further QEMU arguments, put last

	firmware string // file to boot by; "": QEMU's own. Start finds it
}

// Disk is a file that is a disk of the guest.
type Disk struct {
	Path  string
	Write bool // the guest may write to it
}

// Folder is a directory of the host's.
type Folder struct {
	Path  string
	Write bool // the guest may change what is in it
}

// Check says what is wrong with f.
func (f Folder) Check() error {
	st, err := os.Stat(f.Path)
	switch {
	case f.Path == "":
		return errors.New("folder: none given")
	case err != nil:
		return fmt.Errorf("folder: %w", err)
	case !st.IsDir():
		return fmt.Errorf("folder: %s is not a directory", f.Path)
	}
	return nil
}

// withDefaults returns c with every default but CPU filled in (CPU depends on
// the accelerator) and Mem in MiB. The error is the first rule c breaks.
func (c Config) withDefaults() (Config, error) {
	if c.Arch == "" {
		c.Arch = "amd64"
	}
	if _, err := program(c.Arch); err != nil {
		return c, err
	}
	if c.Machine == "" {
		c.Machine = platforms[c.Arch].machines[0]
	}
	if err := CheckMachine(c.Arch, c.Machine, c.SMP); err != nil {
		return c, err
	}
	if c.SMP < 1 || c.SMP > MaxSMP {
		return c, fmt.Errorf("%d vCPUs asked for, 1 to %d are possible", c.SMP, MaxSMP)
	}
	_, board := Fixed(c.Machine)
	if c.Mem == "" {
		c.Mem = cmp.Or(board, defaultMem)
	}
	mib, err := ParseMem(c.Mem)
	if err != nil {
		return c, err
	}
	c.Mem = strconv.Itoa(mib) + "M"
	if board != "" {
		if err := c.checkBoard(mib); err != nil {
			return c, err
		}
	}
	if c.Memory != nil && c.Memory.mib != mib {
		return c, fmt.Errorf("memory of %d MiB for a guest of %d MiB", c.Memory.mib, mib)
	}
	if c.Wire && c.Serial {
		return c, errors.New("a wire needs the virtio console")
	}
	switch c.Accel {
	case "":
		c.Accel = "auto"
	case "auto", "tcg":
	case "kvm":
		if c.ICount {
			return c, errors.New("counting instructions needs the accelerator tcg, not kvm")
		}
	default:
		return c, fmt.Errorf("accelerator %q is not one of auto, tcg, kvm", c.Accel)
	}
	if c.Timeout <= 0 {
		return c, fmt.Errorf("time limit %v is not more than 0", c.Timeout)
	}
	if len(c.Disks) > MaxDisks {
		return c, fmt.Errorf("%d disks are too many, %d are possible", len(c.Disks), MaxDisks)
	}
	for _, d := range c.Disks {
		if err := d.Check(); err != nil {
			return c, err
		}
	}
	if c.Root != nil {
		if err := c.Root.Check(); err != nil {
			return c, err
		}
	}
	if c.Net != nil {
		if err := c.Net.Check(); err != nil {
			return c, err
		}
	}
	if c.Disc == "" {
		if c.UEFI || c.Stick {
			return c, errors.New("UEFI boots from a disc, and none was given")
		}
		return c, checkImage(c.Kernel)
	}
	if c.Kernel != "" || c.Append != "" || c.Module != "" {
		return c, errors.New("a disc was given and an image beside it: the machine boots by one")
	}
	name, _, _ := strings.Cut(c.Machine, ",")
	if c.Arch == "arm64" && c.UEFI && c.Stick {
		return c, checkImage(c.Disc)
	}
	if name != "q35" && name != "pc" {
		return c, fmt.Errorf("a %s has no CD to boot from; q35 and pc have", name)
	}
	return c, checkImage(c.Disc)
}

// checkBoard says what of c a machine that is a board (Fixed) cannot have; mib is c.Mem.
func (c Config) checkBoard(mib int) error {
	_, mem := Fixed(c.Machine)
	switch fixed, _ := ParseMem(mem); { // it is one
	case mib != fixed:
		return fmt.Errorf("a %s has %s of memory, not %s", c.Machine, mem, c.Mem)
	case c.CPU != "":
		return fmt.Errorf("a %s has its own processor, not %s", c.Machine, c.CPU)
	case len(c.Disks) > 0, c.Root != nil, c.Net != nil, c.Wire:
		return fmt.Errorf("a %s has no disks, no folder, no network card and no wire", c.Machine)
	case c.UEFI, c.Disc != "":
		return fmt.Errorf("a %s boots by the image alone", c.Machine)
	case c.Tree == "":
		return fmt.Errorf("a %s needs a device tree", c.Machine)
	}
	return nil
}

// Check says what is wrong with d.
func (d Disk) Check() error {
	if d.Path == "" {
		return errors.New("disk: no file given")
	}
	mode := os.O_RDONLY
	if d.Write {
		mode = os.O_RDWR
	}
	f, err := os.OpenFile(d.Path, mode, 0)
	if err != nil {
		return fmt.Errorf("disk: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("disk: %w", err)
	case !st.Mode().IsRegular():
		return fmt.Errorf("disk: %s is not a regular file", d.Path)
	case st.Size() == 0 || st.Size()%sectorSize != 0:
		return fmt.Errorf("disk: %s has %d bytes: that is no whole number of sectors of %d", d.Path, st.Size(), sectorSize)
	}
	return nil
}

// sectorSize is what a disk's size is a multiple of.
const sectorSize = 512

// checkImage makes sure that path names a regular file that can be opened. QEMU judges its
// contents.
func checkImage(path string) error {
	if path == "" {
		return errors.New("no kernel image given")
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("kernel image: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return fmt.Errorf("kernel image: %w", err)
	}
	if !st.Mode().IsRegular() {
		return fmt.Errorf("kernel image %s is not a regular file", path)
	}
	return nil
}

// ParseMem reads a memory size, "512M", "2G" or "2GiB" in either case, and
// returns MiB. A bare number counts MiB, as QEMU has it. A size below
// MinMemMiB is an error that names the least.
func ParseMem(s string) (mib int, err error) {
	num := strings.ToUpper(s)
	num = strings.TrimSuffix(strings.TrimSuffix(num, "IB"), "B")
	unit := 1
	switch {
	case strings.HasSuffix(num, "G"):
		num, unit = num[:len(num)-1], 1024
	case strings.HasSuffix(num, "M"):
		num = num[:len(num)-1]
	}
	n, err := strconv.ParseUint(num, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("memory size %q is not a number of M or G", s)
	}
	if n > uint64(maxMemMiB/unit) {
		return 0, fmt.Errorf("memory size %q is more than %dG", s, maxMemMiB/1024)
	}
	mib = int(n) * unit
	if mib < MinMemMiB {
		return 0, fmt.Errorf("memory size %q is too small, the least is %dM", s, MinMemMiB)
	}
	return mib, nil
}

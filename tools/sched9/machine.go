package main

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sched9/kernel/goruntime"
	"sched9/qemu"
	"sched9/tools/internal/files"
	"sched9/tools/internal/guest"
)

// archFlag adds the flag that chooses the guest's architecture.
func archFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "arch", "amd64", "guest `architecture`: amd64 or arm64")
}

// accelFlag adds the flag that chooses QEMU's accelerator.
func accelFlag(cmd *cobra.Command, to *string, value string) {
	cmd.Flags().StringVar(to, "accel", value, "QEMU's `accelerator`: auto, tcg or kvm")
}

// viaFlag adds the flag that chooses how the machine comes to the image.
func viaFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "via", "", "boot by `WAY`: grub, from a CD by BIOS and GRUB; uefi, the same by UEFI; efi, from a USB stick by UEFI without GRUB, for arm64 too; bochs, as grub, but in Bochs (default: QEMU loads the image)")
}

// machineTypes says which types of machines there are.
const machineTypes = "q35, pc (or with other firmware: q35,firmware=seabios; pc,firmware=qboot) or microvm; " +
	"for arm64 virt, with properties as in virt,gic-version=2 or virt,virtualization=on, or raspi3b, with 4 vCPUs and 1G"

// machineFlags adds the flags that describe a machine.
func machineFlags(cmd *cobra.Command, g *guest.Guest) {
	archFlag(cmd, &g.Arch)
	accelFlag(cmd, &g.Accel, "auto")
	f := cmd.Flags()
	f.IntVar(&g.SMP, "smp", 1, "number `N` of vCPUs, 1 to 64")
	f.StringVar(&g.Mem, "mem", "512M", "guest memory, `SIZE` with M or G")
	f.StringVar(&g.Machine, "machine", "", "machine `type`: "+machineTypes+" (default q35 or virt)")
	f.StringVar(&g.CPU, "cpu", "", "QEMU's `model` of the processor")
	f.BoolVar(&g.ICount, "icount", false, "count instructions: the same run every time")
	f.DurationVar(&g.Timeout, "timeout", time.Minute, "`limit` on the run, as in 90s or 2h")
	f.Var(&diskFlag{&g.Disks}, "disk", "raw image `FILE` as a disk, or FILE,rw to let the guest write to it; again for more")
	f.Var(&filesFlag{to: g}, "files", "give the guest the file or directory `PATH`, at its own absolute path, or PATH=GUEST's; again for more")
	f.StringArrayVar(&g.Env, "env", nil, "`KEY=VALUE` for the guest's environment; again for more")
}

// board gives a machine that is a board (qemu.Fixed) what it has, as far as flags say nothing else.
func board(cmd *cobra.Command, g *guest.Guest) {
	smp, mem := qemu.Fixed(g.Machine)
	if smp != 0 && !cmd.Flags().Changed("smp") {
		g.SMP = smp
	}
	if smp != 0 && !cmd.Flags().Changed("mem") {
		g.Mem = mem
	}
}

// netFlags adds the flags that give the guest a network card.
func netFlags(cmd *cobra.Command, g *guest.Guest) {
	f := cmd.Flags()
	f.Func("net", "give the guest a network `card`: user, QEMU's user network; tap=NAME,ip=ADDRESS/BITS; socket=listen:HOST:PORT,ip=... or socket=connect:HOST:PORT,ip=... between two guests; dhcp for ip=... gets an address from a server there (docs/net.md)", func(s string) error {
		n, err := guest.ParseNet(s)
		if err != nil {
			return err
		}
		if g.Net != nil {
			n.Forward = g.Net.Forward
		}
		g.Net = n
		return nil
	})
	f.VarP(funcFlag{"PORT:PORT", func(s string) error {
		p, err := guest.ParseForward(s)
		if err != nil {
			return err
		}
		if g.Net == nil {
			g.Net = guest.UserNet()
		}
		g.Net.Forward = append(g.Net.Forward, p)
		return nil
	}}, "port", "p", "have a port of this host lead to one of the guest's on the user network, as in 8080:80 or 0.0.0.0:5300:53/udp; again for more")
}

// funcFlag is a flag with a letter whose uses a function gets; what is its type's name.
type funcFlag struct {
	what string
	set  func(string) error
}

// Set is a use.
func (f funcFlag) Set(s string) error { return f.set(s) }

// String is the default: none.
func (f funcFlag) String() string { return "" }

// Type is what the flag library calls the value.
func (f funcFlag) Type() string { return f.what }

// namesFlag adds the flag that has an image show itself as files.
func namesFlag(cmd *cobra.Command, to *[]goruntime.Part) {
	cmd.Flags().BoolFunc("names", "show the scheduler as files: /proc, /sched (docs/names.md)", func(s string) error {
		on, err := strconv.ParseBool(s)
		if *to = nil; on {
			*to = []goruntime.Part{goruntime.Names}
		}
		return err
	})
}

// rootFlag adds the flag that gives the guest a folder of the host's.
func rootFlag(cmd *cobra.Command, g *guest.Guest) {
	cmd.Flags().Func("root", "show the host's `DIR` to the guest, live, at /n/host; the guest may change it; DIR,ro: it may not", func(s string) error {
		dir, readOnly := strings.CutSuffix(s, ",ro")
		if dir == "" {
			return errors.New("it names no directory")
		}
		dir, err := filepath.Abs(dir)
		g.Root = &qemu.Folder{Path: dir, Write: !readOnly}
		return err
	})
}

// diskFlag is the flag for disks: each use adds one.
type diskFlag struct{ to *[]guest.Disk }

// Set takes FILE or FILE,rw. Whether there is such a file is guest.Check's affair.
func (d *diskFlag) Set(s string) error {
	file, write := strings.CutSuffix(s, ",rw")
	if file == "" {
		return errors.New("it names no file")
	}
	*d.to = append(*d.to, guest.Disk{File: file, Write: write})
	return nil
}

// given are the values that were set.
func (d *diskFlag) given() (all []string) {
	for _, k := range *d.to {
		file := k.File
		if abs, err := filepath.Abs(file); err == nil {
			file = abs
		}
		if k.Write {
			file += ",rw"
		}
		all = append(all, file)
	}
	return all
}

// String is the default: none.
func (d *diskFlag) String() string { return "" }

// Type is what the flag library calls the value.
func (d *diskFlag) Type() string { return "FILE" }

// filesFlag is the flag for files: each use adds a file or a directory.
type filesFlag struct {
	to  *guest.Guest
	set files.Set
	all []string // absolute
}

// Set takes PATH or PATH=GUEST.
func (f *filesFlag) Set(s string) error {
	path, to, ok := strings.Cut(s, "=")
	path, err := filepath.Abs(path)
	if !ok {
		to = path
	}
	if err == nil {
		f.all = append(f.all, path+"="+to)
		err = f.set.Add(path, to, false, nil)
	}
	f.to.Files = f.set.Records()
	return err
}

// given are the values that were set.
func (f *filesFlag) given() []string { return f.all }

// String is the default: none.
func (f *filesFlag) String() string { return "" }

// Type is what the flag library calls the value.
func (f *filesFlag) Type() string { return "PATH" }

package main

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

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

// machineTypes says which types of machines there are.
const machineTypes = "q35, pc or microvm; for arm64 virt, with properties as in virt,gic-version=2 or virt,virtualization=on"

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
	f.StringArrayVar(&g.Env, "env", nil, "`KEY=VALUE` for the guest's environment; again for more")
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

// String is the default: none.
func (d *diskFlag) String() string { return "" }

// Type is what the flag library calls the value.
func (d *diskFlag) Type() string { return "FILE" }

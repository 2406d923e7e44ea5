package main

import (
	"time"

	"github.com/spf13/cobra"

	"sched9/tools/internal/guest"
)

// archFlag adds the flag that chooses the guest's architecture.
func archFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "arch", "amd64", "guest `architecture`: amd64")
}

// accelFlag adds the flag that chooses QEMU's accelerator.
func accelFlag(cmd *cobra.Command, to *string, value string) {
	cmd.Flags().StringVar(to, "accel", value, "QEMU's `accelerator`: auto, tcg or kvm")
}

// machineFlags adds the flags that describe a machine.
func machineFlags(cmd *cobra.Command, g *guest.Guest) {
	archFlag(cmd, &g.Arch)
	accelFlag(cmd, &g.Accel, "auto")
	f := cmd.Flags()
	f.IntVar(&g.SMP, "smp", 1, "number `N` of vCPUs, 1 to 64")
	f.StringVar(&g.Mem, "mem", "512M", "guest memory, `SIZE` with M or G")
	f.StringVar(&g.Machine, "machine", "q35", "machine `type`: q35, pc or microvm")
	f.BoolVar(&g.ICount, "icount", false, "count instructions: the same run every time")
	f.DurationVar(&g.Timeout, "timeout", time.Minute, "`limit` on the run, as in 90s or 2h")
	f.StringArrayVar(&g.Env, "env", nil, "`KEY=VALUE` for the guest's environment; again for more")
}

//go:build arm64

// Package psci turns the machine off by its firmware (PSCI, Arm DEN 0022, 5.10).
package psci

import "sched9/arch/arm64"

// Attach reports whether there is firmware to do so.
func Attach() bool { return arm64.HasFirmware() }

// Exit ends the machine. The status goes over the report channel alone.
func Exit(status int) { arm64.PowerOff() }

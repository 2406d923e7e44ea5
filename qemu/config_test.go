package qemu

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestParseMem(t *testing.T) {
	for in, want := range map[string]int{
		"32M": 32, "512m": 512, "2G": 2048, "1gib": 1024, "64MiB": 64, "100": 100, "96MB": 96, "1024G": maxMemMiB,
	} {
		if got, err := ParseMem(in); got != want || err != nil {
			t.Errorf("%q: %d, %v, want %d", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"": "not a number", "M": "not a number", "1T": "not a number", "-1G": "not a number", "0x40M": "not a number",
		"31M": "least is 32M", "0": "least is 32M", "1025G": "more than 1024G", "9999999999G": "not a number",
	} {
		if _, err := ParseMem(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", in, err, want)
		}
	}
}

// Start refuses each of these before there is a QEMU: PATH is empty.
func TestStartRefuses(t *testing.T) {
	good := config(t, exit(1))
	t.Setenv("PATH", "")
	for _, tc := range []struct {
		alter func(*Config)
		want  string
	}{
		{func(c *Config) { c.Arch = "sparc" }, `"sparc" is not supported, amd64 and arm64 are`},
		{func(c *Config) { c.Arch = "arm64"; c.Machine = "q35" }, `"q35" is not one of virt`},
		{func(c *Config) { c.Arch = "arm64"; c.Machine = "virt,secure=on" }, `"secure=on" is not one of gic-version=2`},
		{func(c *Config) { c.Arch = "arm64"; c.Machine = "virt,gic-version=2"; c.SMP = 9 }, "at most 8 vCPUs, not 9"},
		{func(c *Config) { c.Machine = "pc,gic-version=2" }, "is not one of firmware=qboot, firmware=seabios"},
		{func(c *Config) { c.Machine = "microvm,firmware=seabios" }, "a microvm has no properties"},
		{func(c *Config) { c.Machine = "isapc" }, "q35, pc, microvm"},
		{func(c *Config) { c.Arch, c.Machine, c.SMP = "arm64", "raspi3b", 1 }, "a raspi3b has 4 vCPUs, not 1"},
		{func(c *Config) { c.Arch, c.Machine, c.SMP, c.Mem = "arm64", "raspi3b", 4, "512M" }, "a raspi3b has 1G of memory, not 512M"},
		{func(c *Config) { c.Arch, c.Machine, c.SMP, c.Mem = "arm64", "raspi3b", 4, "1G" }, "a raspi3b needs a device tree"},
		{func(c *Config) { c.SMP = 0 }, "1 to 64"},
		{func(c *Config) { c.SMP = 65 }, "1 to 64"},
		{func(c *Config) { c.SMP = -1 }, "1 to 64"},
		{func(c *Config) { c.Mem = "16M" }, "least is 32M"},
		{func(c *Config) { c.Mem = "lots" }, `"lots"`},
		{func(c *Config) { c.Accel = "hvf" }, "auto, tcg, kvm"},
		{func(c *Config) { c.Accel, c.ICount = "kvm", true }, "needs the accelerator tcg"},
		{func(c *Config) { c.Timeout = 0 }, "more than 0"},
		{func(c *Config) { c.Timeout = -time.Second }, "more than 0"},
		{func(c *Config) { c.Disks = make([]Disk, 5) }, "5 disks are too many"},
		{func(c *Config) { c.Disks = []Disk{{}} }, "disk: no file given"},
		{func(c *Config) { c.Disks = []Disk{{Path: filepath.Join(t.TempDir(), "none")}} }, "disk: open"},
		{func(c *Config) { c.Disks = []Disk{{Path: t.TempDir()}} }, "not a regular file"},
		{func(c *Config) { c.Disks = []Disk{{Path: write(t, nil)}} }, "0 bytes"},
		{func(c *Config) { c.Disks = []Disk{{Path: write(t, make([]byte, 1000))}} }, "1000 bytes: that is no whole number of sectors"},
		{func(c *Config) { c.Kernel = "" }, "no kernel image"},
		{func(c *Config) { c.Kernel = filepath.Join(t.TempDir(), "none") }, "no such file"},
		{func(c *Config) { c.Kernel = t.TempDir() }, "not a regular file"},
		{func(c *Config) { c.UEFI = true }, "UEFI boots from a disc"},
		{func(c *Config) { c.Stick = true }, "UEFI boots from a disc"},
		{func(c *Config) { c.Disc = c.Kernel }, "a disc was given and an image beside it"},
		{func(c *Config) { c.Disc, c.Kernel, c.Machine = c.Kernel, "", "microvm" }, "a microvm has no CD"},
		{func(c *Config) { c.Disc, c.Kernel, c.Machine = filepath.Join(t.TempDir(), "none"), "", "q35" }, "no such file"},
		{func(c *Config) {}, "install"}, // the good one gets as far as QEMU
	} {
		c := good
		tc.alter(&c)
		if _, err := Start(context.Background(), c); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q in it", err, tc.want)
		}
	}
}

func TestDefaults(t *testing.T) {
	c, err := Config{SMP: 1, Kernel: write(t, nil), Timeout: 1}.withDefaults()
	if err != nil || c.Arch != "amd64" || c.Machine != "q35" || c.Mem != "512M" || c.Accel != "auto" {
		t.Errorf("%+v, %v", c, err)
	}
}

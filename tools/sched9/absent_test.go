package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAbsent: a processor that firmware lists, but that does not start, is left out, and said to be: the others are all used, also the one listed behind it.
func TestAbsent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	img := filepath.Join(dir, "image")
	if _, stderr, status := sched9(t, "build", "-o", img, "../../scenarios/hello"); status != 0 {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	// pc boots the image with tables at an address.
	pc := func(memory string, at uint64) []string {
		tables := filepath.Join(dir, fmt.Sprintf("tables-%#x", at))
		if err := os.WriteFile(tables, processorTables(at, 0, 9, 1, 2), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"qemu-system-x86_64", "-nodefaults", "-machine", "q35", "-m", memory, "-accel", "tcg",
			"-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-device", fmt.Sprintf("loader,file=%s,addr=%#x,force-raw=on", tables, at),
			"-kernel", img, "-append", fmt.Sprintf("acpi_rsdp=%#x -- hello", at)}
	}
	tree := filepath.Join(dir, "tree")
	virt := []string{"qemu-system-aarch64", "-machine", "virt,gic-version=2", "-cpu", "cortex-a57", "-m", "512M"}
	dump := append(virt[1:len(virt):len(virt)], "-machine", "dumpdtb="+tree, "-smp", "4")
	if said, err := exec.CommandContext(t.Context(), virt[0], dump...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	packTree(t, tree)
	for _, c := range []struct {
		name    string
		absent  int
		command []string
	}{
		{"amd64", 9, pc("256M", 0x80_0000)}, // in the gap between the image's two parts, which the BIOS does not clear
		// Above what the first page tables show, across the border of two huge pages; there the RAM ends 2 MiB later.
		{"amd64, above 4 GiB", 9, pc("5G", 7<<30-(2<<20)-80)},
		{"arm64", 3, append(virt, "-dtb", tree, "-semihosting-config", "enable=on,target=gdb", "-kernel", helloARM64(t))},
	} {
		out, err := exec.CommandContext(t.Context(), "timeout", append([]string{"120"}, append(c.command, "-smp", "3", "-display", "none", "-monitor", "none",
			"-serial", "stdio", "-no-reboot")...)...).CombinedOutput()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != cleanEnd {
			t.Errorf("%s: %v", c.name, err)
		}
		leftOut(t, string(out), c.absent, 3)
	}
}

// cleanEnd is what QEMU ends with for a status of 0 (packages poweroff and debugexit).
const cleanEnd = 0x63

// leftOut wants that hello says once that it has so many processors, and the kernel that the absent one is left out.
func leftOut(t *testing.T, out string, absent, processors int) {
	t.Helper()
	for _, want := range []string{fmt.Sprintf("sched9: processor %d is listed, but does not start; it is left out\n", absent),
		fmt.Sprintf("hello: cpus=%d gomaxprocs=%[1]d\n", processors), "hello: done\n"} {
		if n := strings.Count(strings.ReplaceAll(out, "\r", ""), want); n != 1 {
			t.Errorf("%d times %q in\n%s", n, want, out)
		}
	}
}

// packTree removes the room that QEMU leaves at the end of a device tree: loading doubles it, beyond what may be passed.
func packTree(t *testing.T, name string) {
	b, err := os.ReadFile(name)
	if err != nil || len(b) < 40 {
		t.Fatalf("a device tree of %d bytes: %v", len(b), err)
	}
	be := binary.BigEndian
	end := be.Uint32(b[12:]) + be.Uint32(b[32:]) // of the strings, the last part
	be.PutUint32(b[4:], end)
	if err := os.WriteFile(name, b[:end], 0o600); err != nil {
		t.Fatal(err)
	}
}

// processorTables returns tables of ACPI for address at: root pointer, XSDT, and a MADT with processors of these APIC ids.
func processorTables(at uint64, ids ...byte) []byte {
	le := binary.LittleEndian
	sum := func(b []byte) (s byte) {
		for _, c := range b {
			s -= c
		}
		return s
	}
	table := func(sig string, body []byte) []byte {
		b := append(le.AppendUint32([]byte(sig), uint32(36+len(body))), make([]byte, 28)...)
		b = append(b, body...)
		b[9] = sum(b)
		return b
	}
	root := make([]byte, 64)
	copy(root, "RSD PTR ")
	root[15] = 2
	le.PutUint32(root[20:], 36)
	le.PutUint64(root[24:], at+64)
	root[8] = sum(root[:20])
	root[32] = sum(root[:36])
	madt := le.AppendUint64(nil, 0xfee0_0000)
	for i, id := range ids {
		madt = append(madt, 0, 8, byte(i), id, 1, 0, 0, 0) // a local APIC, in use
	}
	return append(append(root, table("XSDT", le.AppendUint64(nil, at+64+44))...), table("APIC", madt)...)
}

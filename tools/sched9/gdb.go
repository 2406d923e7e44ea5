package main

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"

	"sched9/qemu"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
)

// debugger is what `sched9 run -gdb` has for gdb.
type debugger struct {
	addr string // where QEMU waits for it
	dir  string // of the files below, "": none yet
	elf  string // the program with its DWARF
}

// newDebugger checks the address to wait at for a debugger, and that it is free.
func newDebugger(where string) (d debugger, err error) {
	if d.addr, err = guest.GDBAddress(where); err != nil {
		return d, usageError{err}
	}
	l, err := net.Listen("tcp", d.addr)
	if err != nil {
		return d, usageError{fmt.Errorf("gdb: cannot wait at %s: %w", d.addr, errors.Unwrap(err))}
	}
	return d, l.Close()
}

// prepare writes the files: the program as the linker made it, and a script that reads it and the
// toolchain's own commands for goroutines, and connects. It returns what one types.
func (d *debugger) prepare(img image.Image) (command string, err error) {
	f, err := elf.NewFile(bytes.NewReader(img.Exe))
	if err != nil {
		return "", err
	}
	if f.Section(".debug_info") == nil && f.Section(".zdebug_info") == nil {
		return "", &image.ProgramError{Source: img.Name, Err: errors.New("it was linked without DWARF (-w), and gdb wants that")}
	}
	if d.dir, err = os.MkdirTemp("", qemu.Scratch("gdb")); err != nil {
		return "", err
	}
	d.elf = filepath.Join(d.dir, "program.elf")
	script := filepath.Join(d.dir, "start.gdb")
	var text strings.Builder
	fmt.Fprintf(&text, "set auto-load python-scripts off\nfile %s\n", d.elf) // the script that it names is read below
	if python := filepath.Join(img.Root, "src", "runtime", "runtime-gdb.py"); exists(python) {
		fmt.Fprintf(&text, "source %s\n", python)
	}
	fmt.Fprintf(&text, "target remote %s\n", d.addr)
	if err := errors.Join(os.WriteFile(d.elf, img.Exe, 0o600), os.WriteFile(script, []byte(text.String()), 0o600)); err != nil {
		return "", err
	}
	return "gdb-multiarch -x " + script, nil
}

// attach prepares img for a debugger, and has g's run say on w what one types when it waits.
func (d *debugger) attach(g *guest.Guest, img image.Image, w io.Writer) error {
	command, err := d.prepare(img)
	g.Started = func(*qemu.VM) { fmt.Fprintf(w, "sched9: waits for gdb at %s; type: %s\n", d.addr, command) }
	return err
}

// exists reports whether there is such a file.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// remove takes the files away.
func (d *debugger) remove() {
	if d.dir != "" {
		os.RemoveAll(d.dir)
	}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestSPCR: on a PC whose only serial port is the second one, of which firmware's tables tell, that is the console, and its input
// interrupts.
func TestSPCR(t *testing.T) {
	const header, size = 36, 80
	dir := t.TempDir()
	img, table := filepath.Join(dir, "image"), filepath.Join(dir, "spcr")
	if _, stderr, status := sched9(t, "build", "-o", img, "./testdata/echo"); status != 0 {
		t.Fatal(stderr)
	}
	for name, interrupt := range map[string]byte{"the bus's number": 1, "a pin": 2} {
		t.Run(name, func(t *testing.T) {
			spcr := make([]byte, size)
			spcr[40] = 1                                    // ports
			binary.LittleEndian.PutUint64(spcr[44:], 0x2f8) // the second one
			spcr[52], spcr[53], spcr[54] = interrupt, 3, 3
			spcr[58] = 7 // 115,200 baud
			if err := os.WriteFile(table, spcr[header:], 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "qemu-system-x86_64", "-nodefaults", "-display", "none", "-no-reboot", "-accel", "tcg",
				"-machine", "q35", "-m", "256M", "-chardev", "stdio,id=port,signal=off", "-device", "isa-serial,index=1,chardev=port",
				"-acpitable", "sig=SPCR,data="+table, "-device", "isa-debug-exit,iobase=0xf4,iosize=4",
				"-kernel", img, "-append", "sched9.input=1 -- echo")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			got := ""
			for lines := bufio.NewScanner(out); lines.Scan(); {
				got = lines.Text()
				if got == "echo: ready" { // what comes before is lost when the port is set up
					io.WriteString(in, "one two\n")
				}
			}
			cmd.Wait() // its status is the image's, made odd
			if want := `echo: "one two\n", <nil>`; got != want {
				t.Errorf("the last line is %q, want %q\n%s", got, want, &said)
			}
		})
	}
}

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal opens a terminal: the side where one types, and the side of the program.
func terminal(t *testing.T) (keys, screen *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keys.Close() })
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		screen, err = os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return keys, screen
}

// TestShell types at the shell as one does, on both architectures: lines are edited, come back, are forgotten, and end.
func TestShell(t *testing.T) {
	t.Parallel()
	tool := t.TempDir() + "/sched9"
	if out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			keys, screen := terminal(t)
			before, err := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), tool, "run", "-arch", arch, "-smp", "2", "-timeout", "3m", "-shell")
			cmd.Dir = "../.."
			cmd.Stdin, cmd.Stdout, cmd.Stderr = screen, screen, screen
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			shown := make(chan []byte)
			go func() {
				defer close(shown)
				for b := make([]byte, 4096); ; {
					n, err := keys.Read(b)
					if err != nil {
						return
					}
					shown <- bytes.Clone(b[:n])
				}
			}()
			limit := time.After(4 * time.Minute)
			var seen []byte
			sees := func(want string) {
				t.Helper()
				for !bytes.Contains(seen, []byte(want)) {
					select {
					case b, ok := <-shown:
						if !ok {
							t.Fatalf("no %q in %q at the end", want, seen)
						}
						seen = append(seen, b...)
					case <-limit:
						t.Fatalf("no %q in %q", want, seen)
					}
				}
				_, seen, _ = bytes.Cut(seen, []byte(want))
			}
			for _, step := range []struct{ types, sees string }{
				{"", "; "},
				{"echo helo\x1b[Dl\r", "\r\nhello\r\n; "},   // an arrow, and a letter
				{"\x1b[A\r", "\r\nhello\r\n; "},             // the line before
				{"junk\x03echo clean\r", "\r\nclean\r\n; "}, // ^C forgets it
				{"sleep 1000\r", "sleep 1000\r\r\n"},        // it runs
				{"\x03", "; "},                              // and ends
				{"for i in 1 2\rdo echo n$i; done\r", "n2\r\n; "},
				{"ps | grep runtime.main\r", " runtime.main "},
			} {
				if _, err := io.WriteString(keys, step.types); err != nil {
					t.Fatal(err)
				}
				sees(step.sees)
			}
			io.WriteString(keys, "\x04") // ^D
			if err := cmd.Wait(); err != nil {
				t.Errorf("the shell ended with %v: %q", err, seen)
			}
			if after, err := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS); err != nil || *after != *before {
				t.Errorf("the terminal is left as %+v, and was %+v: %v", after, before, err)
			}
			screen.Close()
		})
	}
}

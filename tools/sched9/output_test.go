package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sched9/tools/internal/guest"
)

// spinner is a program that never ends and prints first.
const spinner = `package main

import "fmt"

func main() {
	for {
		fmt.Println("a line")
	}
}
`

// TestMain: with asCommand the test binary is sched9 itself, for tests that need a process.
func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// asCommand is the environment's variable that says so.
const asCommand = "SCHED9_AS_COMMAND"

// process is sched9 with the given arguments, as a process whose temporary files come into tmp.
func process(t *testing.T, tmp string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+tmp)
	return cmd
}

// spinnerImage builds it.
func spinnerImage(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": spinner, "go.mod": "module spinner\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	src, img := filepath.Join(dir, "main.go"), filepath.Join(dir, "image")
	if _, stderr, status := sched9(t, "build", "-o", img, src); status != 0 {
		t.Fatal(stderr)
	}
	return img
}

// left fails if anything is in dir.
func left(t *testing.T, dir string) {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil || len(found) > 0 {
		t.Errorf("left in the temporary directory: %v, %v", found, err)
	}
}

// TestOutputEnds: a program whose output is not read any more is ended, with a status and a reason, not at
// its time limit, and leaves nothing behind; its recording is whole.
func TestOutputEnds(t *testing.T) {
	img := spinnerImage(t)
	t.Run("full", func(t *testing.T) {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer full.Close()
		tmp := t.TempDir()
		var said strings.Builder
		cmd := process(t, tmp, "run", "-accel", "tcg", "-timeout", "10m", img)
		cmd.Stdout, cmd.Stderr = full, &said
		cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != guest.StatusHost || !strings.Contains(said.String(), "no space left") {
			t.Errorf("status %d, %q", got, said.String())
		}
		left(t, tmp)
	})
	t.Run("pipe", func(t *testing.T) {
		tmp, name := t.TempDir(), filepath.Join(t.TempDir(), "run.s9")
		var said strings.Builder
		cmd := process(t, tmp, "run", "-accel", "tcg", "-timeout", "10m", "-trace", name, img)
		cmd.Stderr = &said
		readLine(t, cmd).Close()
		cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != guest.StatusPipe || !strings.Contains(said.String(), "gone away") {
			t.Errorf("status %d, %q", got, said.String())
		}
		left(t, tmp)
		if out, stderr, status := sched9(t, "trace", name); status != 0 || stderr != "" {
			t.Errorf("the recording: status %d, %s%s", status, out, stderr)
		}
	})
	t.Run("killed", func(t *testing.T) {
		tmp := t.TempDir()
		disk := filepath.Join(t.TempDir(), "disk")
		if err := os.WriteFile(disk, make([]byte, 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := process(t, tmp, "run", "-accel", "tcg", "-timeout", "10m", "-disk", disk, img, strings.Repeat("long", 9000))
		pipe := readLine(t, cmd)
		defer pipe.Close()
		cmd.Process.Kill()
		cmd.Wait()
		left(t, tmp)
	})
}

// readLine starts cmd and returns its standard output when a line of it has been read.
func readLine(t *testing.T, cmd *exec.Cmd) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	r.SetReadDeadline(time.Now().Add(5 * time.Minute))
	if line, err := bufio.NewReader(r).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	return r
}

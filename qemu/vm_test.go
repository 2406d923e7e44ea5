package qemu

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// enough is a time limit for guests that end by themselves.
const enough = 30 * time.Second

// config is the test guests' usual machine. microvm starts fastest.
func config(t *testing.T, code ...[]byte) Config {
	return Config{
		Machine: "microvm",
		SMP:     1,
		Mem:     "32M",
		Accel:   "tcg",
		Kernel:  write(t, image(code...)),
		Timeout: enough,
	}
}

// start starts c and ends it with the test.
func start(t *testing.T, ctx context.Context, c Config) *VM {
	t.Helper()
	vm, err := Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(vm.Quit)
	return vm
}

// run runs c to its end and checks the reason.
func run(t *testing.T, c Config, want Reason) Result {
	t.Helper()
	res := start(t, context.Background(), c).Wait()
	if res.Reason != want {
		t.Fatalf("reason %v, want %v: %+v", res.Reason, want, res)
	}
	if (res.Err == nil) != (want == Exited) {
		t.Fatalf("error %v with reason %v", res.Err, want)
	}
	return res
}

// signal is a writer that closes itself on the first byte: the guest's word
// that it runs.
type signal struct {
	c    chan struct{}
	seen bool
}

func newSignal() *signal { return &signal{c: make(chan struct{})} }

func (s *signal) Write(b []byte) (int, error) {
	if !s.seen {
		s.seen = true
		close(s.c)
	}
	return len(b), nil
}

// await waits for the signal; vm ends without it at its time limit.
func (s *signal) await(t *testing.T, vm *VM) {
	t.Helper()
	select {
	case <-s.c:
	case <-vm.Done():
		t.Fatalf("the guest does not run: %+v", vm.Wait())
	}
}

func TestMachinesEndWithTheGuestsStatus(t *testing.T) {
	for _, machine := range Machines("amd64") {
		t.Run(machine, func(t *testing.T) {
			var out bytes.Buffer
			c := config(t, say(portStdout, "hello"), exit(16))
			c.Machine, c.SMP, c.Stdout = machine, 2, &out
			res := run(t, c, Exited)
			if res.Status != 33 || res.Accel != "tcg" || res.Stderr != "" {
				t.Errorf("%+v", res)
			}
			if out.String() != "hello" {
				t.Errorf("COM1 said %q", out.String())
			}
		})
	}
}

func TestMostCPUs(t *testing.T) {
	c := config(t, exit(1))
	c.SMP = MaxSMP
	if res := run(t, c, Exited); res.Status != 3 {
		t.Errorf("%+v", res)
	}
}

func TestChannelsAreCompleteAndSeparate(t *testing.T) {
	const n = 100 << 10
	var out, err, rep bytes.Buffer
	c := config(t, pattern(portStderr, n+1), pattern(portReport, n+2), pattern(portStdout, n), exit(2))
	c.Stdout, c.Stderr, c.Report = &out, &err, &rep
	run(t, c, Exited)
	for _, ch := range []struct {
		name string
		got  *bytes.Buffer
		n    int
	}{{"stdout", &out, n}, {"stderr", &err, n + 1}, {"report", &rep, n + 2}} {
		if !bytes.Equal(ch.got.Bytes(), patternBytes(ch.n)) {
			t.Errorf("%s: %d bytes, or other bytes than the %d printed", ch.name, ch.got.Len(), ch.n)
		}
	}
}

func TestICountRunsAndRepeats(t *testing.T) {
	// The time stamp counter counts instructions then: print its low byte's
	// worth of several reads and compare two runs.
	var stamps []byte
	for range 4 {
		stamps = append(stamps, 0x0f, 0x31) // rdtsc
		stamps = append(stamps, port(portReport)...)
		stamps = append(stamps, 0xee, 0x88, 0xe0, 0xee) // out dx, al; mov al, ah; out dx, al
	}
	var got [2]bytes.Buffer
	for i := range got {
		c := config(t, stamps, exit(1))
		c.ICount, c.SMP, c.Report = true, 2, &got[i]
		run(t, c, Exited)
	}
	if got[0].Len() != 8 || !bytes.Equal(got[0].Bytes(), got[1].Bytes()) {
		t.Errorf("time stamps %x and %x differ", got[0].Bytes(), got[1].Bytes())
	}
}

func TestTripleFault(t *testing.T) {
	res := run(t, config(t, tripleFault()), Reset)
	if !slices.Contains(res.Events, "SHUTDOWN guest-reset") {
		t.Errorf("events %q", res.Events)
	}
}

func TestPanic(t *testing.T) {
	for _, machine := range Machines("amd64") {
		c := config(t, panics(), hang())
		c.Machine = machine
		run(t, c, Panicked)
	}
}

// timed runs c, whose guest reports when it is up, to its time-out. meanwhile, if not nil, is
// called while the guest is up. The time limit doubles until the guest is up before it: the host's
// speed in starting QEMU is not under test.
func timed(t *testing.T, c Config, meanwhile func(*VM) error) Result {
	t.Helper()
	for limit := time.Second / 2; limit < enough; limit *= 2 {
		up := newSignal()
		c.Timeout, c.Report = limit, up
		vm := start(t, context.Background(), c)
		inTime := false
		select {
		case <-up.c:
			inTime = true
			if meanwhile != nil {
				err := meanwhile(vm)
				inTime = !errors.Is(err, errEnded)
				if inTime && err != nil {
					t.Fatal(err)
				}
			}
		case <-vm.Done():
		}
		res := vm.Wait()
		if res.Reason != TimedOut || !strings.Contains(res.Err.Error(), "did not end within") {
			t.Fatalf("reason %v, want %v: %+v", res.Reason, TimedOut, res)
		}
		if alive(vm.PID()) {
			t.Fatal("QEMU is still there")
		}
		if inTime {
			return res
		}
	}
	t.Fatal("the guest was never up before its time limit")
	return Result{}
}

func TestTimeoutOfHungGuests(t *testing.T) {
	for name, code := range map[string][]byte{"hlt": hang(), "busy": spin()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timed(t, config(t, say(portReport, "x"), code), nil)
		})
	}
}

func TestTimeoutLetsTheNMIHandlerSpeak(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := config(t, onNMI(append(say(portStderr, "stuck here"), exit(20)...), append(say(portReport, "x"), hang()...)))
	c.Stderr = &out
	res := timed(t, c, nil)
	if out.String() != "stuck here" || res.Status != 41 {
		t.Errorf("said %q, %+v", out.String(), res)
	}
}

func TestTimeoutOfAStoppedGuest(t *testing.T) {
	t.Parallel()
	c := config(t, onNMI(exit(20), append(say(portReport, "x"), hang()...)))
	if res := timed(t, c, (*VM).Stop); res.Status != 41 {
		t.Errorf("%+v", res)
	}
}

func TestTimeoutOfAFrozenQEMU(t *testing.T) {
	t.Parallel()
	c := config(t, say(portReport, "x"), hang())
	res := timed(t, c, func(vm *VM) error { return syscall.Kill(vm.PID(), syscall.SIGSTOP) })
	if res.Status != -1 {
		t.Errorf("%+v", res)
	}
}

func TestKillFromOutside(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			up := newSignal()
			c := config(t, say(portReport, "x"), hang())
			c.Report = up
			vm := start(t, context.Background(), c)
			up.await(t, vm)
			if err := syscall.Kill(vm.PID(), sig); err != nil {
				t.Fatal(err)
			}
			if res := vm.Wait(); res.Reason != Killed || res.Err == nil {
				t.Errorf("%+v", res)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	up := newSignal()
	c := config(t, say(portReport, "x"), spin())
	c.Report = up
	ctx, cancel := context.WithCancel(context.Background())
	vm := start(t, ctx, c)
	up.await(t, vm)
	cancel()
	if res := vm.Wait(); res.Reason != Cancelled || !errors.Is(res.Err, context.Canceled) {
		t.Errorf("%+v", res)
	}
	if _, err := Start(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("start with a cancelled context: %v", err)
	}
}

func TestQuit(t *testing.T) {
	vm := start(t, context.Background(), config(t, hang()))
	vm.Quit()
	vm.Quit()
	if res := vm.Wait(); res.Reason != Cancelled || !errors.Is(res.Err, errQuit) {
		t.Errorf("%+v", res)
	}
}

// TestInterrupt: the guest is asked, and ended if it does not end itself.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		name   string
		code   []byte
		said   string
		status int
	}{
		{"answers", onNMI(append(say(portStderr, "nmi"), exit(21)...), append(say(portReport, "x"), hang()...)), "nmi", 43},
		{"does not", append(say(portReport, "x"), hang()...), "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			up := newSignal()
			cfg := config(t, c.code)
			cfg.Report, cfg.Stderr = up, &stderr
			vm := start(t, context.Background(), cfg)
			up.await(t, vm)
			vm.Interrupt()
			vm.Interrupt()
			if res := vm.Wait(); res.Reason != Interrupted || !errors.Is(res.Err, errInterrupted) || res.Status != c.status || stderr.String() != c.said {
				t.Errorf("%+v, it said %q", res, stderr.String())
			}
			vm.Interrupt()
		})
	}
}

func TestMonitorCommands(t *testing.T) {
	up, stuck := newSignal(), newSignal()
	c := config(t, onNMI(append(say(portStderr, "nmi"), exit(21)...), append(say(portReport, "x"), hang()...)))
	c.SMP, c.Report, c.Stderr = 4, up, stuck
	vm := start(t, context.Background(), c)
	up.await(t, vm)
	cpus, err := vm.CPUs()
	if err != nil || len(cpus) != 4 || cpus[3].Index != 3 || cpus[0].ThreadID == cpus[1].ThreadID {
		t.Errorf("vCPUs %+v, %v", cpus, err)
	}
	if err := vm.Stop(); err != nil {
		t.Error(err)
	}
	if err := vm.command(vm.nmi()); err != nil {
		t.Error(err)
	}
	select {
	case <-stuck.c:
		t.Error("a stopped guest ran")
	default:
	}
	if err := vm.Cont(); err != nil && !errors.Is(err, errEnded) {
		t.Error(err)
	}
	res := vm.Wait()
	if res.Reason != Exited || res.Status != 43 {
		t.Errorf("%+v", res)
	}
	if want := []string{"RESUME", "STOP", "RESUME"}; !slices.Equal(res.Events, want) {
		t.Errorf("events %q, want %q", res.Events, want)
	}
	if _, err := vm.CPUs(); !errors.Is(err, errEnded) {
		t.Errorf("vCPUs of a run that is over: %v", err)
	}
	if err := vm.Cont(); !errors.Is(err, errEnded) {
		t.Errorf("cont of a run that is over: %v", err)
	}
}

func TestTwoAtOnce(t *testing.T) {
	var out [2]bytes.Buffer
	var vms [2]*VM
	up := [2]*signal{newSignal(), newSignal()}
	for i := range vms {
		name := string(rune('a' + i))
		c := config(t, onNMI(append(say(portStdout, strings.Repeat(name, 1000)), exit(uint32(10+i))...),
			append(say(portReport, name), hang()...)))
		c.Stdout, c.Report = &out[i], up[i]
		vms[i] = start(t, context.Background(), c)
	}
	for i, vm := range vms { // both are up before either ends
		up[i].await(t, vm)
		if err := vm.command(vm.nmi()); err != nil && !errors.Is(err, errEnded) {
			t.Error(err)
		}
	}
	for i, vm := range vms {
		res := vm.Wait()
		if res.Reason != Exited || res.Status != 21+2*i {
			t.Errorf("%d: %+v", i, res)
		}
		if want := strings.Repeat(string(rune('a'+i)), 1000); out[i].String() != want {
			t.Errorf("%d: said %q", i, out[i].String())
		}
	}
}

func TestQEMUsComplaintsSurface(t *testing.T) {
	img := image(exit(1))
	for _, tc := range []struct {
		name  string
		alter func(*Config)
		want  string
	}{
		{"truncated image", func(c *Config) { c.Kernel = write(t, img[:codeStart+4]) }, "elf"},
		{"no image", func(c *Config) { c.Kernel = write(t, []byte("#!/bin/sh\n")) }, "kernel"},
		{"processor", func(c *Config) { c.CPU = "i4004" }, "i4004"},
		{"option", func(c *Config) { c.Extra = []string{"-no-such-option"} }, "no-such-option"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := config(t, exit(1))
			tc.alter(&c)
			res := run(t, c, Failed)
			if res.Status != 1 || !strings.Contains(res.Err.Error(), tc.want) || res.Stderr == "" {
				t.Errorf("%+v", res)
			}
		})
	}
}

func TestWriterThatFails(t *testing.T) {
	c := config(t, pattern(portReport, 100<<10), exit(2))
	c.Report = failing{}
	res := start(t, context.Background(), c).Wait()
	// QEMU is ended as soon as the writer has failed, or has ended before.
	if res.Reason != Exited && res.Reason != Unheard || !errors.Is(res.Lost, errFailing) || !regexp.MustCompile(`; [1-9][0-9]* bytes were dropped`).MatchString(res.Lost.Error()) {
		t.Errorf("%+v", res)
	}
}

// TestUnheard: a guest whose output cannot be written is ended, and not left to its time limit.
func TestUnheard(t *testing.T) {
	for _, icount := range []bool{false, true} {
		c := config(t, pattern(portReport, 1<<10), hang())
		c.Report, c.ICount = failing{}, icount
		res := start(t, context.Background(), c).Wait()
		if res.Reason != Unheard || !errors.Is(res.Err, errUnheard) || !errors.Is(res.Lost, errFailing) {
			t.Errorf("icount %v: %+v", icount, res)
		}
	}
}

var errFailing = errors.New("no room")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFailing }

func TestWriterThatBlocks(t *testing.T) {
	t.Parallel()
	w := make(blocking)
	defer close(w)
	c := config(t, pattern(portReport, 200<<10), exit(2))
	c.Report, c.Timeout = w, time.Second
	res := start(t, context.Background(), c).Wait()
	if res.Reason != TimedOut || res.Lost == nil || !regexp.MustCompile(`up to [0-9]{5,} bytes`).MatchString(res.Lost.Error()) {
		t.Errorf("%+v", res)
	}
}

// TestWriterThatPauses: the output of a guest that has ended is kept for as long as the run may last, longer
// than for one that was ended.
func TestWriterThatPauses(t *testing.T) {
	t.Parallel()
	w := make(blocking)
	var out bytes.Buffer
	time.AfterFunc(drainLimit+time.Second, func() { close(w) })
	c := config(t, pattern(portStdout, 20<<10), exit(2))
	c.Stdout = io.MultiWriter(w, &out)
	if res := start(t, context.Background(), c).Wait(); res.Reason != Exited || res.Lost != nil || out.Len() != 20<<10 {
		t.Errorf("%d bytes, %+v", out.Len(), res)
	}
}

// blocking is a writer that does not return until it is closed.
type blocking chan struct{}

func (w blocking) Write(b []byte) (int, error) {
	<-w
	return len(b), nil
}

func TestNothingIsLeftOver(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	stale := filepath.Join(tmp, "sched9-999999999-1") // above the largest process id
	if err := os.Mkdir(stale, 0o700); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * staleAge)
	if err := os.Chtimes(stale, old, old); err != nil {
		t.Fatal(err)
	}
	c := config(t, exit(1))
	run(t, c, Exited) // the runtime's own files are open now
	before := openFiles(t)
	for range 3 {
		run(t, c, Exited)
	}
	c.Kernel = write(t, image(onNMI(exit(1), append(say(portReport, "x"), hang()...))))
	timed(t, c, nil)
	vm := start(t, context.Background(), c)
	vm.Quit()
	// The library closes no monitor that QEMU has not answered, which is that of a run whose time was over before: there the
	// collector does, so fewer are fine.
	after := openFiles(t)
	for end := time.Now().Add(enough); len(after) > len(before) && time.Now().Before(end); after = openFiles(t) {
		runtime.GC()
	}
	if len(after) > len(before) {
		t.Errorf("open files %q, before %q", after, before)
	}
	if left, err := filepath.Glob(filepath.Join(tmp, scratchPrefix+"*")); len(left) != 0 || err != nil {
		t.Errorf("left over: %q, %v", left, err)
	}
	if alive(vm.PID()) {
		t.Error("QEMU is still there")
	}
}

// openFiles lists this process's open files by kind, where the host can tell.
func openFiles(t *testing.T) []string {
	if runtime.GOOS != "linux" {
		return nil
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, e := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			kind, _, _ := strings.Cut(to, ":")
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// The environment variable that makes the test binary the process to be
// killed, with the socket of the test and the guest as its value.
const victimEnv = "SCHED9_QEMU_VICTIM"

func TestMain(m *testing.M) {
	if v := os.Getenv(victimEnv); v != "" {
		victim(v)
	}
	os.Exit(m.Run())
}

// victim starts a guest that hangs and waits to be killed. QEMU connects to
// the socket by an argument of its own, which shows the test that it lives.
func victim(v string) {
	socket, kernel, _ := strings.Cut(v, "|")
	vm, err := Start(context.Background(), Config{
		Machine: "microvm", SMP: 1, Mem: "32M", Accel: "tcg",
		Kernel: kernel, Timeout: enough, Stdout: os.Stdout,
		Extra: []string{"-chardev", "socket,id=life,path=" + socket},
	})
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	vm.Wait()
	os.Exit(1)
}

func TestQEMUDiesWithUs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("only Linux ties QEMU's life to ours")
		return
	}
	socket := filepath.Join(t.TempDir(), "life")
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	kernel := write(t, image(say(portStdout, "up\n"), hang()))
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimEnv+"="+socket+"|"+kernel)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	deadline := time.Now().Add(enough)
	ln.SetDeadline(deadline)
	conn, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "up\n" {
		t.Fatalf("the guest said %q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	conn.SetReadDeadline(deadline)
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("QEMU outlived the process that started it: %v", err)
	}
}

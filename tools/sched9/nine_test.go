package main

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"sched9/tools/internal/nine"
)

var nineArch = flag.String("nine.arch", "amd64", "the `architecture` of TestNine's machine")

// TestNine looks at a program that computes on all Ps, changes its scheduler and ends it, all from outside.
func TestNine(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	socket := filepath.Join(t.TempDir(), "socket")
	big := filepath.Join(t.TempDir(), "big")
	bytesOf := func(seed uint64) string {
		b := make([]byte, 150_000) // more than all buffers on the way
		r := rand.New(rand.NewPCG(seed, 0))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return string(b)
	}
	if err := os.WriteFile(big, []byte(bytesOf(1)), 0o600); err != nil {
		t.Fatal(err)
	}
	type result struct {
		status      int
		out, stderr bytes.Buffer
	}
	ended := make(chan *result, 1)
	go func() {
		r := new(result)
		r.status = execute(t.Context(), []string{"run", "-timeout", "10m", "-arch", *nineArch, "-smp", "2", "-files", big + "=/big", "-9p", socket, "./testdata/nine"}, &r.out, &r.stderr)
		ended <- r
	}()
	for {
		if _, err := nine.Find(); err == nil {
			break
		}
		select {
		case r := <-ended:
			t.Fatalf("status %d\n%s", r.status, &r.stderr)
		default:
			runtime.Gosched()
		}
	}
	// ask is a command; it waits for the guest to boot.
	ask := func(want int, args ...string) string {
		t.Helper()
		args = append(args[:1:1], append([]string{"-timeout", "5m"}, args[1:]...)...)
		if args[0] == "9p" {
			args[0], args[1], args[2], args[3] = "9p", args[3], args[1], args[2]
		}
		out, stderr, status := sched9(t, args...)
		if status != want {
			t.Fatalf("%q: status %d\n%s", args, status, stderr)
		}
		return out + stderr
	}
	table := ask(0, "ps")
	spins := regexp.MustCompile(`(?m)^(\d+) +(run|ready) +[01] .* main\.spin +-$`).FindAllStringSubmatch(table, -1)
	if len(spins) != 2 || !regexp.MustCompile(`(?m)^1 +wait .* runtime\.main +chan receive chan 0x[0-9a-f]+ 0 0$`).MatchString(table) {
		t.Fatalf("ps shows\n%s", table)
	}
	if all := ask(0, "9p", "ls", "/"); !strings.Contains(all, "proc/\nsched/\n") {
		t.Errorf("ls shows\n%s", all)
	}
	if stack := ask(0, "9p", "cat", "/proc/"+spins[0][1]+"/stack"); !strings.Contains(stack, "main.spin /") {
		t.Errorf("its stack is\n%s", stack)
	}
	write := func(text string, want int, name string) string {
		t.Helper()
		given := filepath.Join(t.TempDir(), "input")
		if err := os.WriteFile(given, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		input, err := os.Open(given)
		if err != nil {
			t.Fatal(err)
		}
		defer input.Close()
		defer func(was *os.File) { os.Stdin = was }(os.Stdin)
		os.Stdin = input
		return ask(want, "9p", "write", name)
	}
	if text := ask(0, "9p", "cat", "/big"); text != bytesOf(1) {
		t.Errorf("%d bytes were read, and they are not those of the file", len(text))
	}
	write(bytesOf(2), 0, "/big")
	if text := ask(0, "9p", "cat", "/big"); text != bytesOf(2) {
		t.Errorf("%d bytes were read, and they are not those that were written", len(text))
	}
	write("slice 100us\n", 0, "/sched/ctl")
	if text := ask(0, "9p", "cat", "/sched/status"); !strings.Contains(text, "\nslice 100000\n") {
		t.Errorf("after the slice was set\n%s", text)
	}
	if text := write("slyce 1ms\n", 1, "/sched/ctl"); text != "sched9: /sched/ctl: no such word; /sched/ctl takes gomaxprocs N, slice D, policy NAME, trace on|off, gc, audit\n" {
		t.Errorf("a wrong word: %s", text)
	}
	if text := ask(1, "kill", "99999"); text != "sched9: goroutine 99999: no such file or directory\n" {
		t.Errorf("a goroutine that there is not: %s", text)
	}
	ask(0, "kill", spins[0][1])
	// The program may have ended before it is told that the last one was killed.
	if _, stderr, status := sched9(t, "kill", "-timeout", "5m", spins[1][1]); status != 0 && stderr != "sched9: the guest is gone\n" {
		t.Errorf("status %d, %s", status, stderr)
	}
	r := <-ended
	if r.status != 0 || r.out.String() != "nine: note: killed\nnine: note: killed\n" || r.stderr.Len() > 0 {
		t.Errorf("status %d\n%s%s", r.status, &r.out, &r.stderr)
	}
	if _, stderr, status := sched9(t, "ps"); status != 1 || stderr != "sched9: no guest serves its files: sched9 run -9p ADDR starts one. What a guest did that has ended, sched9 ps -trace FILE tells, if sched9 run -trace FILE recorded it\n" {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestNineWrong: what cannot be served is refused, before anything boots.
func TestNineWrong(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	img := raw(t)
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"run", "-9p", "5640", "../../scenarios/hello"}, 2, `9p: "5640" is not of the form :PORT, ADDRESS:PORT or /PATH`},
		{[]string{"run", "-9p", filepath.Join(t.TempDir(), "none", "x"), "../../scenarios/hello"}, 2, "no such file or directory"},
		{[]string{"run", "-9p", ":0", "-via", "bochs", "../../scenarios/hello"}, 2, "no virtio console"},
		{[]string{"run", "-9p", ":0", img}, 2, "sched9 build -9p makes an image that does"},
		{[]string{"ps", "-9p", "nowhere"}, 2, "is not of the form"},
		{[]string{"ps", "-9p", "/none/socket"}, 1, "no guest serves its files at /none/socket"},
		{[]string{"ps", "-timeout", "-1s"}, 2, "makes no sense"},
		{[]string{"ps", "1"}, 2, `unexpected argument "1"`},
		{[]string{"kill"}, 2, "which goroutine?"},
		{[]string{"kill", "main"}, 2, `"main" is no goroutine's number`},
		{[]string{"9p", "cat"}, 2, "which file?"},
		{[]string{"9p", "write", "a", "b"}, 2, "One at a time"},
		{[]string{"mount"}, 2, "sched9 mount needs a directory"},
		{[]string{"mount", "-9p", "/none/socket", t.TempDir()}, 1, "no guest serves its files at /none/socket"},
		{[]string{"9p", "mount"}, 2, `there is no command "mount"`},
	} {
		if _, stderr, status := sched9(t, c.args...); status != c.status || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: status %d, %s", c.args, status, stderr)
		}
	}
}

package hunt

import (
	"strings"
	"testing"

	"sched9/qemu"
	"sched9/tools/internal/guest"
)

// TestJudge: what counts as a failure, what it is called, and what is no verdict.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name, output  string
		status        int
		why           string
		fails         []int
		failed        bool
		title, broken string
	}{
		{name: "passes", output: "ok\n"},
		{name: "panics", output: "a\npanic: at 0xc000012345 in goroutine 17\n\ngoroutine 17 [running]:\n", status: 2, failed: true, title: "panic: at ? in ?"},
		{name: "deadlock", output: "fatal error: all goroutines are asleep - deadlock!\n", status: 2, failed: true, title: "fatal error: all goroutines are asleep - deadlock!"},
		{name: "behind a line", output: "a: fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1\n", status: 2, failed: true, title: "fatal error: all goroutines are asleep - deadlock!"},
		{name: "livelock behind a line", output: "xsched9: hunt: no end within 5ms of running goroutines\n", status: guest.StatusTimeout, failed: true, title: "livelock: no end within 5ms of running goroutines"},
		{name: "leak behind a line", output: "xsched9: hunt: 1 goroutines can never run again\n\ngoroutine 1 [select (leaked)]:\nmain.main()\n\t/x/main.go:84 +0x9b\n", status: 2, failed: true, title: "leak: select in main.main"},
		{name: "test", output: "=== RUN\n    --- FAIL: TestA/b (0.00s)\nFAIL\n", status: 1, failed: true, title: "--- FAIL: TestA/b"},
		{name: "status", output: "one\ntwo\n", status: 3, failed: true, title: "exit status 3: two"},
		{name: "mute", status: 3, failed: true, title: "exit status 3"},
		{name: "forgiven", status: 3, fails: []int{4}},
		{name: "named", fails: []int{0}, failed: true, title: "exit status 0"},
		{name: "livelock", output: "x\nsched9: hunt: no end within 5ms of running goroutines\n", status: guest.StatusTimeout, failed: true, title: "livelock: no end within 5ms of running goroutines"},
		{name: "leak", output: "x\nsched9: hunt: 2 goroutines can never run again\n\ngoroutine 7 [sync.Mutex.Lock (leaked), 3 minutes]:\ninternal/sync.runtime_SemacquireMutex(0x1, 0x2)\n\t/go/sema.go:95 +0x25\n" +
			"sync.(*Mutex).Lock(...)\n\t/go/mutex.go:46\nmain.(*pool).get(0xc000012345, {0x1, 0x2})\n\t/x/main.go:9 +0x1d\ncreated by main.main in goroutine 1\n", status: 2, fails: []int{3},
			failed: true, title: "leak: sync.Mutex.Lock in main.(*pool).get"},
		{name: "leaked test", output: "sched9: hunt: 2 goroutines can never run again\n\ngoroutine 1 [chan receive (leaked)]:\ntesting.(*T).Run(0x1)\n\t/go/testing.go:46\n" +
			"testing.(*M).Run(0x1)\n\t/go/testing.go:2443 +0x6ac\nmain.main()\n\t_testmain.go:84 +0x9b\n\ngoroutine 7 [chan send (leaked)]:\nq.TestA(0x1)\n\t/x/a_test.go:9 +0x1d\n", status: 2,
			failed: true, title: "leak: chan send in q.TestA"},
		{name: "leaked main", output: "sched9: hunt: 1 goroutines can never run again\n\ngoroutine 1 [select (leaked)]:\nmain.main()\n\t/x/main.go:84 +0x9b\n", status: 2,
			failed: true, title: "leak: select in main.main"},
		{name: "leaked library", output: "sched9: hunt: 1 goroutines can never run again\n\ngoroutine 9 [select (leaked)]:\nsync.wait()\n\t/x/main.go:84 +0x9b\n", status: 2,
			failed: true, title: "leak: select"},
		{name: "hang", output: "sched9: hunt: no end within 600s of the program's own clock\n", status: guest.StatusTimeout, failed: true, title: "hang: no end within 600s of the program's own clock"},
		{name: "own 124", status: guest.StatusTimeout, failed: true, title: "exit status 124"},
		{name: "lost", status: guest.StatusLost, why: "the guest is lost", broken: "the guest is lost"},
	} {
		v := judge(7, guest.Outcome{Status: c.status, Why: c.why}, c.output, c.fails)
		if v.Failed != c.failed || v.Title != c.title || v.Broken != c.broken || v.Seed != 7 {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// TestEnded: a run must end alone as it ended behind others, unless it was only that the machine's time was over.
func TestEnded(t *testing.T) {
	for want, o := range map[string]guest.Outcome{
		"":                {Status: guest.StatusTimeout, Why: "no end within 1m0s", QEMU: qemu.Result{Reason: qemu.TimedOut}},
		"exit status 2":   {Status: 2, QEMU: qemu.Result{Reason: qemu.Exited}},
		"it was lost":     {Status: guest.StatusLost, Why: "it was lost", QEMU: qemu.Result{Reason: qemu.Reset}},
		"exit status 124": {Status: guest.StatusTimeout, QEMU: qemu.Result{Reason: qemu.Exited}}, // of -limit
	} {
		if got := ended(o); got != want {
			t.Errorf("%+v: %q, want %q", o, got, want)
		}
	}
}

// TestBuffer: what a guest prints without end is kept up to a bound.
func TestBuffer(t *testing.T) {
	var b buffer
	for range 3 {
		if n, err := b.Write([]byte(strings.Repeat("x", most/2))); n != most/2 || err != nil {
			t.Fatal(n, err)
		}
	}
	if b.Len() != most {
		t.Errorf("%d bytes are kept", b.Len())
	}
}

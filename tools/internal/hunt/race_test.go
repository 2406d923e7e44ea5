package hunt

import (
	"strings"
	"testing"

	"sched9/tools/internal/guest"
)

// reported is a run's output with a report.
const reported = `working
==================
WARNING: DATA RACE
Write at 0x00c00000c070 by goroutine 7:
  runtime.mapassign_faststr()
      /go/src/internal/runtime/maps/runtime_faststr.go:270 +0x64
  main.main.func1()
      /home/me/capture/main.go:24 +0x33
  sync.(*WaitGroup).Go.func1()
      /go/src/sync/waitgroup.go:258 +0x47

Previous read at 0x00c00000c070 by main goroutine:
  main.total[...]()
      /home/me/capture/sum.go:30 +0x7b

Goroutine 7 (running) created at:
  main.main()
      /home/me/capture/main.go:23 +0x137
==================
Found 1 data race(s)
`

// TestRace: a race is a failure with a name of its own, in either order.
func TestRace(t *testing.T) {
	const want = "data race: read in main.total[...] at sum.go:30, write in main.main.func1 at main.go:24"
	if v := judge(1, guest.Outcome{Status: 66}, reported, nil); !v.Failed || v.Title != want {
		t.Errorf("title %q, want %q", v.Title, want)
	}
	if v := judge(1, guest.Outcome{Status: 1}, "--- FAIL: TestX\n"+reported, nil); v.Title != want {
		t.Errorf("of a test: title %q, want %q", v.Title, want)
	}
	if v := judge(1, guest.Outcome{}, reported, nil); v.Failed {
		t.Error("GORACE=exitcode=0 says that a race is no failure")
	}
	if got := race(strings.NewReplacer("Write at", "Read at", "Previous read", "Previous write").Replace(reported)); !strings.HasPrefix(got, "data race: read in main.main.func1") {
		t.Errorf("title %q", got)
	}
	if got := race("WARNING: DATA RACE\nsaid somebody\n"); got != "" {
		t.Errorf("title %q of no report", got)
	}
}

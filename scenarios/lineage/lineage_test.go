package main_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"sched9/tools/lab"
)

// rows are what the program times, shortened.
var rows = []string{"compute", "messages", "short", "loop"}

// numbers reads what the program printed, in microseconds.
func numbers(t *testing.T, output string) (n [4]int) {
	t.Helper()
	for i, row := range rows {
		m := regexp.MustCompile(`(?m)^lineage: .*` + row + `.* (\d+) us$`).FindStringSubmatch(output)
		if m == nil {
			t.Fatalf("no line tells of %s", row)
		}
		n[i], _ = strconv.Atoi(m[1])
	}
	return n
}

// TestLineage prints the policies side by side. Instructions are counted, and all
// vCPUs take turns at them, so what is compared is work, not parallel speed.
func TestLineage(t *testing.T) {
	n := map[string][4]int{}
	var table strings.Builder
	for _, policy := range []string{"N:1", "1:1", "pool", "M:N"} {
		run := lab.Boot(t, ".", lab.VCPUs(4), lab.ICount(), lab.Env("GODEBUG=schedpolicy="+policy), lab.Timeout(2*time.Minute))
		run.Prints(`^lineage: done$`)
		v := numbers(t, run.Output())
		n[policy] = v
		table.WriteString("\n" + policy)
		for i, row := range rows {
			table.WriteString("  " + row + " " + strconv.Itoa(v[i]) + " us")
		}
	}
	t.Log(table.String())

	const compute, messages, short, loop = 0, 1, 2, 3
	less := func(what string, row int, a, b string, times int) {
		t.Helper()
		if n[a][row]*times > n[b][row] {
			t.Errorf("%s: %s takes %d us, %s %d us: not %d times as long", what, a, n[a][row], b, n[b][row], times)
		}
	}
	less("a message from thread to thread wakes a processor", messages, "M:N", "1:1", 3)
	less("a goroutine that is a thread is dear to make", short, "M:N", "1:1", 3)
	less("the global queue is behind a lock", messages, "M:N", "pool", 1)
	less("nobody makes a coroutine leave", loop, "M:N", "N:1", 1)
}

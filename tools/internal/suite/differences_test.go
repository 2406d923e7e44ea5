package suite

import (
	"testing"

	"sched9/tools/internal/guest"
	"sched9/tools/internal/report"
)

func TestDifferences(t *testing.T) {
	boot := func(out, err, told string) (*console, guest.Outcome) {
		c := new(console)
		c.Stdout().Write([]byte(out))
		c.Stderr().Write([]byte(err))
		return c, guest.Outcome{Report: report.Parse(told)}
	}
	const told = "counter runs 5\nexit 0\n"
	a, x := boot("one\n", "two\n", told)
	for _, tc := range []struct{ out, err, told, want string }{
		{"one\n", "two\n", told, ""},
		{"one \n", "two\n", told, "standard output"},
		{"one\n", "", told, "standard error"},
		{"one\n", "two\n", "counter runs 6\nexit 0\n", "counters"},
		{"", "", "", "standard output, standard error, counters"},
	} {
		b, y := boot(tc.out, tc.err, tc.told)
		if got := differences(a, b, x, y); got != tc.want {
			t.Errorf("%+v: %q", tc, got)
		}
	}
}

package main

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sched9/qemu"
)

// TestTestFlags holds the table of go test's flags to what the go command says of them.
func TestTestFlags(t *testing.T) {
	flag := regexp.MustCompile(`(?m)^\t-([a-z]+)( .*)?$`)
	found := 0
	for _, topic := range []string{"build", "test", "testflag"} {
		out, err := exec.Command("go", "help", topic).Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range flag.FindAllStringSubmatch(string(out), -1) {
			found++
			want := testSwitches
			if m[2] != "" {
				want = testValues
			}
			if !slices.Contains(want, m[1]) && m[1] != "args" {
				t.Errorf("go help %s has -%s%s", topic, m[1], m[2])
			}
		}
	}
	if found < 50 {
		t.Errorf("%d flags found", found)
	}
}

// TestPackagesFirst moves flags behind packages.
func TestPackagesFirst(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"./a ./b -v", "./a ./b -v"},
		{"-v -run X ./a ./b -short", "./a ./b -v -run X -short"},
		{"-run=X -count 2", "-run=X -count 2"},
		{"-run", "-run"},
		{"-v -args ./a", "-v -args ./a"},
		{"-test.run X ./a", "./a -test.run X"},
	} {
		if got := packagesFirst(strings.Fields(c.in)); !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%q: %q", c.in, got)
		}
	}
}

// TestVCPUs: a test gets as many vCPUs as its -cpu asks for.
func TestVCPUs(t *testing.T) {
	for args, want := range map[string]int{"": 1, "-test.v": 1, "-test.cpu=1,2,8": 8, "-test.cpu=4,2": 4, "-test.cpu=x": 1, "-test.cpu=1000": qemu.MaxSMP} {
		if got := vcpus(strings.Fields(args)); got != want {
			t.Errorf("%q: %d", args, got)
		}
	}
}

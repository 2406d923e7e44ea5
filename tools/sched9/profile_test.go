package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestProfile has go tool pprof read the CPU profile of a known load. Where instructions are counted the profile has a sample for
// each period that the processor was busy, in the parts of the load as long as they took, and repeats byte by byte.
func TestProfile(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			busy, data := profileOf(t, "-arch", arch, "-icount")
			p := readProfile(t, data)
			if want := busy / 10; p.all < want-1 || p.all > want+1 {
				t.Errorf("%d samples of %d ms", p.all, busy)
			}
			if p.compute == 0 || p.large < p.compute*3/4-2 || p.large > p.compute*3/4+3 || p.large+p.small != p.compute {
				t.Errorf("%d of compute's %d samples have the label of three quarters, %d the other", p.large, p.compute, p.small)
			}
			if p.call == 0 || p.compute+p.call < p.all-2 {
				t.Errorf("of %d samples %d are in compute, %d in call", p.all, p.compute, p.call)
			}
			if _, again := profileOf(t, "-arch", arch, "-icount"); again != data {
				t.Error("another run gives another profile")
			}
		})
	}
}

// profileOf returns how many milliseconds the load was busy, and its profile.
func profileOf(t *testing.T, flags ...string) (busy int, data string) {
	t.Helper()
	stdout, stderr, status := sched9(t, append(append([]string{"run", "-timeout", "5m"}, flags...), "../../scenarios/profile", "load")...)
	m := regexp.MustCompile(`^profile: busy for (\d+) ms\nprofile: data (\S+)\n$`).FindStringSubmatch(stdout)
	if status != 0 || m == nil {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	busy, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return busy, m[2]
}

// counts are numbers of samples: all; in a function; with a value of the label part.
type counts struct{ all, compute, call, large, small int }

// readProfile counts samples in what go tool pprof makes of a profile.
func readProfile(t *testing.T, data string) (c counts) {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "profile")
	if err := os.WriteFile(name, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "tool", "pprof", "-sample_index=samples", "-traces", name).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// Each stack comes behind a line of dashes: labels, then the number of samples and the functions, a line each.
	_, stacks, _ := strings.Cut(string(out), "+---")
	for stack := range strings.SplitSeq(stacks, "+---") {
		m := regexp.MustCompile(`(?m)^ +(\d+) +\S`).FindStringSubmatch(stack)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		stack = strings.Join(strings.Fields(stack), " ")
		c.all += n
		for what, at := range map[string]*int{"main.compute": &c.compute, "main.call": &c.call, "part: large": &c.large, "part: small": &c.small} {
			if regexp.MustCompile(fmt.Sprintf(`\b%s\b`, regexp.QuoteMeta(what))).MatchString(stack) {
				*at += n
			}
		}
	}
	return c
}

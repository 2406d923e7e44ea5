package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// racy is the program that these tests look for races in.
const racy = "./testdata/racy"

// TestRace: each race of the program has a report, and where the order is not missing there is none; the same on both architectures.
func TestRace(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(racy + "/main.go")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^func (race\w+)\(`).FindAllStringSubmatch(string(source), -1)
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			_, told, status := sched9(t, "run", "-race", "-arch", arch, "-icount", racy)
			if status != 66 || !strings.Contains(told, "\nFound ") {
				t.Errorf("status %d, want 66\n%s", status, told)
			}
			reports := strings.Split(told, "WARNING: DATA RACE\n")[1:]
			for _, n := range names {
				in := regexp.MustCompile(`(?m)^  main\.` + n[1] + `(\.func\d+)?\(\)\n      \S+/racy/main\.go:\d+ \+0x[0-9a-f]+\n`)
				found := 0
				for _, r := range reports {
					if in.MatchString(r) {
						found++
					}
				}
				if found == 0 {
					t.Errorf("no report of %s", n[1])
				}
			}
			if len(names) < 15 || strings.Contains(told, "main.ordered") {
				t.Errorf("%d races looked for, and found:\n%s", len(names), told)
			}
			for _, machine := range [][]string{{"-icount"}, {"-smp", "4", "-accel", "tcg"}} {
				args := append([]string{"run", "-race", "-arch", arch}, machine...)
				if _, told, status := sched9(t, append(args, racy, "ordered")...); status != 0 || told != "" {
					t.Errorf("%v: status %d without a race\n%s", machine, status, told)
				}
			}
		})
	}
}

// form is a report of the race in raceGo.
var form = regexp.MustCompile(`^==================
WARNING: DATA RACE
Write at 0x00c[0-9a-f]{9} by goroutine \d+:
  main\.raceGo\.func1\(\)
      \S+/racy/main\.go:\d+ \+0x[0-9a-f]+

Previous write at 0x00c[0-9a-f]{9} by main goroutine:
  main\.raceGo\(\)
      \S+/racy/main\.go:\d+ \+0x[0-9a-f]+
  main\.main\(\)
      \S+/racy/main\.go:\d+ \+0x[0-9a-f]+

Goroutine \d+ \(running\) created at:
  main\.raceGo\(\)
      \S+/racy/main\.go:\d+ \+0x[0-9a-f]+
  main\.main\(\)
      \S+/racy/main\.go:\d+ \+0x[0-9a-f]+
==================
$`)

// TestRaceOptions: GORACE ends the program at the first race, and gives it another status; what is no number is said.
func TestRaceOptions(t *testing.T) {
	_, told, status := sched9(t, "run", "-race", "-icount", "-env", "GORACE=halt_on_error=1 exitcode=7 history_size=3", racy)
	if status != 7 || !form.MatchString(told) {
		t.Errorf("status %d\n%s", status, told)
	}
	_, told, status = sched9(t, "run", "-race", "-icount", "-env", "GORACE=exitcode=x", racy)
	if status != 2 || !strings.Contains(told, "GORACE: exitcode=x: want a number") {
		t.Errorf("status %d\n%s", status, told)
	}
}

// TestRaceHunt: a race is a failure by its lines, which its seed shows again, and the mended program has none.
func TestRaceHunt(t *testing.T) {
	t.Parallel()
	const program = "../../scenarios/bugs/capture"
	stdout, stderr, status := sched9(t, "hunt", "-race", "-page", "", "-n", "3", "-failures", "0", program)
	if status != 1 || !strings.Contains(stdout, ": 3 failed\ndata race: write in main.main.func1 at main.go:24, write in main.main.func2 at main.go:30 (3)\n") {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	once, told, status := sched9(t, "hunt", "-race", "-replay", "2", program)
	if twice, again, _ := sched9(t, "hunt", "-race", "-replay", "2", program); status != 1 || once != twice || told != again || !strings.Contains(once, "DATA RACE") {
		t.Errorf("status %d\n%s%s\nand again\n%s%s", status, once, told, twice, again)
	}
	if stdout, stderr, status := sched9(t, "hunt", "-race", "-n", "20", program+"/mended"); status != 0 {
		t.Errorf("mended: status %d\n%s%s", status, stdout, stderr)
	}
}

// TestRaceGotest: a test in which a race is found fails.
func TestRaceGotest(t *testing.T) {
	stdout, stderr, status := gotestIn(t, "-race", "-icount", racy, "-v")
	if status != 1 || !strings.Contains(stdout, "race detected during execution of test\n--- FAIL: TestGo") || !strings.Contains(stdout, "--- PASS: TestOrdered") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}

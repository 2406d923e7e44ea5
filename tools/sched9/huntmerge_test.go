package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sched9/tools/internal/hunt"
)

// TestHuntMerge: shards' lines are told of as one hunt's: how many, how many different ones, and each kind of failure with its lowest seed; a seed that two of
// them have counts once.
func TestHuntMerge(t *testing.T) {
	verdict := func(seed int, hash uint64, title string) hunt.Verdict {
		return hunt.Verdict{Seed: seed, Failed: title != "", Title: title, Counters: map[string]uint64{"hunt_strategy": 2, "hunt_choices": 7, "hunt_preempts": 3, "hunt_hash": hash}}
	}
	file := func(vs ...hunt.Verdict) string {
		var b bytes.Buffer
		for _, v := range vs {
			writeJSON(&b, v)
		}
		name := filepath.Join(t.TempDir(), "shard.json")
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	lost := verdict(9, 1<<63, "panic: lost")
	odd, even := file(verdict(1, 5, ""), lost, verdict(3, 6, "")), file(verdict(2, 5, ""), verdict(4, 8, "panic: lost"), lost)
	stdout, stderr, status := sched9(t, "hunt", "-merge", odd, even)
	if status != 1 || !strings.HasPrefix(stdout, "5 schedules (4 different): 2 failed\npanic: lost (2)\n  strategy pct, 7 choices, 3 preemptions\n  replay: sched9 hunt -replay 4 ") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	if stdout, _, status := sched9(t, "hunt", "-merge", file(verdict(1, 5, "")), file()); status != 0 || stdout != "1 schedules (1 different): 0 failed\n" {
		t.Errorf("nothing failed: status %d\n%s", status, stdout)
	}
	broken := verdict(1, 5, "")
	broken.Broken = "the guest is lost"
	if stdout, _, status := sched9(t, "hunt", "-merge", file(broken)); status != 125 || !strings.Contains(stdout, "no verdict, sched9's own fault: the guest is lost") {
		t.Errorf("a machine was lost: status %d\n%s", status, stdout)
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("5 schedules\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, files := range map[string][]string{
		"wants files":                nil,
		"no such file":               {filepath.Join(t.TempDir(), "none")},
		"this is not of -json":       {odd, text},
		"seed 9 has another verdict": {odd, file(verdict(9, 5, ""))},
	} {
		if stdout, stderr, status := sched9(t, append([]string{"hunt", "-merge"}, files...)...); status != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d\n%s%s", want, status, stdout, stderr)
		}
	}
}

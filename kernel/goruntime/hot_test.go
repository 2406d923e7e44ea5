package goruntime

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// listed are the sources with another list of hot calls. In an overlay that was written with builtin(t) only the list is looked at.
func listed(list string) Sources {
	return Sources{files: fstest.MapFS{HotList: {Data: []byte(list)}}}
}

// TestProfile: this toolchain has each of the listed calls, on both architectures.
func TestProfile(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		overlay, err := builtin(t).Prepare(runtime.GOROOT(), arch, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		profile, packages, missing, err := builtin(t).Profile(runtime.GOROOT(), arch, overlay)
		if err != nil || len(missing) > 0 {
			t.Errorf("%s: %v, calls that are in no source: %v; sched9 bench -hot makes the list anew", arch, err, missing)
		}
		if !slices.Contains(packages, "runtime") || !slices.Contains(packages, Root+"sched") {
			t.Errorf("%s: packages %v", arch, packages)
		}
		if !strings.Contains(string(profile), Root+"sched.(*Sched).Swap\n") {
			t.Errorf("%s: a yield's step is not in the profile:\n%s", arch, profile)
		}
		profile, packages, missing, err = listed("# nothing\n").Profile(runtime.GOROOT(), arch, overlay)
		if profile != nil || packages != nil || missing != nil || err != nil {
			t.Errorf("%s: an empty list gives %q, %v, %v, %v", arch, profile, packages, missing, err)
		}
	}
}

// TestProfileLines: an entry's line is counted from the function that a call has come to stand in.
func TestProfileLines(t *testing.T) {
	overlay, err := builtin(t).Prepare(runtime.GOROOT(), "amd64", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const take = Root + "sched.(*Sched).Take"
	list := "runtime.sched9ScheduleShort " + take + "\n" + take + " " + Root + "sched.(*Sched).runqPop\n" +
		"runtime.goready runtime.nothing\n"
	profile, _, missing, err := listed(list).Profile(runtime.GOROOT(), "amd64", overlay)
	if err != nil || !slices.Equal(missing, []Call{{"runtime.goready", "runtime.nothing"}}) {
		t.Errorf("%v, missing %v", err, missing)
	}
	code, err := readCode(runtime.GOROOT(), "amd64", overlay, []string{"runtime", Root + "sched"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	short, taken := code["runtime.sched9ScheduleShort"], code[take]
	want := "GO PREPROFILE V1\nruntime.sched9ScheduleShort\n" + take + "\n" + strconv.Itoa(short.calls["Take"][0]-short.line) + " 1\n" +
		"runtime.sched9ScheduleShort\n" + Root + "sched.(*Sched).runqPop\n" + strconv.Itoa(taken.calls["runqPop"][0]-short.line) + " 1\n"
	if string(profile) != want {
		t.Errorf("got\n%s\nwant\n%s", profile, want)
	}

	// From a yield to the lock there are functions between that the compiler puts in line by itself.
	ways, err := Ways(runtime.GOROOT(), "amd64", overlay, []Call{{"runtime.sched9YieldShort", "runtime.sched9Lock2"}, {"runtime.gosched_m", "runtime.gogo"}})
	if err != nil || !slices.Equal(ways, []Call{{"runtime.sched9YieldShort", "runtime.lock"}, {"runtime.lock", "runtime.lockWithRank"},
		{"runtime.lockWithRank", "runtime.lock2"}, {"runtime.lock2", "runtime.sched9Lock2"}}) {
		t.Errorf("%v, ways %v", err, ways)
	}
}

// TestProfileRefuses: a list that is no list of calls is named.
func TestProfileRefuses(t *testing.T) {
	overlay, err := builtin(t).Prepare(runtime.GOROOT(), "amd64", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"runtime.park_m\n", "runtime.a runtime.b\nruntime.b runtime.c\nruntime.c runtime.b\n"} {
		if _, _, _, err := listed(list).Profile(runtime.GOROOT(), "amd64", overlay); err == nil || !strings.Contains(err.Error(), HotList) {
			t.Errorf("%q: %v", list, err)
		}
	}
	for _, goroot := range []string{t.TempDir(), ""} {
		if _, _, _, err := builtin(t).Profile(goroot, "amd64", goroot+"/none.json"); err == nil {
			t.Error("no overlay, and no error")
		}
	}
}

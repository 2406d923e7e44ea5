package suite

import (
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"testing"
)

// TestRandomRounds: the compiler may add a product without rounding it first, where the
// processor can, as arm64 can and this machine perhaps does not. A random program's results
// must not depend on that.
func TestRandomRounds(t *testing.T) {
	cmd := exec.Command("go", "build", "-gcflags=-S", "-o", os.DevNull, ".")
	cmd.Dir = "../../../scenarios/random"
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !regexp.MustCompile(`\tFMULD\t`).Match(out) {
		t.Error("nothing is multiplied")
	}
	for _, line := range regexp.MustCompile(`.*\tFN?M(ADD|SUB)D\t.*`).FindAllString(string(out), -1) {
		t.Errorf("a product is not rounded: %s", line)
	}
}

// TestChance: the seed and the number decide a boot, its machine exists, and a program
// is booted on several.
func TestChance(t *testing.T) {
	for _, arch := range []string{"", "arm64"} {
		s := Suite{Arch: arch}
		programs, icount, machines := map[uint64]int{}, 0, map[string]bool{}
		for n := 1; n <= 40*bootsEach; n++ {
			run, p := s.chance(7, n)
			if again, q := s.chance(7, n); !reflect.DeepEqual(run, again) || p != q {
				t.Fatalf("boot %d is %+v, and then %+v", n, run, again)
			}
			programs[p]++
			if run.ICount {
				icount++
			}
			machines[run.Machine] = true
			g := run.Guest()
			if arch != "" {
				g.Arch = arch
			}
			if err := g.Check(); err != nil {
				t.Errorf("boot %d, %+v: %v", n, run, err)
			}
		}
		for p, n := range programs {
			if n != bootsEach {
				t.Errorf("program %d has %d boots", p, n)
			}
		}
		if len(programs) != 40 || icount < 40 || icount > 120 || len(machines) != 3 {
			t.Errorf("%d programs, %d with icount, %d machines", len(programs), icount, len(machines))
		}
		if _, p := s.chance(8, 1); programs[p] > 0 {
			t.Error("another seed has the same programs")
		}
	}
}

// TestLast finds what a program says that it dies of.
func TestLast(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"a line\npanic: boom\n\ngoroutine 1 ": "panic: boom",
		"fatal error: all asleep\n":           "fatal error: all asleep",
		"no panic: here\n":                    "",
	} {
		if got := last(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

package suite

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sched9/tools/internal/scenario"
)

// first are the first n boots of a plan.
func first(jobs []job, n int, seed uint64) (all []planned) {
	for i, p := range plan(jobs, "", seed) {
		if all = append(all, p); i == n {
			return all
		}
	}
	return nil
}

// TestPlan: every combination has its turn, and the seed decides.
func TestPlan(t *testing.T) {
	jobs := make([]job, 5)
	for i := range jobs {
		jobs[i].run = scenario.Run{Scenario: "s", Name: string(rune('a' + i)), Env: []string{"GOGC=7", "SEED=0", "A=b"}}
	}
	const rounds = 10
	all := first(jobs, rounds*len(Combos("")), 1)
	type pair struct {
		Combo
		run byte
	}
	count := map[Combo]int{}
	pairs := map[pair]int{}
	seeds := map[string]bool{}
	for i, p := range all {
		count[p.combo]++
		r := p.job.run
		pairs[pair{p.combo, r.Name[0]}]++
		if r.SMP != p.combo.SMP || r.Machine != p.combo.Machine || len(r.Env) != 3 || r.Env[0] != "A=b" || r.Env[1] != "GOGC="+p.combo.GOGC {
			t.Fatalf("boot %d: %+v for %v", i, r, p.combo)
		}
		if !strings.HasPrefix(r.Env[2], "SEED=") || !strings.Contains(r.Name, " "+r.Env[2]+")") {
			t.Fatalf("boot %d: %+v", i, r)
		}
		seeds[r.Env[2]] = true
	}
	for _, c := range Combos("") {
		if count[c] != rounds {
			t.Errorf("%v has %d boots", c, count[c])
		}
	}
	for p, n := range pairs {
		if n != rounds/len(jobs) {
			t.Errorf("%v has %d boots", p, n)
		}
	}
	if len(seeds) < len(all)*9/10 {
		t.Errorf("%d boots have %d seeds", len(all), len(seeds))
	}
	same := func(a, b planned) bool {
		return a.combo == b.combo && a.job.run.Name == b.job.run.Name && slices.Equal(a.job.run.Env, b.job.run.Env)
	}
	if again, other := first(jobs, 50, 1), first(jobs, 50, 2); !slices.EqualFunc(again, all[:50], same) || slices.EqualFunc(other, all[:50], same) {
		t.Error("the seed does not decide")
	}
	if jobs[0].run.Env[0] != "GOGC=7" {
		t.Error("the plan changed the run itself")
	}
}

func TestTable(t *testing.T) {
	table := Table{}
	table.Add(Boot{Combo: Combo{2, "q35", "100"}, Result: results()[0]})
	table.Add(Boot{Combo: Combo{2, "q35", "100"}, Result: results()[1]})
	var b bytes.Buffer
	table.Print(&b, "")
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 1+15+1 || strings.Join(strings.Fields(lines[0]), " ") != "boots GOGC=off GOGC=100 GOGC=5" || strings.Join(strings.Fields(lines[5]), " ") != "smp=2 q35 0 1/1 0" {
		t.Errorf("got\n%s", b.String())
	}
}

func TestFileName(t *testing.T) {
	r := scenario.Run{Scenario: "chaos", Name: "4cpu"}
	j := Combo{8, "pc", "off"}.apply(job{run: r}, 7)
	for _, c := range []struct {
		run  scenario.Run
		want string
	}{{r, "chaos-4cpu"}, {j.run, "chaos-4cpu-smp=8-pc-GOGC=off-SEED=7"}} {
		if got := FileName(c.run); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestSoak ends where its course does, and takes marked runs only.
func TestSoak(t *testing.T) {
	s := scenarios(t, files)
	s.NoRecord = true
	soak := func(c Course) (all []Boot) {
		t.Helper()
		if err := s.Soak(t.Context(), c, func(b Boot) { all = append(all, b) }); err != nil {
			t.Error(err)
		}
		return all
	}
	all := soak(Course{Seed: 1, Boots: 5, Failures: 1})
	for i, b := range all {
		if b.N != i+1 || !b.Result.Passed() || b.Result.Run.Scenario != "fine" || b.Dir != s.Scenarios[1].Dir {
			t.Errorf("boot %d: %+v", i+1, b)
		}
	}
	if len(all) != 5 {
		t.Fatalf("%d boots, not 5", len(all))
	}
	if late := soak(Course{Seed: 1, First: 4, Until: time.Now()}); len(late) != 1 || late[0].N != 4 || late[0].Result.Run.Name != all[3].Result.Run.Name {
		t.Errorf("from boot 4 on until now: %+v", late)
	}
	mark := func(name string) {
		for _, sc := range s.Scenarios {
			for i := range sc.Runs {
				sc.Runs[i].Soak = sc.Name+"/"+sc.Runs[i].Name == name
			}
		}
	}
	mark("fine/bad")
	for failures, want := range map[int]int{1: 1, 3: 3, 0: 5, 9: 5} {
		if got := soak(Course{Seed: 1, Boots: 5, Failures: failures}); len(got) != want {
			t.Errorf("%d boots that may fail %d times, %d are wanted", len(got), failures, want)
		}
	}
	mark("broken/r")
	if got := soak(Course{Seed: 1}); len(got) != 1 || got[0].Result.Passed() {
		t.Errorf("%d boots of a program that does not compile, one is wanted", len(got))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Soak(ctx, Course{Seed: 1}, func(Boot) { t.Error("a boot") }); err != context.Canceled {
		t.Errorf("a soak that is cancelled: %v", err)
	}
	s.Match = regexp.MustCompile("good")
	if err := s.Soak(t.Context(), Course{Seed: 1, Boots: 5}, func(Boot) {}); err == nil {
		t.Error("nothing to soak is no error")
	}
}

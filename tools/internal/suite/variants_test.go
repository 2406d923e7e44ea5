package suite

import (
	"slices"
	"testing"

	"sched9/tools/internal/scenario"
)

// Runs that hold on any machine are made on the requested one, with each number of vCPUs and
// without the bounds on counters, which fit another machine; other runs are not made.
func TestVariants(t *testing.T) {
	runs := []scenario.Run{
		{Name: "any", Soak: true, SMP: 4, Counter: []scenario.Bound{{}}},
		{Name: "one", SMP: 1},
	}
	s := Suite{Arch: "amd64", Scenarios: []scenario.Scenario{{Name: "s", Runs: runs}}}
	type made struct {
		name, machine string
		smp           int
		bounds        bool
	}
	got := func(s Suite) (all []made) {
		for _, r := range s.Runs() {
			all = append(all, made{r.Name, r.Machine, r.SMP, r.Counter != nil})
		}
		return all
	}
	for _, c := range []struct {
		vcpus   []int
		machine string
		via     string
		want    []made
	}{
		{want: []made{{"any", "", 4, true}, {"one", "", 1, false}}},
		{vcpus: []int{2, 8}, want: []made{{"any-smp2", "", 2, false}, {"any-smp8", "", 8, false}}},
		{machine: "pc", want: []made{{"any", "pc", 4, false}}},
		{machine: "raspi3b", want: []made{{"any", "raspi3b", 4, false}}},
		{via: "bochs", want: []made{{"any", "", 4, false}}},
		{vcpus: []int{2}, machine: "pc", want: []made{{"any-smp2", "pc", 2, false}}},
	} {
		s.VCPUs, s.Machine, s.Via, s.Arch = c.vcpus, c.machine, c.via, "amd64"
		if c.machine == "raspi3b" {
			s.Arch = "arm64"
		}
		if all := got(s); !slices.Equal(all, c.want) {
			t.Errorf("vcpus %v, machine %q, via %q: %v", c.vcpus, c.machine, c.via, all)
		}
	}
}

// A short suite has one run of each scenario, on four vCPUs where there is one.
func TestShort(t *testing.T) {
	s := Suite{Arch: "amd64", Short: true, Scenarios: []scenario.Scenario{
		{Name: "a", Runs: []scenario.Run{{Name: "one", SMP: 1}, {Name: "four", SMP: 4}, {Name: "more", SMP: 4}}},
		{Name: "b", Runs: []scenario.Run{{Name: "two", SMP: 2}, {Name: "one", SMP: 1}}},
		{Name: "c"},
	}}
	var got []string
	for _, r := range s.Runs() {
		got = append(got, r.Name)
	}
	if want := []string{"four", "two"}; !slices.Equal(got, want) {
		t.Errorf("runs %v, want %v", got, want)
	}
}

package bench

import "strings"

// Goal is what a row is to reach.
type Goal struct {
	Most  float64 // of sched9's figure, in the row's unit; 0: none
	Ratio float64 // of the ratio; 0: none
}

// goals are those of rows by mode and operation, whatever the number of vCPUs, but
// for what is asked of all rows (see Row.Goal).
var goals = map[[2]string]Goal{
	{ICount, "gosched-2"}:               {Most: 300},
	{ICount, "pingpong-1p"}:             {Most: 1150},
	{ICount, "spawn-batch"}:             {Most: 900},
	{ICount, "fanout-100"}:              {Most: 75_000},
	{ICount, "slice-end, slice 10us"}:   {Most: 800},
	{ICount, "slice-loss, slice 10us"}:  {Most: 10},
	{ICount, "sleep-late"}:              {Most: 2.5e3},
	{ICount, "sleep-late, 4 Ps"}:        {Most: 5e3},
	{ICount, "sleep-late, 64 Ps"}:       {Most: 6e3},
	{ICount, "memstats, 64 Ps"}:         {Most: 60e3},
	{ICount, "preempt-1p"}:              {Most: 10.5e6},
	{ICount, "preempt-1p, slice 100us"}: {Most: 110e3},
	{ICount, "preempt-1p, slice 10us"}:  {Most: 10e6}, // it makes progress
	{ICount, "handoff"}:                 {Most: 25e3},
	{Build, "image of hello"}:           {Most: 2 << 20},
	{TCG, "memory-at-main"}:             {Most: 2 << 20},
	{TCG, "parked"}:                     {Most: 2.70 * 1024},
	{TCG, "boot"}:                       {Most: 75e6},
	{TCG, "boot, microvm"}:              {Most: 60e6},
}

// notScheduled are operations that no scheduler takes part in.
var notScheduled = map[string]bool{"loop": true, "now": true, "getpid": true}

// Goal returns what r is to reach; the zero Goal if nothing is asked of it.
func (r Row) Goal() Goal {
	if g, ok := goals[[2]string{r.Mode, r.Op}]; ok {
		return g
	}
	if r.Mode != TCG || r.CPUs != 4 || notScheduled[r.Op] || strings.HasPrefix(r.Op, "boot") {
		return Goal{}
	}
	return Goal{Ratio: 1}
}

// Met reports whether r reaches its goal; known is false if it has none, or no figure to be held
// against it.
func (r Row) Met() (met, known bool) {
	g := r.Goal()
	switch {
	case g.Most != 0:
		s := spread(r.Ours)
		return s.Median <= g.Most, s.known()
	case g.Ratio != 0:
		s := r.Ratio()
		return s.Median <= g.Ratio, s.known()
	}
	return false, false
}

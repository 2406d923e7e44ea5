package text

import (
	"strings"
	"testing"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/tracetest"
)

// us is a microsecond.
const us = 1000

// small is a run of two Ms for a millisecond: M 0 runs G 1, which makes G 2 and G
// 3; M 1 steals G 2. The collector runs once.
func small(t *testing.T) *trace.View {
	r := tracetest.New(t, trace.Meta{Program: "small", Arch: "amd64", Machine: "q35", SMP: 2})
	r.Add(1000*us, 0, noP, record.EvBoot, 0, 0, 0)
	r.Add(1000*us, 0, 0, record.EvAcquire, 0, 0, 0)
	r.Add(1000*us, 0, 0, record.EvCreate, 1, 0, 0)
	r.Add(1000*us, 0, 0, record.EvPutNext, 1, 0, 0)
	r.Add(1100*us, 0, 0, record.EvStart, 1, uint64(record.FromNext)|record.StartInherit, 0)
	r.Add(1200*us, 0, 0, record.EvCreate, 2, 0, 0)
	r.Add(1200*us, 0, 0, record.EvPutNext, 2, 0, 0)
	r.Add(1200*us, 0, 0, record.EvCreate, 3, 0, 0)
	r.Add(1200*us, 0, 0, record.EvPutNext, 3, 0, 0)
	r.Add(1200*us, 0, 0, record.EvPutRing, 2, 0, 0)
	r.Add(1210*us, 0, 0, record.EvStartM, 0, 1, 1)
	r.Add(1250*us, 1, noP, record.EvBoot, 0, 0, 0)
	r.Add(1250*us, 1, 1, record.EvAcquire, 0, 0, 0)
	r.Add(1250*us, 1, 1, record.EvSpin, 0, 1, 0)
	r.Add(1300*us, 1, 1, record.EvSteal, 0, 0, 0|1<<8)
	r.Add(1300*us, 1, 1, record.EvStart, 2, uint64(record.FromSteal), 0)
	r.Add(1400*us, 0, 0, record.EvBlock, 1, 1<<record.ReasonShift, entry()+1)
	r.Add(1400*us, 0, 0, record.EvStart, 3, uint64(record.FromNext), 0)
	r.Add(1500*us, 0, 0, record.EvPreempt, 3, 0, 0)
	r.Add(1500*us, 0, 0, record.EvPutGlobal, 3, 0, 0)
	r.Add(1500*us, 0, 0, record.EvTimer, 0, 20*us, 0)
	r.Add(1500*us, 0, 0, record.EvUnblock, 1, 0, 0)
	r.Add(1500*us, 0, 0, record.EvPutRing, 1, 0, 0)
	r.Add(1500*us, 0, 0, record.EvStart, 1, uint64(record.FromRing), 0)
	r.Add(1500*us, 0, 0, record.EvPhase, 0, 1, 0)
	r.Add(1520*us, 0, 0, record.EvStop, 0, 1, 0)
	r.Add(1520*us, 0, 0, record.EvSendIPI, 0, 1, uint64(record.IPIPreempt))
	r.Add(1530*us, 1, 1, record.EvTakeIPI, 0, 0, uint64(record.IPIPreempt))
	r.Add(1540*us, 1, 1, record.EvExit, 2, 0, 0)
	r.Add(1540*us, 1, 1, record.EvRelease, 0, 0, 0)
	r.Add(1540*us, 1, noP, record.EvPark, 0, 0, 0)
	r.Add(1550*us, 1, noP, record.EvHalt, 0, 0, 0)
	r.Add(1560*us, 0, 0, record.EvStopped, 0, 0, 0)
	r.Add(1600*us, 0, 0, record.EvPhase, 0, 2, 0)
	r.Add(1610*us, 0, 0, record.EvPhase, 0, 0, 0)
	r.Add(1620*us, 0, 0, record.EvGo, 0, 0, 0)
	r.Lost(1, 12)
	r.Add(2000*us, 0, noP, record.EvEnd, 0, 0, 0)
	v := r.Trace(legend(t), &trace.End{Status: 124, Why: "the time limit"}).View()
	for i, name := range []string{"runtime.main", "main.worker", "main.worker"} {
		v.Gs[i].Entry = name
	}
	return v
}

// TestSummary asks for every line of a small run's page.
func TestSummary(t *testing.T) {
	var b strings.Builder
	if err := Summary(&b, small(t)); err != nil {
		t.Fatal(err)
	}
	want := `small, go1.26, amd64, q35, 2 vCPUs
1.00ms of guest time, 1.00ms to 2.00ms; 37 events, 12 LOST, so what follows has gaps
ended with status 124: the time limit

The run did not end by itself: the time limit
  main.worker G3: ready, without a P for 500us
  runtime.main G1: running for 500us
  12 records were lost, so some of this may be wrong.

    M  running  spinning  scheduling  in calls  halted  dispatches  steals  parks  wakes  preempted  IPIs sent  taken
   M0      90%        0%         10%        0%      0%           3       0      0      1          1          1      0
   M1      24%      5.0%        1.0%        0%     45%           1       1      1      0          0          0      1
  all      57%      2.5%        5.5%        0%     22%           4       1      1      1          1          1      1

       P   owned        dispatches  longest queue
      P0  1.00ms  100%           3              2
      P1   290us   29%           1              0
  global                                        1

3 goroutines of 2 functions, 2 alive at the end
  count  runs  running  ready  waiting  preempted  function         waited for
      1     2    800us  100us    100us          0  runtime.main G1  sleep 1
      2     2    340us  800us        0          1  main.worker

4 runs, 25% of them in the slice of the one before
the G was found in: runnext 50%, ring 25%, stolen 25%

              latency  count     p50     p90     p99    most  |0   |10ns|.1us|1us |10us|.1ms
  runnable to running      4   100us   200us   200us   200us  ▄                        █▄
                  run      4   240us   500us   500us   500us                           ████
   lateness of timers      1  20.0us  20.0us  20.0us  20.0us                       █
    stop of the world      1   100us   100us   100us   100us                           █

  blocked  waited in all  longest  for (and most often where)
        1          100us    100us  sleep (HERE)

the world was stopped once: GC mark termination 1
  it took 40.0us to stop (p50; most 40.0us), and stood still for 60.0us in all, 6.0% of the run
the collector: mark once, 100us in all, most 100us; mark termination once, 10.0us in all, most 10.0us
`
	compare(t, b.String(), strings.Replace(want, "HERE", where(), 1))
}

// TestSummaryCalls: system calls, ties, devices and foreign code are summed up.
func TestSummaryCalls(t *testing.T) {
	r := tracetest.New(t, trace.Meta{SMP: 2})
	r.Add(1*us, 0, 0, record.EvAcquire, 0, 0, 0)
	r.Add(2*us, 0, 0, record.EvStart, 1, uint64(record.FromNext), 0)
	r.Add(3*us, 0, 0, record.EvLock, 1, 1, 0)
	r.Add(4*us, 0, 0, record.EvSyscallEnter, 1, 0, 0)
	r.Add(30*us, 1, noP, record.EvRetake, 0, 0|0<<8, 0)
	r.Add(50*us, 0, noP, record.EvSyscallExit, 1, 0, 0)
	r.Add(51*us, 0, 0, record.EvAcquire, 0, 0, 0)
	r.Add(52*us, 0, 0, record.EvSyscallEnter, 1, 0, 0)
	r.Add(53*us, 0, 0, record.EvSyscallExit, 1, 0, 0)
	r.Add(54*us, 1, 1, record.EvPass, 1, 0, uint64(record.FromRing))
	r.Add(55*us, 1, 1, record.EvPoll, 0, 3, 0)
	r.Add(56*us, 1, 1, record.EvPoll, 0, 0, 0)
	r.Add(57*us, 1, 1, record.EvNeedM, 2, 0, 0)
	r.Add(63*us, 0, 0, record.EvExit, 1, 0, 0)
	r.Add(64*us, 0, 0, record.EvExitM, 0, 0, 0)
	v := r.Trace(legend(t), nil).View()
	var b strings.Builder
	if err := Summary(&b, v); err != nil {
		t.Fatal(err)
	}
	_, got, ok := strings.Cut(b.String(), "\n2 system")
	got, _, _ = strings.Cut(got, "\nthe world")
	if want := ` calls; once came back and had lost its P; 20.0us in calls without one
a goroutine was tied to its M 2 times, 67.0us in all, passed to its M once, ended with its M once
foreign code called once
devices were asked 2 times, 3 goroutines waited for them
`; !ok || got != want {
		t.Errorf("it says\n%s", b.String())
	}
	if want := "in calls"; !strings.Contains(b.String(), want) {
		t.Errorf("there is no column %q", want)
	}
}

// TestSummaryEmpty: a recording without events has a header.
func TestSummaryEmpty(t *testing.T) {
	var b strings.Builder
	if err := Summary(&b, tracetest.New(t, trace.Meta{SMP: 1, ICount: true}).Trace(trace.Legend{}, nil).View()); err != nil {
		t.Fatal(err)
	}
	compare(t, b.String(), "a program without a name, 1 vCPU\n0 of guest time, 0 to 0; 0 events, none lost\ntime counts instructions\nthe recording has no end\n")
}

// TestSummaryLong: however much there is, it stays a page, and what is not shown
// in rows of its own is in the sums.
func TestSummaryLong(t *testing.T) {
	const n = 64
	r := tracetest.New(t, trace.Meta{SMP: n})
	for i := range n {
		r.Add(1000, i, i, record.EvAcquire, 0, 0, 0)
		r.Add(1000, i, i, record.EvStart, uint64(i+1), uint64(record.FromGlobal), 0)
		r.Add(2000, i, i, record.EvBlock, uint64(i+1), uint64(i)<<record.ReasonShift, 0)
		r.Add(2000, i, i, record.EvCreate, uint64(i+1000), 0, 0)
		r.Add(2000, i, i, record.EvPhase, 0, uint64(i), 0)
		r.Add(2000, i, i, record.EvStop, 0, uint64(i), 0)
	}
	l := trace.Legend{}
	for i := range n {
		l.Reasons = append(l.Reasons, "reason "+string(rune('A'+i)))
		l.Stops = l.Reasons
	}
	v := r.Trace(l, nil).View()
	for i, g := range v.Gs {
		g.Entry = "main.f" + string(rune('A'+i))
	}
	var b strings.Builder
	if err := Summary(&b, v); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) > 65 {
		t.Errorf("%d lines:\n%s", len(lines), b.String())
	}
	for _, want := range []string{
		"56 more  100% 0% 0% 0% 0% 56 0 0 0 0 0 0",
		"all 100% 0% 0% 0% 0% 64 0 0 0 0 0 0",
		"56 more 56.0us 100% 56 0",
		"128 goroutines of 128 functions, 128 alive at the end",
		"and for 58 reasons more",
	} {
		found := false
		for _, l := range lines {
			found = found || strings.Join(strings.Fields(l), " ") == strings.Join(strings.Fields(want), " ")
		}
		if !found {
			t.Errorf("there is no line %q in\n%s", want, b.String())
		}
	}
}

// compare compares texts line by line.
func compare(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		switch {
		case i >= len(g):
			t.Errorf("line %d is missing: %s", i+1, w[i])
		case i >= len(w):
			t.Errorf("line %d is too much: %s", i+1, g[i])
		case g[i] != w[i]:
			t.Errorf("line %d:\ngot  %s\nwant %s", i+1, g[i], w[i])
		}
	}
}

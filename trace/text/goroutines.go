package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/events"
)

// kin are the goroutines made of one function.
type kin struct {
	name                   string
	one                    uint64 // the number, if there is one only
	count, runs, preempted int
	running, ready         int64
	waiting                int64
	blocks                 map[string]int
}

// kinds gathers the goroutines, those that ran most first.
func (s *summary) kinds() []*kin {
	by := map[string]*kin{}
	var all []*kin
	for _, g := range s.v.Gs {
		name := cmp.Or(g.Kind(), "unknown")
		k := by[name]
		if k == nil {
			k = &kin{name: name, blocks: map[string]int{}}
			by[name] = k
			all = append(all, k)
		}
		k.count++
		k.one = g.ID
		k.runs += len(g.Runs)
		k.running += g.Running
		k.ready += g.Ready
		k.waiting += g.Waiting
		for _, r := range g.Runs {
			if s.v.Runs[r].Left == record.EvPreempt {
				k.preempted++
			}
		}
		for reason, n := range g.Blocks {
			k.blocks[reason] += n
		}
	}
	slices.SortStableFunc(all, func(a, b *kin) int { return cmp.Compare(b.running, a.running) })
	return all
}

// goroutines is the table of them.
func (s *summary) goroutines() {
	all := s.kinds()
	alive := 0
	for _, g := range s.v.Gs {
		if g.Ended < 0 {
			alive++
		}
	}
	s.line("\n%s of %s, %s alive at the end", Plural(len(s.v.Gs), "goroutine"), Plural(len(all), "function"), Count(alive))
	shown := all[:min(len(all), most)]
	width := 0
	for _, k := range shown {
		width = max(width, len(k.title()))
	}
	tw := s.table()
	fmt.Fprintf(tw, "count\truns\trunning\tready\twaiting\tpreempted\t  %-*s  waited for\n", width, "function")
	for _, k := range shown {
		line := fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t  %-*s  %s", Count(k.count), Count(k.runs),
			Duration(k.running), Duration(k.ready), Duration(k.waiting), Count(k.preempted), width, k.title(), reasons(k.blocks, 2))
		fmt.Fprintln(tw, strings.TrimRight(line, " "))
	}
	tw.Flush()
}

// title is k's name, with the number of the only one.
func (k *kin) title() string {
	if k.count == 1 {
		return trace.Name(k.name, k.one)
	}
	return k.name
}

// reasons lists the n greatest of what is counted, the greatest first.
func reasons(counts map[string]int, n int) string {
	var names []string
	for r := range counts {
		names = append(names, r)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var parts []string
	for i, r := range names {
		if i == n {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s", r, Count(counts[r])))
	}
	return strings.Join(parts, ", ")
}

// found says where the Gs that ran were found.
func (s *summary) found() {
	places := []record.Place{
		record.FromNext, record.FromRing, record.FromGlobal, record.FromSteal, record.FromWorker, record.FromIdleWorker, record.FromPass, record.FromNowhere,
	}
	counts := map[record.Place]int64{}
	inherited := int64(0)
	for _, r := range s.v.Runs {
		counts[r.From.Kind()]++
		if r.Inherit {
			inherited++
		}
	}
	var parts []string
	for _, p := range places {
		if n := counts[p]; n > 0 {
			parts = append(parts, events.At(p).Queue+" "+Percent(n, int64(len(s.v.Runs))))
		}
	}
	if len(parts) > 0 {
		s.line("\n%s runs, %s of them in the slice of the one before", Count(len(s.v.Runs)), Percent(inherited, int64(len(s.v.Runs))))
		s.line("the G was found in: %s", strings.Join(parts, ", "))
	}
}

// block is what goroutines waited for.
type block struct {
	reason string
	count  int
	waited int64
	most   int64
	sites  map[int32]int // stacks
}

// blocks is the table of what goroutines waited for, the most frequent first.
func (s *summary) blocks() {
	by := map[string]*block{}
	var all []*block
	for _, g := range s.v.Gs {
		for i, id := range g.Runs {
			r := s.v.Runs[id]
			if r.Left != record.EvBlock {
				continue
			}
			b := by[r.Reason]
			if b == nil {
				b = &block{reason: r.Reason, sites: map[int32]int{}}
				by[r.Reason] = b
				all = append(all, b)
			}
			waited := s.until(g, i) - r.End
			b.count++
			b.waited += waited
			b.most = max(b.most, waited)
			b.sites[r.Stack]++
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b *block) int { return cmp.Compare(b.count, a.count) })
	s.line("")
	tw := s.table()
	fmt.Fprintf(tw, "blocked\twaited in all\tlongest\t  for (and most often where)\n")
	for _, b := range all[:min(len(all), most-2)] {
		where := ""
		if site := s.site(b.sites); site != "" {
			where = " (" + site + ")"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t  %s%s\n", Count(b.count), Duration(b.waited), Duration(b.most), b.reason, where)
	}
	tw.Flush()
	if n := len(all) - (most - 2); n > 0 {
		s.line("and for %s more", Plural(n, "reason"))
	}
}

// until is when the wait behind the i-th run of g ended: as far as runs tell,
// or at the run's end.
func (s *summary) until(g *trace.Goroutine, i int) int64 {
	if i+1 < len(g.Runs) {
		return s.v.Runs[g.Runs[i+1]].Ready
	}
	return s.v.End
}

// site is the most frequent of some stacks.
func (s *summary) site(stacks map[int32]int) string {
	best, n := int32(0), 0
	for id, count := range stacks {
		if count > n || count == n && id < best {
			best, n = id, count
		}
	}
	return Site(s.t, best)
}

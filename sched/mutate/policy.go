package main

// policies is what breaks the decisions of policies, and the places where they are asked for.
var policies = []mutation{
	{
		name: "insert-after", rule: "U2", in: "gList.insert",
		breaks: "a G that goes before the last on the queue goes before the first",
		old:    "	for !before(g, at.ptr()) {",
		new:    "	for at.ptr() == nil {",
	},
	{
		name: "mlfq-starves", rule: "U2", in: "mlfqRanked",
		breaks: "the time at which a G came counts for nothing: a low level waits for as long as others come",
		old:    "at := uint32(now>>mlfqUnit) + uint32",
		new:    "at := uint32(now>>62) + uint32",
	},
	{
		name: "mlfq-stays", rule: "U2", in: "mlfqRanked",
		breaks: "what has waited does not rise again",
		old:    "used = max(used-mlfqUsed, int64(pri)*mlfqUsed)",
		new:    "used = max(used, int64(pri)*mlfqUsed)",
	},
	{
		name: "mlfq-pri", rule: "U2", in: "mlfqRanked",
		breaks: "what has waited rises above its priority",
		old:    "used = max(used-mlfqUsed, int64(pri)*mlfqUsed)",
		new:    "used = max(used-mlfqUsed, 0)",
	},
	{
		name: "pri-queued", rule: "R7", in: "Sched.SetPri",
		breaks: "a G that is on the queue keeps its place when it gets another priority",
		old:    "	if at >= 0 {",
		new:    "	if at > 1<<30 {",
	},
	{
		name: "policy-drains", rule: "U2", in: "Sched.SetPolicy",
		breaks: "a policy without local queues comes, and what is in them is forgotten",
		old:    "	if p.Shared {",
		new:    "	if !p.Shared {",
	},
	{
		name: "policy-ranks", rule: "R7", in: "Sched.SetPolicy",
		breaks: "a policy with an order of its own comes, and what is queued keeps the old one",
		old:    "		s.rank(by, g, false)",
		new:    "		s.runq.push(g)",
	},
	{
		name: "policy-long", rule: "U2", in: "Sched.setLong",
		breaks: "a policy that decides otherwise comes, and the short ways are still taken",
		old:    "p.Threads || p.Shared ||",
		new:    "p.Threads || s.slice < 0 ||",
	},
	{
		name: "slice-tick", rule: "S2", in: "Sched.SetSlice",
		breaks: "the M that shortens the slice keeps its tick for the old one",
		old:    "	if p := by.P(); p != nil {",
		new:    "	if p := by.P(); p == nil {",
	},
	{
		name: "mlfq-short", rule: "S2", in: "Sched.newSlice",
		breaks: "the policy is not asked how long a slice is",
		old:    "	if s.policy.Slices != nil {",
		new:    "	if s.policy.Slices == nil {",
	},
	{
		name: "mlfq-waits", rule: "A4", in: "mlfqWake",
		breaks: "nobody is asked to leave for a G of a higher level",
		old:    "	if lowest != nil {",
		new:    "	if lowest != nil && level > mlfqLevels {",
	},
	{
		name: "steal-half", rule: "R10", in: "Sched.runqGrab",
		breaks: "the policy is not asked how much to steal",
		old:    "if n != 0 && s.policy.Steal != nil {",
		new:    "if n > RingSize && s.policy.Steal != nil {",
	},
}

package main

// owns break a file's own slot, whose calls do not wait.
var owns = []mutation{
	{
		name: "settle-any", rule: "N1", in: "Own.Lost",
		breaks: "Sync and its like make the slot idle whatever another goroutine does there",
		old: `	if t.Word(i).State() != Failed || o.last != Writing {
		return false
	}
`,
		new: "",
	},
	{
		name: "settle-read", rule: "N1", in: "Own.Lost",
		breaks: "Sync and its like take the error of another goroutine's read away",
		old:    "t.Word(i).State() != Failed || o.last != Writing",
		new:    "t.Word(i).State() != Failed",
	},
	{
		name: "settle-early", rule: "N1", in: "Own.Unwritten",
		breaks: "Sync and its like do not wait for what was written before",
		old:    "w.State() == Busy && o.last == Writing",
		new:    "w.State() == Idle && o.last == Writing",
	},
	{
		name: "own-busy", rule: "N1", in: "Own.Look",
		breaks: "a call begins a request while the device has another in the slot",
		old: `		o.waited[k] = true
		return Wait
`,
		new: `		o.waited[k] = true
`,
	},
	{
		name: "own-error", rule: "N1", in: "Own.Look",
		breaks: "nobody is told that a write has failed",
		old:    "o.last == Writing || k == Reading",
		new:    "k == Reading",
	},
	{
		name: "own-turn", rule: "N1", in: "Own.Turn",
		breaks: "of a reader and a writer nobody lets the other go first",
		old:    "o.waited[other] && (o.last == k || o.Held > 0)",
		new:    "false && (o.last == k || o.Held > 0)",
	},
	{
		name: "own-polite", rule: "N1", in: "Own.Turn",
		breaks: "one lets the other go first as often as it tries",
		old: `		o.waited[other] = false
`,
		new: "",
	},
	{
		name: "own-held", rule: "N1", in: "Own.Begins",
		breaks: "a write leaves what was read in the slot as if it were still there",
		old:    "o.last, o.At, o.Held = k, at, held",
		new:    "o.last, o.At, o.Held = k, at, o.Held+held",
	},
	{
		name: "own-found", rule: "N1", in: "Own.Found",
		breaks: "a read finds again what an earlier one has found",
		old: `	o.Held = 0
	o.waited[Reading] = false
`,
		new: `	o.waited[Reading] = false
`,
	},
	{
		name: "own-stale", rule: "N1", in: "Own.Stale",
		breaks: "a read finds what is older than what was written since",
		old:    "o.At = 1 << 62",
		new:    "o.At += 0 << 62",
	},
	{
		name: "own-places", rule: "N1", in: "Own.Overlap",
		breaks: "what is written goes to another place of what the slot holds",
		old:    "uintptr(low - at), uintptr(low - o.At),",
		new:    "uintptr(low - o.At), uintptr(low - at),",
	},
}

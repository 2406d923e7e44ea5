package main

// lines break the table of a disk's slots: the line of calls that wait, and the slots' owners.
var lines = []mutation{
	{
		name: "slot-busy", rule: "M4", in: "Table.Release",
		breaks: "a slot whose owner gave up is free while the device works in it",
		old:    "	if t.Word(i).State() == Busy {\n		s = Left",
		new:    "	if t.Word(i).State() == Idle {\n		s = Left",
	},
	{
		name: "slot-two", rule: "M4", in: "Table.Take",
		breaks: "a slot that its owner holds is given to another",
		old:    "if t.Word(i).State() == Free {",
		new:    "if t.Word(i).State() != Busy {",
	},
	{
		name: "slot-lost", rule: "M4", in: "Table.Answer",
		breaks: "a slot whose owner is gone never becomes free",
		old: `			t.left--
		}
		t.set(i, Free)
`,
		new: `			t.left--
		}
`,
	},
	{
		name: "slot-left", rule: "M4", in: "Table.Answer",
		breaks: "a slot whose owner is gone counts as kept after the device gave it back",
		old: `			t.left--
`,
		new: "",
	},
	{
		name: "slot-number", rule: "M4", in: "Table.Begin",
		breaks: "two requests of a slot have one number",
		old: `	t.number += 1 << stateBits
`,
		new: "",
	},
	{
		name: "slot-passed", rule: "M4", in: "Table.Answer",
		breaks: "an answer counts as one to what came before, for requests that came before it",
		old:    "int32(t.Word(j)-w) > 0",
		new:    "int32(t.Word(j)-w) < 0",
	},
	{
		name: "line-order", rule: "M4", in: "Table.Enter",
		breaks: "who looks first, not who stands first, gets a slot",
		old:    "if t.first != ticket {",
		new:    "if ticket == t.next {",
	},
	{
		name: "line-writers", rule: "M4", in: "Table.Enter",
		breaks: "two calls write at once",
		old:    "if !write || t.writer == 0 {",
		new:    "if !write || t.writer >= 0 {",
	},
	{
		name: "line-writer", rule: "M4", in: "Table.Release",
		breaks: "who wrote keeps the right to write",
		old:    "if t.writer == i+1 {",
		new:    "if t.writer == i {",
	},
	{
		name: "line-stuck", rule: "M4", in: "Table.Enter",
		breaks: "who leaves the line without a slot keeps its place",
		old:    "if i >= 0 || quit {",
		new:    "if i >= 0 {",
	},
	{
		name: "line-silent", rule: "M4", in: "Table.Enter",
		breaks: "who stands in line waits for a device that does not answer",
		old:    "(t.silent || t.left == min(t.count, Polled))",
		new:    "t.left == min(t.count, Polled)",
	},
	{
		name: "line-kept", rule: "M4", in: "Table.Enter",
		breaks: "who stands in line waits for slots that the device keeps",
		old:    "(t.silent || t.left == min(t.count, Polled))",
		new:    "t.silent",
	},
	{
		name: "line-answers", rule: "M4", in: "Table.Answer",
		breaks: "a device that answers again counts as silent",
		old: `	t.silent = false
`,
		new: "",
	},
	{
		name: "line-release", rule: "M4", in: "Table.Release",
		breaks: "who stands first sleeps on when a slot is given back",
		old: `		t.writer = 0
	}
	t.news = true
`,
		new: `		t.writer = 0
	}
`,
	},
	{
		name: "line-next", rule: "M4", in: "Table.Enter",
		breaks: "who stands first now sleeps on",
		old: `		t.first++
		t.news = true
`,
		new: `		t.first++
`,
	},
	{
		name: "line-freed", rule: "M4", in: "Table.Answer",
		breaks: "who stands first sleeps on when the device gives back a slot",
		old: `		t.set(i, Free)
		t.news = true
`,
		new: `		t.set(i, Free)
`,
	},
	{
		name: "line-hopeless", rule: "M4", in: "Table.GiveUp",
		breaks: "who stands first sleeps on when the device is given up",
		old:    "t.silent, t.news = true, true",
		new:    "t.silent = true",
	},
	{
		name: "line-place", rule: "M4", in: "Table.News",
		breaks: "who is just going to sleep does not notice that there is news",
		old: `		place.Add(1)
`,
		new: "",
	},
	{
		name: "patience-passed", rule: "M4", in: "Patience.Over",
		breaks: "the time that the device takes for earlier requests counts",
		old:    "p.last == 0 || passed != p.passed",
		new:    "p.last == 0",
	},
	{
		name: "patience-gap", rule: "M4", in: "Patience.Over",
		breaks: "time in which the caller's processor did not run counts",
		old:    "min(now-p.last, Gap)",
		new:    "now - p.last",
	},
}

package main

// polleds break the poller's table, by which goroutines learn that a served call has its answer, and the bell of a device that a server drives.
var polleds = []mutation{
	{
		name: "mark-late", rule: "N1", in: "Set.Mark",
		breaks: "the bits above a file's are set before its own",
		old: `	s.marks[n/64].Or(1 << (n % 64))
	s.words[n/64/64].Or(1 << (n / 64 % 64))
	s.some.Or(1 << (n / 64 / 64))
`,
		new: `	s.words[n/64/64].Or(1 << (n / 64 % 64))
	s.some.Or(1 << (n / 64 / 64))
	s.marks[n/64].Or(1 << (n % 64))
`,
	},
	{
		name: "mark-middle", rule: "N1", in: "Set.Mark",
		breaks: "the topmost bit is set before the one below it",
		old: `	s.words[n/64/64].Or(1 << (n / 64 % 64))
	s.some.Or(1 << (n / 64 / 64))
`,
		new: `	s.some.Or(1 << (n / 64 / 64))
	s.words[n/64/64].Or(1 << (n / 64 % 64))
`,
	},
	{
		name: "mark-alone", rule: "N1", in: "Set.Mark",
		breaks: "a mark takes those of its neighbours away",
		old:    "s.marks[n/64].Or(1 << (n % 64))",
		new:    "s.marks[n/64].Store(1 << (n % 64))",
	},
	{
		name: "mark-once", rule: "N1", in: "Set.Mark",
		breaks: "a second mark in a word of marks counts on the first one's bit above it, which a collector has taken",
		old:    "s.words[n/64/64].Or(1 << (n / 64 % 64))",
		new: `if s.marks[n/64].Load()&^(1<<(n%64)) == 0 {
		s.words[n/64/64].Or(1 << (n / 64 % 64))
	}`,
	},
	{
		name: "collect-take", rule: "N1", in: "Set.Take",
		breaks: "marks that come while a word of them is read are cleared with it",
		old:    "for set := s.marks[w].Swap(0); set",
		new:    "set := s.marks[w].Load()\ns.marks[w].Store(0)\nfor ; set",
	},
	{
		name: "collect-words", rule: "N1", in: "Set.Take",
		breaks: "bits of words of marks that come while they are read are cleared with them",
		old:    "for words := s.words[i].Swap(0); words",
		new:    "words := s.words[i].Load()\ns.words[i].Store(0)\nfor ; words",
	},
	{
		name: "collect-some", rule: "N1", in: "Set.Take",
		breaks: "the topmost bits that come while they are read are cleared with them",
		old:    "for some := s.some.Swap(0); some",
		new:    "some := s.some.Load()\ns.some.Store(0)\nfor ; some",
	},
	{
		name: "collect-full", rule: "N1", in: "Set.Take",
		breaks: "what does not fit into a batch waits for the next mark",
		old:    "				s.some.Or(some)\n",
		new:    "",
	},
	{
		name: "collect-rest", rule: "N1", in: "Set.Take",
		breaks: "of a word of marks only what fits into a batch is told",
		old:    "				s.marks[w].Or(set)\n",
		new:    "",
	},
	{
		name: "collect-closed", rule: "N1", in: "Table.Collect",
		breaks: "a file is told of that was taken out",
		old:    "f == nil || !f.open",
		new:    "f == nil",
	},
	{
		name: "tell-nobody", rule: "N1", in: "Set.Tell",
		breaks: "nobody looks for a goroutine whose note was woken",
		old:    "s.some.Or(1)",
		new:    "s.some.Or(0)",
	},
	{
		name: "ring-twice", rule: "N1", in: "Bell.Ring",
		breaks: "each interrupt has the note woken, which may be woken already",
		old:    "b.rung.Swap(1) == 0",
		new:    "b.rung.Swap(1) < 2",
	},
	{
		name: "ring-deaf", rule: "N1", in: "Bell.Heard",
		breaks: "the bell stays rung, and the second interrupt wakes nobody",
		old:    "b.rung.Swap(0)",
		new:    "b.rung.Load()",
	},
}

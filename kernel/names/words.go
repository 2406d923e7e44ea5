package names

// What is written to ctl files, and the errors that come of it. An error is a number, as all errors of system calls are, above
// Linux's: Text.Sentence says what it means.

// Errno is such a number: errFirst, 64 of them for each kind, and in there one of the problems below.
type Errno uintptr

const (
	errFirst = 4096
	perKind  = 64
)

// Problems: no such word, wrong arguments of the word with a number, from badArg on, and the reasons.
const (
	badWord = iota
	badArg
	badReason = 32
)

// A Reason is why a command that is well written was not carried out, or a file not opened.
type Reason uint8

// The reasons.
const (
	Gone Reason = iota
	Itself
	System
	NotStopped
	Waits
	Unheard
	Busy
	Procs
	NoPris
	Fixed
	NoRecorder
	Untraced
	Traced
	NoP
	NoWires
	Wires
	Nobody

	reasons
)

var reasonText = [reasons]string{
	Gone:       "there is no such goroutine any more",
	Itself:     "a goroutine cannot do this to itself",
	System:     "the goroutine is the runtime's own",
	NotStopped: "the goroutine is not stopped",
	Waits:      "the goroutine does not compute: a note cannot reach it",
	Unheard:    "the note was not taken within a second: the goroutine is where it cannot panic",
	Busy:       "another command is being written to this open file",
	Procs:      "the number of Ps is from 1 to the number of vCPUs",
	NoPris:     "the policy has no priorities; mlfq has",
	NoRecorder: "this image has no recorder, or no memory for its rings",
	Untraced:   "nothing is traced: write trace on to /sched/ctl, or trace 1 to a goroutine's ctl",
	NoP:        "the number of a P is from 0 to GOMAXPROCS-1",
	NoWires:    "Ps have no queues of their own under this policy; under M:N they have",
	Wires:      "goroutines are wired to Ps, which have no queues of their own under that policy: write wired any to their ctl first",
	Nobody:     "no goroutine runs on this M",
	Traced:     "64 goroutines are traced already",
	Fixed:      "1:1 and N:1 are for whole runs: sched9 run -policy",
}

// Err returns the error that a file of kind k gives for r.
func (k Kind) Err(r Reason) Errno { return k.err(badReason + int(r)) }

// err is the error of a problem.
func (k Kind) err(problem int) Errno { return errFirst + Errno(k)*perKind + Errno(problem) }

// BadArg is the error of a word whose argument is none that it takes.
func (k Kind) BadArg(word int) Errno { return k.err(badArg + word) }

// Sentence adds what e means; nothing if it is none of these errors.
func (t *Text) Sentence(e Errno) {
	if e < errFirst || e >= errFirst+Errno(Kinds)*perKind {
		return
	}
	k, problem := Kind((e-errFirst)/perKind), int((e-errFirst)%perKind)
	words := Table[k].Words
	switch {
	case problem >= badReason && problem < badReason+int(reasons):
		t.Add(reasonText[problem-badReason])
	case problem >= badArg && problem < badArg+len(words):
		w := &words[problem-badArg]
		if w.Arg == "" {
			t.Add(w.Name)
			t.Add(" takes no argument")
			return
		}
		t.usage(w)
		t.Add(": ")
		t.Add(w.Says)
	case problem == badWord && len(words) > 0:
		t.Add("no such word; ")
		t.Add(Table[k].Path)
		t.Add(" takes ")
		for i := range words {
			if i > 0 {
				t.Add(", ")
			}
			t.usage(&words[i])
		}
	}
}

// usage adds how w is written.
func (t *Text) usage(w *Word) {
	if t.Add(w.Name); w.Arg != "" {
		t.Add(" ")
		t.Add(w.Arg)
	}
}

// Parse reads a command written to a ctl file of kind k: the number of its word, and its argument. err is 0 if there is
// such a word and an argument exactly if it wants one.
func (k Kind) Parse(line string) (word int, arg string, err Errno) {
	line = trim(line)
	n := 0
	for n < len(line) && !blank(line[n]) {
		n++
	}
	name, arg := line[:n], trim(line[n:])
	for i := range Table[k].Words {
		w := &Table[k].Words[i]
		if w.Name != name {
			continue
		}
		if (w.Arg == "") != (arg == "") {
			return i, "", k.BadArg(i)
		}
		return i, arg, 0
	}
	return 0, "", k.err(badWord)
}

// blank reports whether c separates words.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// trim takes blanks off both ends.
func trim(s string) string {
	for s != "" && blank(s[0]) {
		s = s[1:]
	}
	for s != "" && blank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// Number reads a decimal number below 2^53 without sign.
func Number(s string) (n int64, ok bool) {
	for i := 0; i < len(s); i++ {
		d := int64(s[i]) - '0'
		if d < 0 || d > 9 || n > (1<<53-1-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, s != ""
}

// Duration reads a whole number with one of the units ns, us, ms and s behind it. It is in nanoseconds, and below 2^53.
func Duration(s string) (ns int64, ok bool) {
	for _, unit := range [...]struct {
		name string
		ns   int64
	}{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}} {
		at := len(s) - len(unit.name)
		if at < 0 || s[at:] != unit.name {
			continue
		}
		if n, ok := Number(s[:at]); ok && n < 1<<53/unit.ns {
			return n * unit.ns, true
		}
	}
	return 0, false
}

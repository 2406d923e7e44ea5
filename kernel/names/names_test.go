package names

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTable: every kind has its line, no two have one path, and what the kernel makes of paths fits.
func TestTable(t *testing.T) {
	seen := map[string]Kind{}
	for k := None + 1; k < Kinds; k++ {
		f := Table[k]
		if f.Path == "" || f.Record == "" || f.Says == "" {
			t.Errorf("kind %d lacks a path, a record or an explanation: %+v", k, f)
			continue
		}
		if old, is := seen[f.Path]; is {
			t.Errorf("%s is of kinds %d and %d", f.Path, old, k)
		}
		seen[f.Path] = k
		elem, rest := Elem(f.Path)
		if want := f.Path[strings.LastIndex(f.Path, "/")+1:]; Base(f.Path) != want || "/"+elem+rest != f.Path {
			t.Errorf("%s: base %q, first %q and %q", f.Path, Base(f.Path), elem, rest)
		}
		if dir := strings.TrimSuffix(f.Path, "/"+Base(f.Path)); !Below(f.Path, dir) || Below(f.Path, dir[:len(dir)-1]) || Below(dir, dir) {
			t.Errorf("%s is not below %s alone", f.Path, dir)
		}
		if len(f.Words) >= badReason-badArg {
			t.Errorf("%s has more words than errors have numbers", f.Path)
		}
	}
}

// sentence returns what e means.
func sentence(e Errno) string {
	text := Text{Buf: make([]byte, 1<<10)}
	text.Sentence(e)
	return string(text.Buf[:text.N])
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		kind      Kind
		line      string
		word      int
		arg, says string
	}{
		{SchedCtl, "gomaxprocs 4", WordProcs, "4", ""},
		{SchedCtl, " \tslice  10ms \r\n", WordSlice, "10ms", ""},
		{SchedCtl, "gc\n", WordGC, "", ""},
		{ProcCtl, "note  two words ", WordNote, "two words", ""},
		{ProcCtl, "start", WordStart, "", ""},
		{SchedCtl, "", 0, "", "no such word; /sched/ctl takes gomaxprocs N, slice D, policy NAME, trace on|off, gc, audit"},
		{SchedCtl, "GC", 0, "", "no such word; /sched/ctl takes gomaxprocs N, slice D, policy NAME, trace on|off, gc, audit"},
		{SchedCtl, "gcx", 0, "", "no such word; /sched/ctl takes gomaxprocs N, slice D, policy NAME, trace on|off, gc, audit"},
		{SchedCtl, "audit it", WordAudit, "", "audit takes no argument"},
		{ProcCtl, "note \n", WordNote, "", "note TEXT: it panics with TEXT where it computes; one that waits cannot"},
		{ProcCtl, "gc", 0, "", "no such word; /proc/GOID/ctl takes stop, start, pri N, wired N|any, trace 0|1, note TEXT"},
	} {
		word, arg, err := c.kind.Parse(c.line)
		if word != c.word || arg != c.arg || sentence(err) != c.says {
			t.Errorf("%q: word %d, %q, %q; want %d, %q, %q", c.line, word, arg, sentence(err), c.word, c.arg, c.says)
		}
	}
}

// TestSentences: each error that a file can give has words, and no other number has.
func TestSentences(t *testing.T) {
	for k := None + 1; k < Kinds; k++ {
		for r := range reasons {
			if got := sentence(k.Err(r)); got != reasonText[r] || got == "" {
				t.Errorf("kind %d, reason %d: %q", k, r, got)
			}
		}
		for i := range Table[k].Words {
			if got := sentence(k.BadArg(i)); !strings.HasPrefix(got, Table[k].Words[i].Name+" ") {
				t.Errorf("kind %d, word %d: %q", k, i, got)
			}
		}
	}
	for _, e := range []Errno{0, 1, 133, errFirst - 1, errFirst + Errno(Kinds)*perKind, 1 << 40, SchedStatus.BadArg(0), SchedCtl.Err(reasons)} {
		if got := sentence(e); got != "" {
			t.Errorf("error %d says %q", e, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int64
		ok   bool
	}{{"0", 0, true}, {"007", 7, true}, {"9007199254740991", 1<<53 - 1, true}, {"", 0, false}, {"-1", 0, false}, {"1x", 0, false}, {"99999999999999999999", 0, false}} {
		if n, ok := Number(c.text); ok != c.ok || ok && n != c.n {
			t.Errorf("Number(%q) = %d, %v", c.text, n, ok)
		}
	}
	for _, c := range []struct {
		text string
		ns   int64
		ok   bool
	}{{"5ns", 5, true}, {"500us", 500e3, true}, {"10ms", 10e6, true}, {"3s", 3e9, true}, {"3", 0, false}, {"s", 0, false}, {"1.5s", 0, false}, {"9007199254740991s", 0, false}, {"ms", 0, false}} {
		if ns, ok := Duration(c.text); ok != c.ok || ok && ns != c.ns {
			t.Errorf("Duration(%q) = %d, %v", c.text, ns, ok)
		}
	}
}

func TestText(t *testing.T) {
	text := Text{Buf: make([]byte, 200)}
	for _, w := range []string{"plain", "", "two words", "it's", "a\nb"} {
		text.Word(w)
	}
	text.End()
	text.Int(0)
	text.Int(-1)
	text.Int(1<<63 - 1)
	text.Address(0xc0ffee)
	text.Place("a.go", 12)
	text.Pair("n", 1<<64-1)
	text.End()
	const want = "plain '' 'two words' 'it''s' 'a\nb'\n0 - 9223372036854775807 0xc0ffee a.go:12 n=18446744073709551615\n"
	if got := string(text.Buf[:text.N]); got != want || text.Full {
		t.Errorf("got %q, want %q", got, want)
	}
	for room := range len(want) {
		short := Text{Buf: make([]byte, room)}
		short.Add(want)
		if !short.Full || string(short.Buf[:short.N]) != want[:room] {
			t.Fatalf("%q in %d bytes, full is %v", short.Buf[:short.N], room, short.Full)
		}
	}
}

// FuzzParse: whatever is written, the answer is a word with the argument that it takes, or an error with a sentence.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"gc", "slice 1ms", "note a b", "stop\n", "", " ", "slice\t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, k := range []Kind{SchedCtl, ProcCtl} {
			word, arg, err := k.Parse(line)
			if err != 0 {
				if sentence(err) == "" {
					t.Errorf("%q: error %d has no sentence", line, err)
				}
				continue
			}
			w := Table[k].Words[word]
			if !strings.HasPrefix(strings.TrimLeft(line, " \t\r\n"), w.Name) || (arg == "") != (w.Arg == "") || !strings.Contains(line, arg) {
				t.Errorf("%q is %s with %q", line, w.Name, arg)
			}
		}
	})
}

// page is the part of docs/names.md that is made of the table.
func page() string {
	var b strings.Builder
	b.WriteString("| file | a record | what it says |\n|---|---|---|\n")
	for _, f := range Table[1:] {
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", f.Path, f.Record, f.Says)
	}
	b.WriteString("\n| written to | word | what it does |\n|---|---|---|\n")
	for _, f := range Table[1:] {
		for _, w := range f.Words {
			fmt.Fprintf(&b, "| %s | `%s` | %s |\n", f.Path, strings.ReplaceAll(strings.TrimSpace(w.Name+" "+w.Arg), "|", `\|`), w.Says)
		}
	}
	return b.String()
}

// TestPage: docs/names.md has the table as it is here.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/names.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), page()) {
		t.Errorf("docs/names.md is not what the table says. It has to have:\n%s", page())
	}
}

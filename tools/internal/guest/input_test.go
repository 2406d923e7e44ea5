package guest

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"sched9/tools/internal/rawguest"
)

// TestKeyboard: what the console gets of a source that gives its bytes in any
// pieces.
func TestKeyboard(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "\x04\x04"},
		{"one\ntwo", "one\ntwo\x04\x04"},
		{"\x04\x16\n", "\x16\x04\x16\x16\n\x04\x04"},
		{strings.Repeat("x", 100_000), strings.Repeat("x", 100_000) + "\x04\x04"},
	} {
		for name, r := range map[string]io.Reader{
			"whole":  strings.NewReader(c.in),
			"single": iotest.OneByteReader(strings.NewReader(c.in)),
			"late":   iotest.DataErrReader(strings.NewReader(c.in)),
		} {
			k := newKeyboard(r, nil)
			k.begin()
			got, err := io.ReadAll(k)
			if err != nil || string(got) != c.want {
				t.Errorf("%s: %q became %.40q, %v", name, c.in, got, err)
			}
			k.close()
		}
	}
}

// TestKeyboardFails: the console gets what came before the error, and no end.
func TestKeyboardFails(t *testing.T) {
	k := newKeyboard(io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(errors.New("why"))), nil)
	k.begin()
	got, err := io.ReadAll(k)
	if string(got) != "a\n" || err == nil || err.Error() != "why" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestKeyboardWaits: nothing is read of the source before the guest reads, nor after
// the run.
func TestKeyboardWaits(t *testing.T) {
	k := newKeyboard(iotest.ErrReader(errors.New("it was read")), nil)
	k.close()
	if got, err := io.ReadAll(k); len(got) != 0 || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	k = newKeyboard(strings.NewReader("a\n"), regexp.MustCompile("x"))
	k.begin()
	k.close()
	if got, err := io.ReadAll(k); len(got) != 0 || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestPrompt: a line goes out for each prompt, and so does the end. Prompts may come in any pieces,
// and before anything reads.
func TestPrompt(t *testing.T) {
	k := newKeyboard(strings.NewReader("one\ntwo\nthree"), regexp.MustCompile(`\?$`))
	var shown bytes.Buffer
	w := k.watch(&shown)
	k.begin()
	b := make([]byte, 100)
	for i, want := range []string{"one\n", "two\n", "three", "\x04\x04"} {
		text := "nothing\nwhat?\r\n"
		if i%2 == 0 {
			io.Copy(w, iotest.OneByteReader(strings.NewReader(text)))
		} else {
			io.WriteString(w, text)
		}
		n, err := k.Read(b)
		if err != nil || string(b[:n]) != want {
			t.Errorf("prompt %d: got %q, %v, want %q", i, b[:n], err, want)
		}
	}
	if n, err := k.Read(b); n != 0 || err != io.EOF {
		t.Errorf("behind the end: %q, %v", b[:n], err)
	}
	if want := strings.Repeat("nothing\nwhat?\r\n", 4); shown.String() != want {
		t.Errorf("shown was %q", shown.String())
	}
	k = newKeyboard(strings.NewReader("one\ntwo\n"), regexp.MustCompile(`\?$`))
	k.begin()
	io.WriteString(k.watch(nil), "a?\nb?\nc?\n")
	if got, err := io.ReadAll(k); err != nil || string(got) != "one\ntwo\n\x04\x04" {
		t.Errorf("three prompts at once: got %q, %v", got, err)
	}
}

// TestKeyboardReport: the guest's word that it reads is for us alone.
func TestKeyboardReport(t *testing.T) {
	k := newKeyboard(strings.NewReader(""), nil)
	var told bytes.Buffer
	w := k.report(&told)
	io.Copy(w, iotest.OneByteReader(strings.NewReader("trace 5\ninput x\ncounter input 3\n")))
	select {
	case <-k.wanted:
		t.Error("it began without being asked")
	default:
	}
	io.Copy(w, iotest.OneByteReader(strings.NewReader("input\ninput\nexit 0\n")))
	<-k.wanted
	if want := "trace 5\ninput x\ncounter input 3\nexit 0\n"; told.String() != want {
		t.Errorf("passed on was %q", told.String())
	}
}

// TestRunWithInput boots machine code that asks for input and takes none.
func TestRunWithInput(t *testing.T) {
	const unclean = 0x32
	g := some()
	g.Input = strings.NewReader("text")
	var err error
	g.Image, err = rawguest.Image(rawguest.Say(rawguest.Report, "input\ncounter x 3\nexit 7\n"), rawguest.Exit(unclean))
	if err != nil {
		t.Fatal(err)
	}
	o, err := Run(t.Context(), g)
	if err != nil || o.Status != 7 || o.Why != "" || o.Report.Counters["x"] != 3 {
		t.Errorf("status %d, %q, counters %v, %v", o.Status, o.Why, o.Report.Counters, err)
	}
	g.Input, g.Prompt = nil, regexp.MustCompile("x")
	if err := g.Check(); err == nil || !strings.Contains(err.Error(), "prompt") {
		t.Errorf("a prompt without input: %v", err)
	}
}

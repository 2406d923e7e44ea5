package capture

import (
	"slices"
	"strings"
	"testing"
)

func TestOutput(t *testing.T) {
	var o Output
	for _, w := range []struct {
		err  bool
		text string
	}{{false, "a\r\nb"}, {true, "x\n"}, {false, "\r\n"}, {true, "y"}} {
		to := o.Stdout()
		if w.err {
			to = o.Stderr()
		}
		if n, err := to.Write([]byte(w.text)); n != len(w.text) || err != nil {
			t.Fatal(n, err)
		}
	}
	if o.Out() != "a\r\nb\r\n" || o.Err() != "x\ny" || o.Both() != "a\r\nbx\n\r\ny" {
		t.Errorf("%q, %q, %q", o.Out(), o.Err(), o.Both())
	}
	if got := o.Lines(); !slices.Equal(got, []string{"a", "b", "x", "y"}) {
		t.Errorf("lines %q", got)
	}
}

// TestBound: a program that prints for ever does not fill the host's memory, and is not told that
// its output is dropped.
func TestBound(t *testing.T) {
	var o Output
	w := o.Stdout()
	big := []byte(strings.Repeat("a", Max/2+1))
	for range 5 {
		if n, err := w.Write(big); n != len(big) || err != nil {
			t.Fatal(n, err)
		}
	}
	if len(o.Out()) != Max || len(o.Both()) != Max {
		t.Errorf("%d and %d bytes are kept, want %d", len(o.Out()), len(o.Both()), Max)
	}
	o.Stderr().Write([]byte("still"))
	if o.Err() != "still" {
		t.Errorf("the other output is %q", o.Err())
	}
}

func TestTail(t *testing.T) {
	for _, c := range []struct {
		text   string
		n      int
		want   []string
		before int
	}{
		{"", 3, nil, 0},
		{"\r\n\n", 3, nil, 0},
		{"a\r\nb\n\n", 2, []string{"a", "b"}, 0},
		{"a\nb\nc", 2, []string{"b", "c"}, 1},
		{"a\n\nc\n", 2, []string{"", "c"}, 1},
	} {
		got, before := Tail(c.text, c.n)
		if !slices.Equal(got, c.want) || before != c.before {
			t.Errorf("the last %d of %q: %q, %d", c.n, c.text, got, before)
		}
	}
}

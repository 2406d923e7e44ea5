package cmdline

import (
	"slices"
	"testing"
)

func parse(line string) (env, args []string) {
	b := []byte(line)
	Parse(b, func(w Word) {
		s := string(b[w.At : w.At+w.N])
		if w.Kind == Env {
			env = append(env, s)
		} else {
			args = append(args, s)
		}
	})
	return env, args
}

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		line      string
		env, args []string
	}{
		{"", nil, nil},
		{"--", nil, nil},
		{"image.elf quiet A=1  B=x%20y -- prog a%2cb %- --", []string{"A=1", "B=x y"}, []string{"prog", "a,b", "", "--"}},
		{"A=%zz%", []string{"A=%zz%"}, nil},
	} {
		env, args := parse(tc.line)
		if !slices.Equal(env, tc.env) || !slices.Equal(args, tc.args) {
			t.Errorf("%q: env %q args %q, want %q %q", tc.line, env, args, tc.env, tc.args)
		}
	}
}

// Options are words that begin with the unescaped prefix; a variable with such a name is not one.
func TestOptions(t *testing.T) {
	line := []byte(Format([]string{"record=12", "x=1"}, []string{"sched9.record=3", "A=sched9.b=1"}, []string{"sched9.c=1"}))
	var got [3][]string
	Parse(line, func(w Word) { got[w.Kind] = append(got[w.Kind], string(line[w.At:w.At+w.N])) })
	want := [3][]string{Env: {"sched9.record=3", "A=sched9.b=1"}, Arg: {"sched9.c=1"}, Option: {"record=12", "x=1"}}
	for kind := range want {
		if !slices.Equal(got[kind], want[kind]) {
			t.Errorf("kind %d: %q, want %q", kind, got[kind], want[kind])
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add("K=V", "--", "a b", "")
	f.Add("K=", "%20", "-x", "\x00\xff,'\"")
	f.Fuzz(func(t *testing.T, e, a, b, c string) {
		env := []string{"K=" + e}
		args := []string{a, b, c}
		gotEnv, gotArgs := parse(Format(nil, env, args))
		if !slices.Equal(gotEnv, env) || !slices.Equal(gotArgs, args) {
			t.Errorf("env %q args %q became %q %q", env, args, gotEnv, gotArgs)
		}
	})
}

// FuzzParse parses anything: words are separated by blanks, in order, and decoded to no more bytes
// than they had; nothing outside of a word changes.
func FuzzParse(f *testing.F) {
	f.Add([]byte("image.elf quiet sched9.record=12 A=1  B=x%20y %73ched9.b=1 -- prog a%2cb %- -- c=d"))
	f.Add([]byte("%"))
	f.Add([]byte("-- %-%-%41%zz%4"))
	f.Fuzz(func(t *testing.T, line []byte) {
		b := slices.Clone(line)
		end, args := 0, false
		Parse(b, func(w Word) {
			if w.N < 0 || w.At < end || w.At+w.N > len(b) {
				t.Fatalf("word %+v behind byte %d of %d", w, end, len(b))
			}
			if args = args || w.Kind == Arg; args && w.Kind != Arg {
				t.Fatalf("word %+v behind the arguments", w)
			}
			if w.Kind == Option && (w.At < len(Prefix) || string(line[w.At-len(Prefix):w.At]) != Prefix) {
				t.Fatalf("word %+v is no option", w)
			}
			for end = w.At; end < len(line) && line[end] != ' '; end++ {
			}
			if w.At+w.N > end {
				t.Fatalf("word %+v ends behind byte %d", w, end)
			}
		})
		for i, c := range line {
			if c == ' ' && b[i] != ' ' {
				t.Fatalf("the blank at %d became %q", i, b[i])
			}
		}
	})
}

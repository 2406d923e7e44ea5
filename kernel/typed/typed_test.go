package typed

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// read returns all that is there.
func read(b *Buffer) (got []byte) {
	for {
		c, ok := b.Get()
		if !ok {
			return got
		}
		got = append(got, c)
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		in, out string
		ended   bool
	}{
		{"", "", false},
		{"one\ntwo", "one\ntwo", false},
		{"\x04", "", true},
		{"one\n\x04", "one\n", true},
		{"one\x04", "one", false},
		{"one\x04\x04", "one", true},
		{"one\x04two\n\x04", "onetwo\n", true},
		{"one\n\x04two\n", "one\n", true},
		{"\x16\x04\x16\x16\x16x\n\x04", "\x04\x16x\n", true},
		{"\x16\n\x04", "\n", true},
		{"\x16\x04\x04", "\x04", false},
		{"\x00\xff\r\x03\x04\x04", "\x00\xff\r\x03", true},
	} {
		var b Buffer
		for i := range len(c.in) {
			b.Put(c.in[i])
		}
		if got := string(read(&b)); got != c.out || b.Ended() != c.ended {
			t.Errorf("%q: got %q, ended %v; want %q, %v", c.in, got, b.Ended(), c.out, c.ended)
		}
	}
}

// TestEndComesLast: the end is not seen before the bytes in front of it.
func TestEndComesLast(t *testing.T) {
	var b Buffer
	for _, c := range []byte("x\n\x04") {
		b.Put(c)
	}
	for range 2 {
		if b.Ended() {
			t.Fatal("the end came too early")
		}
		b.Get()
	}
	if !b.Ended() {
		t.Fatal("the end did not come")
	}
}

// TestFull sends more than there is room for, in turns of any length.
func TestFull(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	want := make([]byte, 10*Size)
	for i := range want {
		want[i] = "abc\n"[r.IntN(4)]
	}
	var b Buffer
	var got []byte
	for sent := 0; len(got) < len(want); {
		for n := r.IntN(2 * Size); n > 0 && sent < len(want) && !b.Full(); n-- {
			b.Put(want[sent])
			sent++
		}
		for n := r.IntN(2 * Size); n > 0; n-- {
			c, ok := b.Get()
			if !ok {
				break
			}
			got = append(got, c)
		}
	}
	if !bytes.Equal(got, want) {
		t.Error("what came out is not what went in")
	}
}

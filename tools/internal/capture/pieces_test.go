package capture

import (
	"bytes"
	"io"
	"testing"
)

// TestPieces: what was written is read again, whole and in order, and is never moved.
func TestPieces(t *testing.T) {
	var p Pieces
	var want []byte
	var first *byte
	for n := 1; len(want) < 5*pieceSize; n = n*3 + 1 {
		if n > 2*pieceSize {
			n = 7
		}
		b := bytes.Repeat([]byte{byte(n)}, n)
		want = append(want, b...)
		if k, err := p.Write(b); k != n || err != nil {
			t.Fatalf("%d of %d, %v", k, n, err)
		}
		if first == nil {
			first = &p.all[0][0]
		}
	}
	for range 2 {
		if got, err := io.ReadAll(p.Reader()); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, not %d, %v", len(got), len(want), err)
		}
	}
	if &p.all[0][0] != first {
		t.Error("it was moved")
	}
	if got, err := io.ReadAll(new(Pieces).Reader()); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}

package qr

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode/decoder"
)

// read decodes the code with n of its modules turned.
func read(t *testing.T, turned int) string {
	t.Helper()
	m, err := gozxing.NewBitMatrix(Size, Size)
	if err != nil {
		t.Fatal(err)
	}
	for row := range Size {
		for column := range Size {
			if Dark(row, column) {
				m.Set(column, row)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, uint64(turned)))
	for range turned {
		m.Flip(9+random.IntN(Size-18), 9+random.IntN(Size-18))
	}
	r, err := decoder.NewDecoder().DecodeWithoutHint(m)
	if err != nil {
		t.Fatalf("with %d modules turned: %v", turned, err)
	}
	if r.GetECLevel() != "L" {
		t.Errorf("level %s", r.GetECLevel())
	}
	return r.GetText()
}

// TestRead has another's reader read codes: of every length's kind, one after another, and where some of it is damaged.
func TestRead(t *testing.T) {
	long := strings.Repeat("sched9: kernel fault on processor 0: #PF page fault\n", 20)
	for _, n := range []int{0, 1, 2, 100, 256, 500, Max - 2, Max - 1, Max} {
		text := long[:n]
		Make(n, func(i int) byte { return text[i] })
		if got := read(t, 0); got != text {
			t.Errorf("of %d bytes %q is read", n, got)
		}
		if got := read(t, 20); got != text {
			t.Errorf("of %d bytes %q is read, damaged", n, got)
		}
	}
	if Dark(-1, 0) || Dark(0, -1) || Dark(Size, 0) || Dark(0, Size) {
		t.Error("something is dark outside of the code")
	}
}

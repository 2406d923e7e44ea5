package profile

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestSplit: stretches go from call to call; the most frequent one is without the program's own instructions, which may differ; what a
// round begins and ends with is left out, unless a round is one operation.
func TestSplit(t *testing.T) {
	s := Symbols{[]function{{0x80, 0x90, "main.loop"}, {0x100, 0x110, "main.mark"}, {0x110, 0x120, "a"}, {0x200, 0x210, "b"}}}
	text := log(0x200, 0x80) + // before the first call
		log(0x110, 0x114, 0x204) +
		log(0x110, 0x114, 0x80, 0x204, 0x84) + // the same, with the program's
		log(0x110, 0x208) +
		log(0x110, 0x100, 0x20c) + // with the mark
		log(0x110, 0x114) // not ended
	got, err := Split(strings.NewReader(text), s, "main.mark", "a", 10)
	if err != nil {
		t.Fatal(err)
	}
	third := 1.0 / 3
	if got.Count != 3 || got.Same != 2 || !slices.Equal(got.Usual, []uint64{0x110, 0x114, 0x204}) ||
		!maps.Equal(got.Mean, map[uint64]float64{0x110: 1, 0x114: 2 * third, 0x204: 2 * third, 0x208: third, 0x80: third, 0x84: third}) {
		t.Errorf("%+v", got)
	}
	if got, err := Split(strings.NewReader(text), s, "main.mark", "a", 1); err != nil || got.Count != 4 || got.Mean[0x20c] != 0.25 {
		t.Errorf("a mark in each operation: %+v, %v", got, err)
	}
	if _, err := Split(strings.NewReader(text), s, "main.mark", "b", 1); err == nil {
		t.Error("one call of a function makes a stretch")
	}
}

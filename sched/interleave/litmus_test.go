package interleave

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The classic tests of what processors may see of each other's stores, with stores that stay in a buffer ('b') and with exchanges ('s'). A search finds
// exactly the results that total store order allows (Owens, Sarkar and Sewell 2009): a load may pass an earlier buffered store to another word, and
// nothing else passes anything. x is word 0, y word 1; a thread's register is its loads in base 3.
func TestLitmus(t *testing.T) {
	const x, y = 0, 1
	load := func(word int) step { return step{'l', word, 0} }
	buffer := func(word, n int) step { return step{'b', word, n} }
	swap := func(word, n int) step { return step{'s', word, n} }
	for _, c := range []struct {
		name    string
		threads [][]step
		want    string // words and registers, of all results
	}{
		{"SB", [][]step{{buffer(x, 1), load(y)}, {buffer(y, 1), load(x)}},
			"[1 1][0 0] [1 1][0 1] [1 1][1 0] [1 1][1 1]"},
		{"SB, one exchange", [][]step{{swap(x, 1), load(y)}, {buffer(y, 1), load(x)}},
			"[1 1][0 0] [1 1][0 1] [1 1][1 0] [1 1][1 1]"},
		{"SB, exchanges", [][]step{{swap(x, 1), load(y)}, {swap(y, 1), load(x)}},
			"[1 1][0 1] [1 1][1 0] [1 1][1 1]"},
		{"SB, exchanges of another word", [][]step{{buffer(x, 1), swap(2, 1), load(y)}, {buffer(y, 1), swap(2, 1), load(x)}},
			"[1 1 1][0 1] [1 1 1][1 0] [1 1 1][1 1]"},
		{"SB, own stores read", [][]step{{buffer(x, 1), load(x), load(y)}, {buffer(y, 1), load(y), load(x)}},
			"[1 1][3 3] [1 1][3 4] [1 1][4 3] [1 1][4 4]"},
		{"MP", [][]step{{buffer(x, 1), buffer(y, 1)}, {load(y), load(x)}},
			"[1 1][0 0] [1 1][0 1] [1 1][0 4]"},
		{"LB", [][]step{{load(x), buffer(y, 1)}, {load(y), buffer(x, 1)}},
			"[1 1][0 0] [1 1][0 1] [1 1][1 0]"},
		{"IRIW", [][]step{{buffer(x, 1)}, {buffer(y, 1)}, {load(x), load(y)}, {load(y), load(x)}},
			"[1 1][0 0 0 0] [1 1][0 0 0 1] [1 1][0 0 0 3] [1 1][0 0 0 4] [1 1][0 0 1 0] [1 1][0 0 1 1] [1 1][0 0 1 3] [1 1][0 0 1 4]" +
				" [1 1][0 0 3 0] [1 1][0 0 3 1] [1 1][0 0 3 4] [1 1][0 0 4 0] [1 1][0 0 4 1] [1 1][0 0 4 3] [1 1][0 0 4 4]"},
		{"2+2W", [][]step{{buffer(x, 1), buffer(y, 2)}, {buffer(y, 1), buffer(x, 2)}},
			"[1 2][0 0] [2 1][0 0] [2 2][0 0]"},
		{"R", [][]step{{buffer(x, 1), buffer(y, 1)}, {buffer(y, 2), load(x)}},
			"[1 1][0 0] [1 1][0 1] [1 2][0 0] [1 2][0 1]"},
		{"R, an exchange before the load", [][]step{{buffer(x, 1), buffer(y, 1)}, {swap(y, 2), load(x)}},
			"[1 1][0 0] [1 1][0 1] [1 2][0 1]"},
		{"S", [][]step{{buffer(x, 2), buffer(y, 1)}, {load(y), buffer(x, 1)}},
			"[1 1][0 0] [1 1][0 1] [2 1][0 0]"},
	} {
		toy := &toy{words: 2, threads: c.threads}
		if strings.Contains(c.want, "[1 1 1]") {
			toy.words = 3
		}
		for _, s := range []Search{&DPOR{}, &DFS{Bound: 100}} {
			var got []string
			for r := range toy.all(s) {
				words, rest, _ := strings.Cut(r, "] [")
				regs, _, _ := strings.Cut(rest, "]")
				got = append(got, words+"]["+regs+"]")
			}
			slices.Sort(got)
			if text := strings.Join(got, " "); text != c.want {
				t.Errorf("%s by %s: %s, want %s", c.name, fmt.Sprintf("%T", s), text, c.want)
			}
		}
	}
}

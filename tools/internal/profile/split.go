package profile

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Stretches are what ran between one call of a function and the next.
type Stretches struct {
	Count int                // how many there were
	Usual []uint64           // addresses of the most frequent one, in order, without the program's own
	Same  int                // how many were that one
	Mean  map[uint64]float64 // how often an address ran in one, on the average
}

// Split cuts what the log r holds into stretches, each from one call of function from to the next. One with a call of mark is left
// out where a round has several operations: what begins and ends the round is in it.
func Split(r io.Reader, s Symbols, mark, from string, perMark int) (Stretches, error) {
	var (
		all    = Stretches{Mean: map[uint64]float64{}}
		alike  = map[string]int{} // stretches, by their addresses without the program's own
		usual  string
		ran    []uint64 // since the last call of from
		key    []byte   // of the stretch that ran is
		open   bool     // from has been called
		marked bool     // and mark since then
	)
	seen := map[uint64]function{}
	err := scan(r, func(pc uint64) {
		f, ok := seen[pc]
		if !ok {
			f = s.find(pc)
			seen[pc] = f
		}
		switch {
		case pc != f.start:
		case f.name == mark:
			marked = true
		case f.name == from:
			if open && !(marked && perMark > 1) {
				all.Count++
				for _, pc := range ran {
					all.Mean[pc]++
				}
				k := string(key)
				if alike[k]++; alike[k] > all.Same {
					usual, all.Same = k, alike[k]
				}
			}
			ran, key, open, marked = ran[:0], key[:0], true, false
		}
		if open {
			ran = append(ran, pc)
			if Owner(f.name) != Program {
				key = binary.LittleEndian.AppendUint64(key, pc)
			}
		}
	})
	if err != nil {
		return Stretches{}, err
	}
	if all.Count == 0 {
		return Stretches{}, fmt.Errorf("the log has no two calls of %s in one round", from)
	}
	for at := 0; at < len(usual); at += 8 {
		all.Usual = append(all.Usual, binary.LittleEndian.Uint64([]byte(usual[at:at+8])))
	}
	for pc := range all.Mean {
		all.Mean[pc] /= float64(all.Count)
	}
	return all, nil
}

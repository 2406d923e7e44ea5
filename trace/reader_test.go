package trace

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"sched9/record"
)

// A Reader hands over what Read reads, in the same order, and not all of it at once.
func TestReader(t *testing.T) {
	recordings := [][]byte{recording(t, &End{Status: 7}, some()...), recording(t, nil, some()...), recording(t, &End{})}
	rnd := rand.New(rand.NewPCG(9, 9))
	for range 50 {
		recordings = append(recordings, drained50(t, rnd))
	}
	for i, all := range recordings {
		want, err := Read(bytes.NewReader(all))
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int64{1, 300, stretchSize} {
			d, err := newReader(bytes.NewReader(all), size)
			if err != nil {
				t.Fatal(err)
			}
			tr := d.Trace()
			if tr.Whole != want.Whole || tr.Status != want.Status || tr.Program != want.Program || tr.Version != want.Version {
				t.Errorf("recording %d: %+v", i, tr)
			}
			var got []Event
			most := 0
			if err := d.Each(func(es []Event) error {
				got = append(got, es...)
				most = max(most, len(es))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			for k := range got {
				if s := got[k].Stack; !slices.Equal(tr.Stacks[s], want.Stacks[want.Events[k].Stack]) {
					t.Fatalf("recording %d, stretches of %d: the stack of event %d", i, size, k)
				}
				got[k].Stack = want.Events[k].Stack
			}
			if !slices.Equal(got, want.Events) || tr.TotalLost() != want.TotalLost() {
				t.Errorf("recording %d, stretches of %d: %d events, want %d; %d lost, want %d", i, size, len(got), len(want.Events), tr.TotalLost(), want.TotalLost())
			}
			if size == 1 && len(got) > 1000 && most > len(got)/4 {
				t.Errorf("recording %d: %d of %d events were handed over at once", i, most, len(got))
			}
		}
	}
}

// drained50 is a recording of three Ms that are drained in turn, 50 times, one of them
// sometimes late: then what it did stands far behind what the others did later.
func drained50(t *testing.T, rnd *rand.Rand) []byte {
	var pieces []piece
	var waiting [3][]record.Record
	at := [3]uint64{1, 1, 1}
	for round := range uint64(50) {
		for m := range 3 {
			for at[m] < round*1000 {
				at[m] += rnd.Uint64N(60)
				slots := rnd.IntN(3)
				waiting[m] = append(waiting[m], rec(at[m], record.EvBlock, uint64(m+1), 7, slots))
				for s := range slots {
					waiting[m] = append(waiting[m], slot(uint64(100*s)+1))
				}
			}
			if rnd.IntN(6) == 0 {
				continue
			}
			n := rnd.IntN(len(waiting[m]) + 1) // also in the middle of a stack
			lost := uint64(0)
			if rnd.IntN(20) == 0 {
				lost = 3
			}
			pieces = append(pieces, piece{m, lost, slices.Clone(waiting[m][:n])})
			waiting[m] = waiting[m][n:]
		}
	}
	for m := range 3 {
		pieces = append(pieces, piece{m, 0, waiting[m]})
	}
	return recording(t, &End{}, pieces...)
}

// What goes wrong is told, by whom it happens to.
func TestReaderErrors(t *testing.T) {
	good := recording(t, &End{}, some()...)
	for _, b := range [][]byte{nil, good[:5], []byte("something else altogether"), good[:len(fileMagic)], append(good[:len(good)-1:len(good)-1], "r\xff\xff\xff\xff"...)} {
		_, err := NewReader(bytes.NewReader(b))
		_, want := Read(bytes.NewReader(b))
		if (err == nil) != (want == nil) || err != nil && err.Error() != want.Error() {
			t.Errorf("of %q: %v, want %v", b, err, want)
		}
	}
	d, err := NewReader(bytes.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("full")
	if err := d.Each(func([]Event) error { return full }); !errors.Is(err, full) {
		t.Errorf("the sink's error became %v", err)
	}
}

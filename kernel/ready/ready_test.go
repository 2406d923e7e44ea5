package ready

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"
)

// newTable returns a table with room for the first files.
func newTable(t *testing.T, files int) *Table {
	var all []*[Page / 8]uint64
	tab := new(Table)
	get := func() uintptr {
		all = append(all, new([Page / 8]uint64))
		return uintptr(unsafe.Pointer(all[len(all)-1]))
	}
	for n := range files {
		if !tab.Room(n, get) {
			t.Fatalf("no room for %d", n)
		}
	}
	t.Cleanup(func() { clear(all) })
	return tab
}

// collect returns the data of all that is ready, in the order of files.
func collect(t *Table) (got []Event) {
	var events [Batch]Event
	for t.Pending() {
		got = append(got, events[:t.Collect(&events)]...)
	}
	return got
}

func TestEdge(t *testing.T) {
	tab := newTable(t, Max)
	if tab.Pending() {
		t.Error("an empty table is pending")
	}
	if !tab.Open(5, 50, true, false) || !tab.Open(200, 2000, true, true) {
		t.Fatal("a file could not be registered")
	}
	if tab.Open(5, 51, true, false) {
		t.Error("a file was registered twice")
	}
	tab.Mark(200)
	tab.Mark(5)
	tab.Mark(5)
	tab.Mark(6) // not registered
	got := collect(tab)
	if len(got) != 2 || got[0] != (Event{50, true, false}) || got[1] != (Event{2000, true, true}) {
		t.Errorf("got %v", got)
	}
	if got := collect(tab); len(got) != 0 {
		t.Errorf("told twice: %v", got)
	}
	tab.Mark(5)
	if !tab.Close(5) || tab.Close(5) {
		t.Error("Close is wrong about what was registered")
	}
	if got := collect(tab); len(got) != 0 {
		t.Errorf("a closed file became ready: %v", got)
	}
	if !tab.Open(5, 52, false, true) {
		t.Error("a closed file could not be registered again")
	}
	tab.Mark(5)
	if got := collect(tab); len(got) != 1 || got[0] != (Event{52, false, true}) {
		t.Errorf("got %v", got)
	}
}

// TestRoom: who has no room is not registered, and may be marked.
func TestRoom(t *testing.T) {
	tab := newTable(t, 1)
	none := func() uintptr { return 0 }
	if !tab.Room(1, none) || tab.Room(Max-1, none) {
		t.Error("there is room where there is no page, or none where there is one")
	}
	if tab.Close(Max - 1) {
		t.Error("the last file was registered")
	}
	tab.Mark(Max - 1)
	if got := collect(tab); len(got) != 0 || tab.Pending() {
		t.Errorf("got %v, pending: %v", got, tab.Pending())
	}
}

// TestTell has Pending say yes once for what is not in the table.
func TestTell(t *testing.T) {
	tab := newTable(t, Max)
	tab.Open(5, 50, true, false)
	tab.Tell()
	if !tab.Pending() {
		t.Error("what was told is not pending")
	}
	if got := collect(tab); len(got) != 0 || tab.Pending() {
		t.Errorf("got %v, pending: %v", got, tab.Pending())
	}
}

func TestMoreThanABatch(t *testing.T) {
	tab := newTable(t, Max)
	for i := range Max {
		tab.Open(i, uintptr(i), true, true)
		tab.Mark(i)
	}
	var events [Batch]Event
	seen := 0
	for tab.Pending() {
		n := tab.Collect(&events)
		if n > Batch || n == 0 && seen < Max {
			t.Fatalf("%d events at once after %d", n, seen)
		}
		for _, e := range events[:n] {
			if e.Data != uintptr(seen) {
				t.Fatalf("event %d is of file %d", seen, e.Data)
			}
			seen++
		}
	}
	if seen != Max {
		t.Errorf("%d of %d files became ready", seen, Max)
	}
}

// TestNothingLost has several mark files while several collect. Each mark is of a
// file whose last one was collected, as a device's that is asked again: so if one
// is lost, its marker waits for ever, and so does the test.
func TestNothingLost(t *testing.T) {
	const markers, rounds = 8, 1000
	tab := newTable(t, Max)
	var lock sync.Mutex
	var told [markers]chan struct{}
	for i := range told {
		told[i] = make(chan struct{}, 1)
		lock.Lock()
		tab.Open(i*30, uintptr(i), true, false)
		lock.Unlock()
	}
	stop := make(chan struct{})
	var collectors, marking sync.WaitGroup
	for range 3 {
		collectors.Go(func() {
			var events [Batch]Event
			for {
				select {
				case <-stop:
					return
				default:
				}
				if !tab.Pending() {
					runtime.Gosched()
					continue
				}
				lock.Lock()
				n := tab.Collect(&events)
				lock.Unlock()
				for _, e := range events[:n] {
					told[e.Data] <- struct{}{}
				}
			}
		})
	}
	for i := range markers {
		marking.Go(func() {
			for range rounds {
				tab.Mark(i * 30)
				<-told[i]
			}
		})
	}
	marking.Wait()
	close(stop)
	collectors.Wait()
	lock.Lock()
	defer lock.Unlock()
	for i, c := range told {
		if len(c) != 0 {
			t.Errorf("file %d became ready once too often", i)
		}
	}
}

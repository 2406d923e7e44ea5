// Package fd numbers open files. It knows which numbers are in use, and by how
// many calls just now: a file that is closed in the middle of a call goes away
// with the call. The caller locks, and keeps what belongs to a number elsewhere.
package fd

// First is the first number that is given out, behind the standard files; Max is
// above all.
const (
	First = 3
	Max   = 256
)

// Table is the table. Its zero value has no open files.
type Table struct {
	refs [Max]int32 // calls that hold the file, and 1 while it is open; -1: going
	open [Max]bool
}

// Open returns the lowest free number, or -1. The number is the caller's alone
// until Publish.
func (t *Table) Open() int {
	for n := First; n < Max; n++ {
		if t.refs[n] == 0 {
			t.refs[n] = -1
			return n
		}
	}
	return -1
}

// Publish lets others use number n, which Open returned; Free gives it back,
// after that or after a Drop that was the last.
func (t *Table) Publish(n int) { t.refs[n], t.open[n] = 1, true }

// Free: see Publish.
func (t *Table) Free(n int) { t.refs[n] = 0 }

// Hold keeps file n from going away until Drop, and reports whether it is open.
func (t *Table) Hold(n int) bool {
	if n < First || n >= Max || !t.open[n] {
		return false
	}
	t.refs[n]++
	return true
}

// Drop ends a Hold. It reports true if that was the last of a closed file: the
// caller undoes what belongs to the number, and then calls Free.
func (t *Table) Drop(n int) (last bool) {
	t.refs[n]--
	if t.refs[n] > 0 {
		return false
	}
	t.refs[n] = -1
	return true
}

// Close closes file n, and reports whether it was open. The caller then calls
// Drop, for the file itself.
func (t *Table) Close(n int) bool {
	if n < First || n >= Max || !t.open[n] {
		return false
	}
	t.open[n] = false
	return true
}

// Package fd numbers open files. A file may have several numbers (dup). The package knows which
// numbers are in use, and how many calls use a file at the moment: a file that is closed during a
// call goes away when the call ends. The caller locks, and keeps the files' own data elsewhere.
package fd

// Max is above all numbers, and above all files: how many there can be.
const Max = 2048

// Table is the table. Its zero value has no open files.
type Table struct {
	file [Max]uint16 // 1 plus the number's file; 0: none
	from [Max]uint16 // a file's numbers lie from here
	to   [Max]uint16 // to here
	refs [Max]int32  // of a file: calls that hold it, and its numbers; -1: only its creator, or the call that removes it, knows it
	top  int         // above all numbers that were ever in use
}

// New returns a file that has no number yet and is the caller's alone, or -1. The caller
// gives it a number (Number) or gives it back (Free).
func (t *Table) New() (file int) {
	for i := range t.refs {
		if t.refs[i] == 0 {
			t.refs[i] = -1
			return i
		}
	}
	return -1
}

// Free gives a file back, which New returned, or whose last Drop it was.
func (t *Table) Free(file int) { t.refs[file] = 0 }

// Number gives file, which New returned or which the caller holds, the lowest free number from low
// on and below limit, which is at most Max, and returns that; -1: there is none.
func (t *Table) Number(file, low, limit int) (n int) {
	for n = low; n < limit; n++ {
		if t.file[n] == 0 {
			t.set(n, file)
			return n
		}
	}
	return -1
}

// Replace gives file, which the caller holds, number n. If n was another file's, Replace returns
// that file, which the caller must drop; otherwise -1.
func (t *Table) Replace(file, n int) (replaced int) {
	replaced = int(t.file[n]) - 1
	t.set(n, file)
	return replaced
}

// set makes n a number of file's.
func (t *Table) set(n, file int) {
	if t.refs[file] < 0 {
		t.refs[file] = 0
		t.from[file], t.to[file] = uint16(n), uint16(n)
	}
	t.from[file], t.to[file] = min(t.from[file], uint16(n)), max(t.to[file], uint16(n))
	t.file[n] = uint16(file) + 1
	t.refs[file]++
	t.top = max(t.top, n+1)
}

// Hold returns the file of number n, which does not go away until Drop; -1: there is none.
func (t *Table) Hold(n int) (file int) {
	if n < 0 || n >= Max || t.file[n] == 0 {
		return -1
	}
	file = int(t.file[n]) - 1
	t.refs[file]++
	return file
}

// File returns the file of number n, -1: there is none; more says whether a larger number may be in use.
func (t *Table) File(n int) (file int, more bool) {
	if n < 0 || n >= t.top {
		return -1, false
	}
	return int(t.file[n]) - 1, n+1 < t.top
}

// Drop ends a Hold, or a number's use of the file. It reports true if that was the last: the caller
// then releases the file's data and calls Free.
func (t *Table) Drop(file int) (last bool) {
	t.refs[file]--
	if t.refs[file] > 0 {
		return false
	}
	t.refs[file] = -1
	return true
}

// Close takes number n away and returns the file, which the caller drops; -1: it was free.
func (t *Table) Close(n int) (file int) {
	if n < 0 || n >= Max || t.file[n] == 0 {
		return -1
	}
	file = int(t.file[n]) - 1
	t.file[n] = 0
	return file
}

// Next returns the first number of file's that is n or larger; -1: there is none. Without the
// caller's lock it may miss a number that is just being given or taken, and no other: while a file has a number, its bounds only
// become wider.
func (t *Table) Next(file, n int) int {
	for n = max(n, int(t.from[file])); n <= int(t.to[file]); n++ {
		if int(t.file[n]) == file+1 {
			return n
		}
	}
	return -1
}

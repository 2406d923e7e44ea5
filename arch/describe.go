package arch

// Facts is a text of records, which are lines of words and numbers (package names).
type Facts interface {
	Word(s string)
	Int(n int64)
	Address(p uintptr)
	End()
}

// fact adds a record of two words.
func fact(to Facts, name, value string) {
	to.Word(name)
	to.Word(value)
	to.End()
}

// number adds a record of a word and a number.
func number(to Facts, name string, n uint64) {
	to.Word(name)
	to.Int(int64(n))
	to.End()
}

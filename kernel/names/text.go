package names

// Text is what a file holds, as it is made: records of fields. It allocates nothing, so it has the room that Buf gives it.
type Text struct {
	Buf  []byte
	N    int  // how many bytes of it are the text
	Full bool // there was not room enough
	open bool // in a record
}

// Add adds s as it is.
func (t *Text) Add(s string) {
	n := copy(t.Buf[t.N:], s)
	t.N += n
	t.Full = t.Full || n < len(s)
}

// Word adds a field, quoted if it has to be: a quote in it is doubled.
func (t *Text) Word(s string) {
	quote := s == ""
	for i := 0; i < len(s); i++ {
		quote = quote || s[i] <= ' ' || s[i] == '\''
	}
	t.separate()
	if !quote {
		t.Add(s)
		return
	}
	t.Add("'")
	for i := 0; i < len(s); i++ {
		if s[i] == '\'' {
			t.Add("'")
		}
		t.Add(s[i : i+1])
	}
	t.Add("'")
}

// Int adds a field that is a number; a negative one stands for nothing, and is a dash.
func (t *Text) Int(n int64) {
	if n < 0 {
		t.Word("-")
		return
	}
	t.separate()
	t.digits(uint64(n), 10)
}

// Address adds a field that is an address.
func (t *Text) Address(p uintptr) {
	t.separate()
	t.Add("0x")
	t.digits(uint64(p), 16)
}

// Place adds a field FILE:LINE.
func (t *Text) Place(file string, line int64) {
	t.separate()
	t.Add(file)
	t.Add(":")
	t.digits(uint64(line), 10)
}

// Pair adds a field NAME=VALUE.
func (t *Text) Pair(name string, value uint64) {
	t.separate()
	t.Add(name)
	t.Add("=")
	t.digits(value, 10)
}

// End ends the record.
func (t *Text) End() {
	t.Add("\n")
	t.open = false
}

// separate begins a field.
func (t *Text) separate() {
	if t.open {
		t.Add(" ")
	}
	t.open = true
}

// digits adds n's.
func (t *Text) digits(n, base uint64) {
	unit := uint64(1)
	for n/unit >= base {
		unit *= base
	}
	for ; unit > 0; unit /= base {
		d := n / unit % base
		t.Add("0123456789abcdef"[d : d+1])
	}
}

// Help fills t with what a ctl file of kind k holds: its words.
func (t *Text) Help(k Kind) {
	for i := range Table[k].Words {
		w := &Table[k].Words[i]
		t.Word(w.Name)
		if w.Arg != "" {
			t.Word(w.Arg)
		}
		t.End()
	}
}

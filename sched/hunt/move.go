package hunt

// A schedule can be told as its moves: where it is not the plain one, in which the oldest runs until it blocks. Each move hangs on
// what one G has done itself, so that it means the same when other moves are left out.

// Kind is what a Move is.
type Kind byte

// The kinds: a G leaves at a point, or at a clock moment; a G that is not the oldest is next.
const (
	AtPoint Kind = 's'
	AtClock Kind = 'c'
	Choose  Kind = 'p'
)

// Move is one. Its text is the kind, and the numbers with dots between them.
type Move struct {
	Kind Kind
	G    uint32 // who leaves, or has left
	N    uint32 // at its Nth point; when it has run N nanoseconds; when it has left for the Nth time, of itself or for others
	To   uint32 // Choose: who is next
}

// MaxMoves bounds a schedule's moves, and MaxMovesText their text with commas between them.
const (
	MaxMoves     = 256
	MaxMovesText = 2048
)

// CutMove reads the first of moves, and returns the rest. It allocates nothing.
func CutMove(text string) (m Move, rest string, ok bool) {
	if text == "" {
		return m, "", false
	}
	m.Kind = Kind(text[0])
	numbers := []*uint32{&m.G, &m.N, &m.To}
	switch m.Kind {
	case AtPoint, AtClock:
		numbers = numbers[:2]
	case Choose:
	default:
		return m, text, false
	}
	at := 1
	for i, n := range numbers {
		if i > 0 {
			if at == len(text) || text[at] != '.' {
				return m, text, false
			}
			at++
		}
		begin, v := at, uint64(0)
		for ; at < len(text) && text[at] >= '0' && text[at] <= '9'; at++ {
			if v = v*10 + uint64(text[at]-'0'); v > 1<<32-1 {
				return m, text, false
			}
		}
		if at == begin {
			return m, text, false
		}
		*n = uint32(v)
	}
	if at < len(text) {
		if text[at] != ',' {
			return m, text, false
		}
		at++
		if at == len(text) {
			return m, text, false
		}
	}
	return m, text[at:], true
}

// moves are those that a run follows, instead of a strategy.
type moves struct {
	on    bool
	n     int
	all   [MaxMoves]Move
	armed bool // the clock moment of a move has come
}

// Follow has the moves in text decide instead of the strategy. It reports whether they are such, and as few as can be followed. After Begin.
func (h *Hunter) Follow(text string) bool {
	s := &h.moves
	for text != "" {
		m, rest, ok := CutMove(text)
		if !ok || s.n == len(s.all) {
			return false
		}
		s.all[s.n] = m
		s.n++
		text = rest
	}
	s.on = true
	h.arm()
	return true
}

// moved returns the move of the kind that belongs to g's Nth, nil: there is none.
func (h *Hunter) moved(k Kind, g uint64, n uint32) *Move {
	for i := range h.moves.n {
		if m := &h.moves.all[i]; m.Kind == k && uint64(m.G) == g && m.N == n {
			return m
		}
	}
	return nil
}

// arm sets the clock for the next move of the G that runs, if it has one that waits for it.
func (h *Hunter) arm() {
	ran := h.of(h.last).ran
	h.due = 0
	for i := range h.moves.n {
		m := &h.moves.all[i]
		if at := h.began + int64(m.N) - ran; m.Kind == AtClock && uint64(m.G) == h.last && int64(m.N) > ran && (h.due == 0 || at < h.due) {
			h.due = at
		}
	}
}

// Due returns when the clock moment of a move, or one near a pick or a point, is to come; 0: none is.
func (h *Hunter) Due() int64 {
	if !h.moves.on && h.near == 0 {
		return 0
	}
	return h.due
}

// Switch is what the last Pick was about.
type Switch struct {
	From, To uint64
	N        uint32 // so many times has From left, of itself or for others
	Other    bool   // To was not the oldest
	Why      Kind   // From was made to leave: AtPoint or AtClock; 0: it left of itself
	At       uint32 // the move's N
}

// account is what is known of a G, by the low bits of its number.
type account struct {
	points uint32
	leaves uint32
	ran    int64 // nanoseconds, without what it has run since it was picked
}

// of returns g's.
func (h *Hunter) of(g uint64) *account { return &h.accounts[g%uint64(len(h.accounts))] }

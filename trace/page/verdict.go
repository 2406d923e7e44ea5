package page

import "sched9/trace/text"

// verdict is a text.Verdict for the page.
type verdict struct {
	Title  string
	Bad    bool
	Stands []stand
	Rest   int
	Notes  []string
}

// stand is a text.Stand. Of many goroutines at one place it names the first.
type stand struct {
	Gs    []int // by the page's numbers
	Count int
	What  string
	Where string
	For   int64
	Wakes string
}

// mostNamed is how many goroutines of a place are named.
const mostNamed = 8

// verdict says how the run ended, and who waited for what then.
func (e *encoder) verdict() verdict {
	j := text.Judge(e.View)
	v := verdict{Title: j.Title, Bad: j.Bad, Rest: j.Rest, Notes: j.Notes}
	for _, s := range j.Stands {
		st := stand{Count: len(s.Gs), What: s.What, Where: s.Where, For: s.For, Wakes: s.Wakes}
		for _, id := range s.Gs[:min(len(s.Gs), mostNamed)] {
			st.Gs = append(st.Gs, e.index[id])
		}
		v.Stands = append(v.Stands, st)
	}
	return v
}

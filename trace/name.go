package trace

import (
	"strconv"
	"strings"
)

// Kind says what goroutines are counted together: those made of one function. Of
// a function of package sync, which makes them for others, it says for whom:
// "WaitGroup.Go of main.main". It is "" if entry, the function's name, is.
func Kind(entry, site string) string {
	name, ok := strings.CutPrefix(entry, "sync.")
	if !ok || site == "" {
		return entry
	}
	name = strings.NewReplacer("(*", "", ")", "").Replace(name)
	return strings.TrimSuffix(name, ".func1") + " of " + site
}

// Name is what people call a goroutine of a Kind, everywhere: "main.worker G12", or "G12" if nothing is known.
func Name(kind string, id uint64) string {
	n := "G" + strconv.FormatUint(id, 10)
	if kind == "" {
		return n
	}
	return kind + " " + n
}

// Kind is the goroutine's Kind, "" if nothing is known.
func (g *Goroutine) Kind() string {
	if g.Entry == Name("", g.ID) {
		return ""
	}
	return Kind(g.Entry, g.Site)
}

// Name is what people call the goroutine.
func (g *Goroutine) Name() string { return Name(g.Kind(), g.ID) }

// Site is the first function of a stack that is a program's own, or "": of a go statement's, who made the goroutine.
func (t *Trace) Site(stack int32) string { return SiteOf(t.Frames(stack)) }

// SiteOf is Site, of a stack's frames.
func SiteOf(fs []Frame) string {
	for _, frame := range fs {
		f := frame.Func
		if f != "" && !strings.HasPrefix(f, "runtime.") && !strings.HasPrefix(f, "sync.") {
			return f
		}
	}
	return ""
}

package guest

import (
	"slices"
	"testing"
)

// What is put into GODEBUG goes before what else is there.
func TestDebug(t *testing.T) {
	for _, c := range []struct{ env, want []string }{
		{nil, []string{"GODEBUG=a=1"}},
		{[]string{"X=y"}, []string{"X=y", "GODEBUG=a=1"}},
		{[]string{"GODEBUG=a=2,b=3", "X=y"}, []string{"GODEBUG=a=1,a=2,b=3", "X=y"}},
		{[]string{"GODEBUG="}, []string{"GODEBUG=a=1"}},
	} {
		g := Guest{Env: c.env}
		before := slices.Clone(c.env)
		if g.Debug("a=1"); !slices.Equal(g.Env, c.want) || !slices.Equal(c.env, before) {
			t.Errorf("%q: %q, and %q", before, g.Env, c.env)
		}
	}
}

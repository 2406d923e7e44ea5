package sched

import (
	"reflect"
	"testing"
)

// Entries lists all of Sched's methods: none is left out of what a reader of the seam learns.
func TestEntries(t *testing.T) {
	all, listed := reflect.TypeFor[*Sched](), reflect.TypeFor[Entries]()
	for i := range all.NumMethod() {
		name := all.Method(i).Name
		if name == "Lock" || name == "Unlock" {
			continue // a test's
		}
		if _, ok := listed.MethodByName(name); !ok {
			t.Errorf("entries.go does not list %s", name)
		}
	}
}

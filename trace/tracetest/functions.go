package tracetest

import (
	"debug/elf"
	"debug/gosym"
	"errors"
	"os"
	"runtime"
	"sync"
	"testing"

	"sched9/trace"
)

// functions are the test binary's own, which serve as the guest's.
type functions struct {
	text  uint64 // where code begins
	table []byte
	names *gosym.Table // whose addresses are relative to text
}

// own reads the test binary's table of functions, once.
var own = sync.OnceValues(func() (f functions, err error) {
	exe, err := os.Executable()
	if err != nil {
		return f, err
	}
	file, err := elf.Open(exe)
	if err != nil {
		return f, err
	}
	defer file.Close()
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if s := file.Section(name); s != nil {
			f.table, err = s.Data()
		}
	}
	if f.table == nil {
		return f, errors.Join(err, errors.New("the test binary has no table of functions"))
	}
	// Addresses in the table count from where code begins, which is found by a
	// function whose address is known.
	if f.names, err = gosym.NewTable(nil, gosym.NewLineTable(f.table, 0)); err != nil {
		return f, err
	}
	pc, _, _, _ := runtime.Caller(0)
	here := runtime.FuncForPC(pc)
	f.text = uint64(here.Entry()) - f.names.LookupFunc(here.Name()).Entry
	return f, nil
})

// functionsOf returns the test binary's functions, or ends the test.
func functionsOf(t testing.TB) functions {
	t.Helper()
	f, err := own()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Named returns l with the test binary's own functions as the guest's.
func Named(t testing.TB, l trace.Legend) trace.Legend {
	t.Helper()
	f := functionsOf(t)
	l.Text, l.Table = f.text, f.table
	return l
}

// Func is the address of a function of the test binary, by its full name. It ends
// the test if there is none.
func Func(t testing.TB, name string) uint64 {
	t.Helper()
	f := functionsOf(t)
	fn := f.names.LookupFunc(name)
	if fn == nil {
		t.Fatalf("the test binary has no function %s", name)
	}
	return f.text + fn.Entry
}

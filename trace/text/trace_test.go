package text

import (
	"path"
	"reflect"
	"runtime"
	"strconv"
	"testing"

	"sched9/trace"
	"sched9/trace/tracetest"
)

// noP is no P.
const noP = tracetest.NoP

// reasons and stops are a legend's.
var (
	someReasons = []string{"", "sleep", "chan receive"}
	someStops   = []string{"unknown", "GC mark termination"}
)

// legend is one with this test's own functions, so that worker has a name.
func legend(t *testing.T) trace.Legend {
	t.Helper()
	return tracetest.Named(t, trace.Legend{Version: "go1.26", Reasons: someReasons, Stops: someStops})
}

// worker is a function with a name.
//
//go:noinline
func worker() {}

// entry is worker's address.
func entry() uint64 { return uint64(reflect.ValueOf(worker).Pointer()) }

// where is worker as Where writes it.
func where() string {
	file, line := runtime.FuncForPC(uintptr(entry())).FileLine(uintptr(entry()))
	return "sched9/trace/text.worker " + path.Base(file) + ":" + strconv.Itoa(line)
}

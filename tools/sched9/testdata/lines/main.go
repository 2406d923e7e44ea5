// Lines prints where the runtime's own frames stand, by file and line, of a nil pointer that panics
// and of a goroutine that waits: the same on Linux and in an image.
package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

func main() {
	go waits()
	for !slices.ContainsFunc(stacks(), func(s string) bool { return strings.Contains(s, "gopark") && strings.Contains(s, "main.waits") }) {
		runtime.Gosched()
	}
	for _, s := range stacks() {
		if strings.Contains(s, "main.waits") {
			fmt.Print(s)
		}
	}
	defer func() {
		recover()
		pcs := make([]uintptr, 32)
		fmt.Print(places(pcs[:runtime.Callers(1, pcs)]))
	}()
	var p *int
	*p = 1
}

// waits waits for ever.
func waits() { select {} }

// stacks are those of all goroutines.
func stacks() (all []string) {
	records := make([]runtime.StackRecord, 32)
	n, _ := runtime.GoroutineProfile(records)
	for _, r := range records[:n] {
		all = append(all, places(r.Stack()))
	}
	return all
}

// places is a line for each frame in a Go file.
func places(pcs []uintptr) (text string) {
	for frames := runtime.CallersFrames(pcs); ; {
		f, more := frames.Next()
		if strings.HasSuffix(f.File, ".go") {
			text += fmt.Sprintf("%s %s:%d\n", f.Function, f.File, f.Line)
		}
		if !more {
			return text
		}
	}
}

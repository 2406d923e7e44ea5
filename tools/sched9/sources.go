package main

import (
	"fmt"
	"slices"

	"sched9/kernel/goruntime"
)

// saySources prints a line if images are made of a checkout's sources and this program was built
// from other ones.
func (s streams) saySources() error {
	src, err := goruntime.FindSources(".")
	if err != nil {
		return err
	}
	changed, err := src.Changed()
	if err != nil || len(changed) == 0 {
		return err
	}
	text := fmt.Sprintf("images are made of the sources in %s, which are not those of this tool: %s", src.Dir, changed[0])
	if n := len(changed) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	if i := slices.IndexFunc(changed, goruntime.Shared); i >= 0 {
		text += fmt.Sprintf("; build the tool anew, because %s is part of it too", changed[i])
	}
	fmt.Fprintf(s.err, "sched9: %s\n", text)
	return nil
}

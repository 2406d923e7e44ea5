package main

import (
	"context"
	"errors"
	"fmt"

	"sched9/tools/internal/hunt"
)

// trySaved tries the schedules that are saved in packages (sched9 hunt -save), each with the flags with which it was found, and reports whether one
// fails. What fails is told on standard error: standard output is go test's.
func (e *executor) trySaved(ctx context.Context, packages []testee) (failed bool, err error) {
	for _, p := range packages {
		if p.bad {
			continue
		}
		all, err := hunt.ReadSaved(p.dir)
		if err != nil {
			return failed, usageError{err}
		}
		tried := map[string]bool{}
		for _, s := range all {
			program := fmt.Sprintf("%q %q", s.Args, s.Flags)
			if s.Arch != e.guest.Arch || tried[program] {
				continue
			}
			tried[program] = true
			switch err := e.trySavedOf(ctx, p.dir, s); {
			case errors.Is(err, ended(statusFailed)):
				failed = true
			case err != nil:
				return failed, fmt.Errorf("%s: %w", s.Name, err)
			}
		}
	}
	return failed, nil
}

// trySavedOf tries all schedules of the program that s is of, in the package in dir.
func (e *executor) trySavedOf(ctx context.Context, dir string, s hunt.Saved) error {
	h := hunter{streams: streams{out: e.err, err: e.err}, onlyFail: true}
	f := h.newCommand().Flags()
	var flags []string
	for _, flag := range append([]string{"-arch=" + s.Arch, "-shrink=0"}, s.Flags...) {
		flags = append(flags, "-"+flag)
	}
	if err := f.Parse(flags); err != nil {
		return usageError{err}
	}
	h.noteFlags(f)
	return h.hunt(ctx, false, append([]string{dir}, s.Args...))
}

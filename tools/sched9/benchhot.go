package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sched9/kernel/goruntime"
	"sched9/tools/internal/image"
	"sched9/tools/internal/profile"
	"sched9/tools/internal/progress"
	"sched9/tools/internal/toolchain"
)

// hotOps are the operations whose calls are put in line.
var hotOps = []string{"gosched-2", "pingpong-1p", "spawn-batch"}

// What is put in line: a function that is called in every other of these operations or more, if it is small enough for the bytes to be
// worth the dozen of instructions that a call costs. One of the stock runtime's, which others call too, and one that several of the calls are of, stays
// in the image beside its copies: they are small with all that is put in line in them.
const (
	hotCalls  = 0.4
	hotSize   = 600 // bytes
	hotShared = 700
)

// hot makes the list of calls that the compiler puts in line (goruntime.HotList) anew: from what is called in an image without
// it, less those that the compiler refuses. The list is the checkout's, and is as before if it cannot be made.
func (b *bencher) hot(ctx context.Context, src image.Source, line *progress.Line) (err error) {
	sources, err := goruntime.FindSources(".")
	if err != nil {
		return err
	}
	if sources.Dir == "" {
		return usageError{errors.New("the list of calls is a file of a checkout of sched9: run it there")}
	}
	file := filepath.Join(sources.Dir, goruntime.HotList)
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, goruntime.Write(file, old))
		}
	}()
	if err := goruntime.Write(file, goruntime.FormatHot(nil)); err != nil {
		return err
	}
	called, symbols, err := b.callsOf(ctx, src, line)
	if err != nil {
		return err
	}
	calls, err := b.inSource(ctx, src, sources, called)
	if err != nil {
		return err
	}
	calls = slices.DeleteFunc(slices.Clone(calls), func(c goruntime.Call) bool {
		several := slices.ContainsFunc(calls, func(o goruntime.Call) bool { return o.To == c.To && o.From != c.From })
		return (several || profile.Owner(c.To) != profile.Ours) && wholeSize(calls, called, symbols, c.To) > hotShared
	})
	for {
		if err := goruntime.Write(file, goruntime.FormatHot(calls)); err != nil {
			return err
		}
		left, _, err := b.callsOf(ctx, src, line)
		if err != nil {
			return err
		}
		n := len(calls)
		calls = taken(calls, left)
		if len(calls) == n {
			line.Clear()
			return nil
		}
	}
}

// taken returns calls without those that the compiler has refused: that lead to one of left. One that is refused may be the only reason why those
// below it still happen: they stay, and get another try without it.
func taken(calls, left []goruntime.Call) []goruntime.Call {
	inner := map[string]bool{}
	for _, c := range calls {
		inner[c.To] = true
	}
	// leads reads calls while some are deleted.
	return slices.DeleteFunc(slices.Clone(calls), func(c goruntime.Call) bool {
		return slices.ContainsFunc(left, func(l goruntime.Call) bool { return l.To == c.To && !inner[l.From] && leads(calls, l.From, c.From) })
	})
}

// leads reports whether function to is put in line in from, by way of calls, or is from itself.
func leads(calls []goruntime.Call, from, to string) bool {
	return from == to || slices.ContainsFunc(calls, func(c goruntime.Call) bool { return c.To == to && leads(calls, from, c.From) })
}

// wholeSize is the size of a function with all that calls put in line in it. One that is not among those called was in line by itself.
func wholeSize(calls, called []goruntime.Call, symbols profile.Symbols, name string) (size uint64) {
	if slices.ContainsFunc(called, func(c goruntime.Call) bool { return c.To == name }) {
		size = symbols.Size(name)
	}
	for _, c := range calls {
		if c.From == name {
			size += wholeSize(calls, called, symbols, c.To)
		}
	}
	return size
}

// callsOf returns the calls in hotOps, between functions of the runtime's and our packages, that are worth being put in line, each once.
func (b *bencher) callsOf(ctx context.Context, src image.Source, line *progress.Line) (calls []goruntime.Call, symbols profile.Symbols, err error) {
	img, err := image.Build(ctx, src, image.Options{Arch: b.arch, Note: line.Say, Stderr: line.Writer(b.err)})
	if err != nil {
		return nil, symbols, err
	}
	if symbols, err = profile.NewSymbols(img.Exe); err != nil {
		return nil, symbols, err
	}
	for _, op := range hotOps {
		p, err := b.countOp(ctx, img, symbols, op, line)
		if err != nil {
			return nil, symbols, fmt.Errorf("%s: %w", op, err)
		}
		for c, times := range p.Calls {
			if times >= hotCalls && inRuntime(c.From) && inRuntime(c.To) && symbols.Size(c.To) <= hotSize && !slices.Contains(calls, goruntime.Call(c)) {
				calls = append(calls, goruntime.Call(c))
			}
		}
	}
	return calls, symbols, nil
}

// inRuntime reports whether a function is package runtime's or one of ours.
func inRuntime(name string) bool {
	return strings.HasPrefix(name, "runtime.") || profile.Owner(name) == profile.Ours
}

// inSource returns the calls as they are in the source of an image, each once.
func (b *bencher) inSource(ctx context.Context, src image.Source, sources goruntime.Sources, calls []goruntime.Call) ([]goruntime.Call, error) {
	t, err := toolchain.Find(ctx, src.Dir, func(string) {})
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	overlay, err := sources.Prepare(t.Root, b.arch, dir)
	if err != nil {
		return nil, err
	}
	calls, err = goruntime.Ways(t.Root, b.arch, overlay, calls)
	slices.SortFunc(calls, func(a, b goruntime.Call) int { return cmp.Compare(a.String(), b.String()) })
	return slices.Compact(calls), err
}

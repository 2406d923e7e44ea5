package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/u-root/u-root/pkg/core"
	"github.com/u-root/u-root/pkg/core/base64"
	"github.com/u-root/u-root/pkg/core/cat"
	"github.com/u-root/u-root/pkg/core/chmod"
	"github.com/u-root/u-root/pkg/core/cp"
	"github.com/u-root/u-root/pkg/core/find"
	"github.com/u-root/u-root/pkg/core/ls"
	"github.com/u-root/u-root/pkg/core/mkdir"
	"github.com/u-root/u-root/pkg/core/mktemp"
	"github.com/u-root/u-root/pkg/core/mv"
	"github.com/u-root/u-root/pkg/core/rm"
	"github.com/u-root/u-root/pkg/core/shasum"
	"github.com/u-root/u-root/pkg/core/tar"
	"github.com/u-root/u-root/pkg/core/touch"
	"mvdan.cc/sh/v3/interp"

	"sched9/names"
)

// A command is run by a goroutine of its own if it is in a pipe.
type command func(ctx context.Context, io interp.HandlerContext, args []string) error

// commands are all that there are.
var commands = map[string]command{
	"base64": uroot(base64.New), "cat": uroot(cat.New), "chmod": uroot(chmod.New), "find": uroot(find.New), "mktemp": uroot(mktemp.New), "shasum": uroot(shasum.New),
	"tar": uroot(tar.New), "touch": uroot(touch.New), "cp": uroot(cp.New), "ls": uroot(ls.New), "mkdir": uroot(mkdir.New), "mv": uroot(mv.New), "rm": uroot(rm.New),
	"echo": echo, "grep": grep, "kill": kill, "ps": ps, "sleep": sleep, "spin": spin,
}

// known are the commands' names.
func known() []string { return slices.Sorted(maps.Keys(commands)) }

// uroot makes a command of one of u-root's.
func uroot(make func() core.Command) command {
	return func(ctx context.Context, io interp.HandlerContext, args []string) error {
		c := make()
		c.SetIO(io.Stdin, io.Stdout, io.Stderr)
		c.SetWorkingDir(io.Dir)
		c.SetLookupEnv(func(name string) (string, bool) {
			v := io.Env.Get(name)
			return v.String(), v.IsSet()
		})
		return c.RunContext(ctx, args...)
	}
}

// echo writes its arguments, in one write: a ctl file takes one command at a time.
func echo(_ context.Context, io interp.HandlerContext, args []string) error {
	_, err := fmt.Fprintln(io.Stdout, strings.Join(args, " "))
	return err
}

// grep writes the lines of its input, or of files, that match, or with -v the others; -i: whatever the case.
func grep(_ context.Context, h interp.HandlerContext, args []string) error {
	flags := flag.NewFlagSet("grep", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	others, fold := flags.Bool("v", false, ""), flags.Bool("i", false, "")
	if err := flags.Parse(args); err != nil || flags.NArg() == 0 {
		return errors.New("usage: grep [-i] [-v] PATTERN [FILE...]")
	}
	text := flags.Arg(0)
	if *fold {
		text = "(?i)" + text
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		return err
	}
	search := func(from io.Reader) error {
		lines := bufio.NewScanner(from)
		for lines.Scan() {
			if pattern.Match(lines.Bytes()) == *others {
				continue
			}
			if _, err := fmt.Fprintln(h.Stdout, lines.Text()); err != nil {
				return err
			}
		}
		return lines.Err()
	}
	if flags.NArg() == 1 {
		return search(h.Stdin)
	}
	for _, name := range flags.Args()[1:] {
		if !filepath.IsAbs(name) {
			name = filepath.Join(h.Dir, name)
		}
		f, err := os.Open(name)
		if err == nil {
			err = errors.Join(search(f), f.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// kill makes goroutines panic, and so ends the program, unless they recover.
func kill(_ context.Context, _ interp.HandlerContext, args []string) error {
	for _, id := range args {
		if _, err := strconv.ParseUint(id, 10, 64); err != nil {
			return fmt.Errorf("%q is no goroutine's number", id)
		}
		if err := os.WriteFile("/proc/"+id+"/ctl", []byte("note killed"), 0); err != nil {
			return err
		}
	}
	return nil
}

// ps shows the goroutines as processes.
func ps(_ context.Context, io interp.HandlerContext, _ []string) error {
	all, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		return err
	}
	var gs []names.Goroutine
	for _, name := range all {
		status, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		wait, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "wait")) // it may end by now
		if g, ok := names.Parse(string(status), string(wait)); ok && g.ID == filepath.Base(filepath.Dir(name)) {
			gs = append(gs, g) // else it is Linux's
		}
	}
	return names.WriteTable(io.Stdout, gs)
}

// sleep sleeps.
func sleep(ctx context.Context, _ interp.HandlerContext, args []string) error {
	d, err := duration(args, 0)
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return err
}

// spin starts a goroutine that computes for a while, or until it is killed.
func spin(_ context.Context, io interp.HandlerContext, args []string) error {
	d, err := duration(args, time.Hour)
	if err != nil {
		return err
	}
	go spinning(time.Now().Add(d))
	return nil
}

// spinning computes until then.
func spinning(end time.Time) {
	defer func() {
		if why := recover(); why != nil {
			fmt.Fprintln(os.Stderr, "spin:", why)
		}
	}()
	for n := 1; n%1024 != 0 || time.Now().Before(end); n++ {
	}
}

// duration reads the only argument: seconds, or a duration of Go's.
func duration(args []string, usual time.Duration) (time.Duration, error) {
	if len(args) == 0 {
		return usual, nil
	}
	if s, err := strconv.ParseFloat(args[0], 64); err == nil {
		return time.Duration(s * float64(time.Second)), nil
	}
	return time.ParseDuration(args[0])
}

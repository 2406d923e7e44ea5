package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"sched9/tools/internal/files"
	"sched9/tools/internal/hunt"
	"sched9/tools/internal/image"
	"sched9/tools/internal/testfiles"
)

// wants says whether tests are hunted in, if args follow the package: those of a program, too, if -tests is given, or go test's -run.
func (h *hunter) wants(args []string) image.Test {
	names := func(a string) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		return strings.HasPrefix(a, "-") && strings.TrimPrefix(name, "test.") == "run"
	}
	switch {
	case h.tests:
		return image.OnlyTest
	case !h.testsSet && slices.ContainsFunc(args, names):
		return image.EitherTest
	}
	return image.MaybeTest
}

// testArgs makes of go test's flags those of a test binary. The limit on its time is -limit: the test's own would be a timer, with which no
// deadlock is seen.
func testArgs(args []string) (out []string, err error) {
	out = []string{"-test.timeout=0", "-test.paniconexit0"}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "-args" || a == "--args" {
			return append(out, args[i+1:]...), nil
		}
		name, value, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		name = strings.TrimPrefix(name, "test.")
		why, bad := refused[name]
		if name == "c" || name == "fuzz" {
			why, bad = "a hunt runs tests as they are", true
		}
		switch {
		case !strings.HasPrefix(a, "-"):
			return nil, fmt.Errorf("unexpected argument %q: only flags of go test follow a package, and -args", a)
		case bad:
			return nil, fmt.Errorf("-%s is not possible: %s", name, why)
		case slices.Contains(buildFlags, name):
			return nil, fmt.Errorf("-%s is a flag of the build: it comes before the package", name)
		case name == "timeout":
			return nil, errors.New("-timeout is a flag of sched9 hunt, and comes before the package; so is -limit")
		case has:
		case slices.Contains(testSwitches, name):
			value = "true"
		case i+1 == len(args):
			return nil, fmt.Errorf("-%s wants a value", name)
		default:
			i++
			value = args[i]
		}
		out = append(out, "-test."+name+"="+value)
	}
	return out, nil
}

// asTest gives the machine what a test has: its package's directory, arguments made of flags of go test, and an environment that is the same on each
// host. What else sched9 gotest gives a test would make each run longer, because all memory in use is put back after it.
func (h *hunter) asTest(img image.Image, flags []string) error {
	args, err := testArgs(flags)
	if err != nil {
		return usageError{err}
	}
	var set files.Set
	for _, dir := range []string{"/root", "/tmp"} {
		set.Dir(dir, 0o755)
	}
	saved := filepath.Join(img.Dir, hunt.SavedDir) // of which its files are no part, or to save one would change the others
	if err := set.Add(img.Dir, img.Dir, false, func(path string, _ fs.DirEntry) bool { return path == saved }); err != nil {
		return err
	}
	for _, f := range h.Guest.Files {
		set.Keep(f)
	}
	g := &h.Guest
	g.Files, g.Args = set.Records(), args
	g.Env = append(testfiles.Environ([]string{"HOME=/root", "TMPDIR=/tmp"}, img.Dir), g.Env...)
	return nil
}

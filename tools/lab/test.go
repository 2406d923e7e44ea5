package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
	"sched9/tools/internal/testfiles"
)

// BootTest is [Boot] for a package's own tests: it builds the test of the package in dir, as go test does, boots it with
// only the tests and examples whose names match the regular expression run, and returns the recording. The test has the
// files, working directory and environment that sched9 gotest gives it. It must pass, unless the caller asks for another
// status with Run.Exit; Run.Prints sees its output, with -test.v.
//
// A test's own goroutines have the package's path in their names:
//
//	run := lab.BootTest(t, ".", "^TestServer$", lab.VCPUs(4))
//	run.G("example.com/shop.handle").Ready().AtMost(2 * time.Millisecond)
//
// says that the test's handlers never wait more than 2 ms for a P.
func BootTest(t testing.TB, dir, run string, opts ...Option) *Run {
	t.Helper()
	return boot(t, dir, opts, func(ctx context.Context, g *guest.Guest) error { return tests.prepare(ctx, g, dir, run) })
}

// tests holds a test process's test executables, by architecture and directory.
var tests testCache

// testCache is built once for each key.
type testCache struct {
	lock sync.Mutex
	exes map[[2]string]testExe
}

// testExe is an executable as the go command builds it, and as it can be booted.
type testExe struct {
	data []byte
	img  image.Image
}

// prepare makes g a machine that boots the test in dir.
func (c *testCache) prepare(ctx context.Context, g *guest.Guest, dir, run string) error {
	full, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	name := filepath.Join(os.TempDir(), filepath.Base(full)+".test")
	exe, err := c.get(ctx, g.Arch, full, name)
	if err != nil {
		return err
	}
	args := append([]string{"-test.run=" + run, "-test.v", "-test.paniconexit0"}, g.Args...)
	set, err := testfiles.Of(testfiles.Program{Exe: exe.data, Path: name, Dir: full, Test: true, Args: args})
	if err != nil {
		return err
	}
	g.Name, g.Image, g.Args, g.Files = name, exe.img.Data, args, set.Records()
	g.Env = append(testfiles.Environ(os.Environ(), full), g.Env...)
	return nil
}

// get builds the test of the package in dir for arch, under a name in scratch space that is free again afterwards.
func (c *testCache) get(ctx context.Context, arch, dir, name string) (testExe, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	key := [2]string{arch, dir}
	if exe, ok := c.exes[key]; ok {
		return exe, nil
	}
	t, flags, err := image.Flags(ctx, dir, arch, nil, nil, func(string) {})
	if err != nil {
		return testExe{}, err
	}
	scratch, err := os.MkdirTemp("", "lab-")
	if err != nil {
		return testExe{}, err
	}
	defer os.RemoveAll(scratch)
	out := filepath.Join(scratch, "test")
	cmd := t.Command(ctx, dir, arch, slices.Concat([]string{"test", "-c", "-o", out, "-vet=off"}, flags, []string{"."})...)
	cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return testExe{}, fmt.Errorf("%w\n%s", err, strings.TrimSpace(string(said)))
	}
	data, err := os.ReadFile(out)
	if errors.Is(err, os.ErrNotExist) {
		return testExe{}, errors.New("it has no tests")
	}
	if err != nil {
		return testExe{}, err
	}
	img, err := image.Wrap(data, name, arch)
	if err != nil {
		return testExe{}, err
	}
	exe := testExe{data, img}
	if c.exes == nil {
		c.exes = map[[2]string]testExe{}
	}
	c.exes[key] = exe
	return exe, nil
}

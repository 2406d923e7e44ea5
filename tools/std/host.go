package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// judge is a test of the Go project that runs on this machine and starts programs of which it judges what they print. Here it
// boots each: its source is changed by swaps in an overlay.
type judge struct {
	pkg    string
	swaps  []swap
	prefix string   // of the names of the tests that are counted: what is behind it is the name in the list
	uses   []string // only tests are run that call one of these functions, if any is named
}

// swap replaces a text, which must be there, wherever it stands in a file of GOROOT/src.
type swap struct{ file, from, to string }

// Where the swapped text finds what to do.
const (
	flagsEnv = "SCHED9_GOFLAGS" // GOFLAGS for a program's build
	archEnv  = "SCHED9_ARCH"    // GOARCH for it
	bootEnv  = "SCHED9_BOOT"    // a script that boots an executable
	selfEnv  = "SCHED9_SELF"    // a script that boots the package's test
	vcpusEnv = "SCHED9_VCPUS"   // how many vCPUs they give it
)

// judges are the entries of the list that are no packages.
var judges = map[string]judge{
	// The runtime's programs that crash, dead-lock and trace, some of them its test itself, judged by that.
	"runtime/testdata": {
		pkg: "runtime", uses: []string{"buildTestProg", "Executable"},
		swaps: []swap{
			{"runtime/crash_test.go", "edited := false", `cmd.Env = append(cmd.Env, "CGO_ENABLED=0", "GOARCH="+os.Getenv("` + archEnv + `"), "GOFLAGS="+os.Getenv("` + flagsEnv + `")); edited := false`},
			// How many processors the programs have, not how many this machine has.
			{"runtime/gc_test.go", "runtime.NumCPU() < 4", `os.Getenv("` + vcpusEnv + `") < "4"`},
			{"runtime/proc_test.go", "if runtime.NumCPU() < 4 {", `if n, _ := syscall.Getenv("` + vcpusEnv + `"); n < "4" {`},
			{"runtime/proc_test.go", "if runtime.NumCPU() < 8 {", `if n, _ := syscall.Getenv("` + vcpusEnv + `"); n < "8" {`},
			// Flags of the compiler for all packages must not be for the runtime.
			{"runtime/crash_test.go", "exe}, flags...)...)", `exe}, append(flags[:len(flags):len(flags)], "-gcflags=runtime=", "-gcflags=internal/...=")...)...)`},
			{"runtime/crash_test.go", "target.exe = exe", `target.exe = exe + ".sh"; os.WriteFile(target.exe, []byte("#!/bin/sh\nexec "+os.Getenv("` + bootEnv + `")+" "+exe+" \"$@\"\n"), 0o755)`},
			{"runtime/traceback_system_test.go", "exe, err := os.Executable()", `exe, err := os.Getenv("` + selfEnv + `"), error(nil)`},
			{"internal/testenv/exec.go", "exe, err := exePath()\n\tif err", `exe, err := os.Getenv("` + selfEnv + `"), error(nil)` + "\n\tif err"},
		},
	},
	// The toolchain's test folder, as far as it is programs that are run: what is compiled alone has nothing to do with us.
	"test": {
		pkg: "cmd/internal/testdir", prefix: "Test/",
		swaps: []swap{
			{testdir, `"GOFLAGS=")` + "\n\toutput", `"GOFLAGS="+os.Getenv("` + flagsEnv + `"))` + "\n\toutput"},
			// The go command may have to build a tool first, which runs here.
			{testdir, `"GOFLAGS=")` + "\n\t\tif runInDir", `"GOFLAGS="+map[bool]string{false: os.Getenv("` + flagsEnv + `")}[args[1] == "tool"])` + "\n\t\tif runInDir"},
			{testdir, "if goos == runtime.GOOS && goarch == runtime.GOARCH {\n\t\treturn nil", `if boot := os.Getenv("` + bootEnv + `"); boot != "" {` + "\n\t\treturn []string{boot}"},
			{testdir, `"link", "-s", "-w",`, `"link", "-checklinkname=0",`},
			{testdir, "out, err = runcmd(append([]string{exe}, args...)...)", "out, err = runcmd(append(findExecCmd(), exe)...)"},
			{testdir, `cmd = []string{"./a.exe"}`, `cmd = append(findExecCmd(), "./a.exe")`},
			{testdir, "t.Run(path.Join(dir, goFile), ", "src, _ := os.ReadFile(filepath.Join(common.gorootTestDir, dir, goFile)); if !regexp.MustCompile(`" + runs + "`).Match(src) { continue }\n\t\t\tt.Run(path.Join(dir, goFile), "},
		},
	},
}

const testdir = "cmd/internal/testdir/testdir_test.go"

// runs matches the head of a file of the test folder of which a program is run.
const runs = `\A(//.*\n|\n)*// (run|runindir|rundir|runoutput|buildrun|buildrundir|errorcheckandrundir|errorcheckoutput)( .*)?\n`

// host runs a judge.
func (o options) host(ctx context.Context, e *entry, j judge) (result, error) {
	scratch, err := os.MkdirTemp("", "sched9-std-")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(scratch)
	tool, err := filepath.Abs(o.tool)
	if err != nil {
		return result{}, err
	}
	ask := exec.CommandContext(ctx, "sh", "-c", `vars=$("$0" env -arch "$1") && eval "$vars" && printf '%s\n%s' "$GOROOT" "$GOFLAGS"`, tool, o.arch)
	ask.Env = append(os.Environ(), "XDG_CACHE_HOME="+scratch) // another tree's sched9 may change the overlay where it usually lies
	out, err := ask.Output()
	if err != nil {
		return result{}, fmt.Errorf("sched9 env: %w", err)
	}
	root, flags, _ := strings.Cut(string(out), "\n")
	overlay, err := j.overlay(filepath.Join(root, "src"), scratch)
	if err != nil {
		return result{}, err
	}
	command := func(env []string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, filepath.Join(root, "bin", "go"), args...)
		cmd.Env = slices.Concat(os.Environ(), []string{"GOTOOLCHAIN=local", "GOROOT=" + root, "CGO_ENABLED=0"}, env)
		return cmd
	}
	args := []string{"test", "-overlay=" + overlay, "-json", "-count=1", "-vet=off", "-timeout=5h", fmt.Sprintf("-parallel=%d", max(o.jobs, 1))}
	boot, self, exe := filepath.Join(scratch, "boot"), filepath.Join(scratch, "self"), filepath.Join(scratch, "self.test")
	if j.uses != nil {
		tests, err := callers(filepath.Join(root, "src", filepath.FromSlash(j.pkg)), j.uses)
		if err != nil {
			return result{}, err
		}
		args = append(args, "-run=^("+strings.Join(tests, "|")+")$")
		build := command([]string{"GOARCH=" + o.arch, "GOFLAGS=" + flags}, "test", "-c", "-o", exe, j.pkg)
		if said, err := build.CombinedOutput(); err != nil {
			return result{}, fmt.Errorf("%s: %w: %s", j.pkg, err, said)
		}
	}
	for name, what := range map[string]string{boot: "", self: " " + exe} {
		script := "#!/bin/sh\nexec '" + tool + "' exec -smp ${" + vcpusEnv + ":-" + strconv.Itoa(defaultVCPUs) + "} -norecord -timeout 5m -back '" + os.TempDir() + "'" + what + " \"$@\"\n"
		if err := os.WriteFile(name, []byte(script), 0o755); err != nil {
			return result{}, err
		}
	}
	env := []string{"GOFLAGS=", flagsEnv + "=" + flags, archEnv + "=" + o.arch, bootEnv + "=" + boot, selfEnv + "=" + self}
	return e.run(j.prefix, func(r run) *exec.Cmd {
		words := slices.Concat(args, r.args, []string{j.pkg})
		if j.prefix != "" {
			words = append(words, "-target=linux/"+o.arch)
		}
		return command(append(env, vcpusEnv+"="+strconv.Itoa(r.vcpus)), words...)
	})
}

// overlay writes the judge's changed sources, and an overlay with them, of which it returns the name. src is GOROOT/src.
func (j judge) overlay(src, scratch string) (string, error) {
	texts, to := map[string]string{}, map[string]string{} // by the source's name
	for i, s := range j.swaps {
		from := filepath.Join(src, filepath.FromSlash(s.file))
		if _, ok := texts[from]; !ok {
			text, err := os.ReadFile(from)
			if err != nil {
				return "", err
			}
			texts[from], to[from] = string(text), filepath.Join(scratch, fmt.Sprintf("%d.go", i))
		}
		if !strings.Contains(texts[from], s.from) {
			return "", fmt.Errorf("%s has no %q any more", from, s.from)
		}
		texts[from] = strings.ReplaceAll(texts[from], s.from, s.to)
	}
	for from, text := range texts {
		if err := os.WriteFile(to[from], []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	name := filepath.Join(scratch, "overlay.json")
	data, err := json.Marshal(map[string]map[string]string{"Replace": to})
	return name, errors.Join(err, os.WriteFile(name, data, 0o644))
}

// callers are the tests of the package in dir that call one of the functions, themselves or by other functions.
func callers(dir string, functions []string) (tests []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	by := map[string][]string{} // the functions that mention one
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Body != nil {
				ast.Inspect(fn.Body, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						by[id.Name] = append(by[id.Name], fn.Name.Name)
					}
					return true
				})
			}
		}
	}
	seen := map[string]bool{}
	for called := slices.Clone(functions); len(called) > 0; called = called[1:] {
		for _, fn := range by[called[0]] {
			if !seen[fn] {
				seen[fn] = true
				called = append(called, fn)
				if strings.HasPrefix(fn, "Test") {
					tests = append(tests, fn)
				}
			}
		}
	}
	slices.Sort(tests)
	return tests, nil
}

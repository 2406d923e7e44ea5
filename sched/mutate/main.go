// Mutate breaks the scheduler, the protocol of a disk's slots and that of served calls on purpose, one small edit after
// the other, and has the hosted tests say whether they notice. An edit that they do not notice is a rule that
// nothing holds the code to.
//
//	go run ./sched/mutate [-run REGEXP] [-list|-json]
//
// The tree is not touched: each edit goes to the go command as an overlay. It prints what
// caught each, and the score; it fails if one survives, or if an edit no longer fits
// the source. An edit names a function and code in it; comments, layout, local names and files do not count.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"sched9/tools/edit"
)

// subject is a package that is broken.
type subject struct {
	dir       string // in the module
	stages    []stage
	mutations [][]mutation
}

var subjects = []subject{
	{"sched", scheduler, [][]mutation{queues, wakes, holds, seams, policies, wired}},
	{"drivers/virtioblk/slot", explored, [][]mutation{lines, owns}},
	{"kernel/ready", explored, [][]mutation{polleds}},
}

// mutation is an edit of one function of a subject.
type mutation struct {
	of     *subject
	name   string
	rule   string // of docs/SPEC.md, that it breaks
	in     string // the function: name, or Type.name
	breaks string // in words
	old    string // code that occurs once in it; comments, layout and local names do not count
	new    string
}

// all are all mutations.
func all() (list []mutation) {
	for i := range subjects {
		for _, some := range subjects[i].mutations {
			for _, m := range some {
				m.of = &subjects[i]
				list = append(list, m)
			}
		}
	}
	return list
}

// apply returns the path and the new text of the file in the module at root that the edit changes.
func (m *mutation) apply(root string) (file string, text []byte, err error) {
	f, err := edit.Find(filepath.Join(root, m.of.dir), m.in)
	if err == nil {
		file = f.File
		text, err = f.Replace(m.old, m.new)
	}
	if err != nil {
		return "", nil, fmt.Errorf("mutation %s, %s: %w", m.name, m.in, err)
	}
	return file, text, nil
}

// stage is a run of tests, the fastest first.
type stage struct {
	name string
	env  string
	args []string
}

// long are the scheduler's tests that take long; most mutations are met before.
const long = "^(TestMix.*|TestStress.*|TestPolicies|TestWorkConservationTurns)$"

var scheduler = []stage{
	{"explored, one preemption less", "MORE=-1", []string{"-tags", "explore", "-run", "^TestExplored$"}},
	{"hosted", "", []string{"-skip", long + "|^TestExploration$"}},
	{"explored", "MORE=0", []string{"-tags", "explore", "-run", "^(TestExplored|TestRandom)$"}},
	{"hosted, the long ones", "", []string{"-run", long}},
}

var explored = []stage{
	{"hosted", "", []string{"-skip", "^TestExploration$"}},
	{"explored", "MORE=0", []string{"-tags", "explore", "-run", "^TestExplored$"}},
}

// limit is how long a stage may take, including its build. The tests themselves notice, earlier,
// that something never ends; where one does not, its own limit, of 5 minutes, counts as what caught
// the mutation.
const limit = 6 * time.Minute

var (
	failed = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)
	broken = regexp.MustCompile(`\[(build|setup) failed\]`)
)

// judge runs the subject's stages with the overlay and returns what caught the mutation, "" if
// nothing did.
func (in *subject) judge(overlay string) (by string, err error) {
	for _, s := range in.stages {
		ctx, stop := context.WithTimeout(context.Background(), limit)
		args := append([]string{"test", "-overlay", overlay, "-failfast", "-timeout", "5m"}, s.args...)
		cmd := exec.CommandContext(ctx, "go", append(args, "sched9/"+in.dir)...)
		cmd.Env = append(os.Environ(), s.env)
		cmd.WaitDelay = 10 * time.Second
		out, err := cmd.CombinedOutput()
		stop()
		var status *exec.ExitError
		switch {
		case err == nil:
			continue
		case broken.Match(out) || !errors.As(err, &status):
			return "", fmt.Errorf("%v: %w\n%s", args, err, out)
		}
		if bytes.Contains(out, []byte("panic: test timed out")) {
			return fmt.Sprintf("the time limit (%s)", s.name), nil
		}
		names := failed.FindAllSubmatch(out, -1)
		if names == nil {
			return "", fmt.Errorf("no test says that it failed: %v: %w\n%s", args, err, out)
		}
		return fmt.Sprintf("%s (%s)", names[len(names)-1][1], s.name), nil
	}
	return "", nil
}

// run judges one mutation of the module at root.
func (m *mutation) run(root string) (by string, err error) {
	file, text, err := m.apply(root)
	if err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	from, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	to := filepath.Join(tmp, filepath.Base(file))
	if err := os.WriteFile(to, text, 0o644); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{from: to}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(tmp, "overlay.json")
	if err := os.WriteFile(overlay, data, 0o644); err != nil {
		return "", err
	}
	return m.of.judge(overlay)
}

// where returns the module's directory.
func where() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sched9").Output()
	if err != nil {
		return "", fmt.Errorf("where is sched9? Run this inside the module: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// main reads the flags.
func main() {
	only := flag.String("run", "", "only mutations whose name matches this regular expression")
	list := flag.Bool("list", false, "list them, and run nothing")
	data := flag.Bool("json", false, "print all as JSON, with their code, and run nothing")
	flag.Parse()
	err := error(nil)
	if *data {
		err = describe(os.Stdout)
	} else {
		err = score(*only, *list)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// describe prints all mutations for other programs: labs have them as wrong solutions.
func describe(to io.Writer) error {
	type described struct{ Dir, Name, Func, Old, New string }
	var list []described
	for _, m := range all() {
		list = append(list, described{m.of.dir, m.name, m.in, m.old, m.new})
	}
	return json.NewEncoder(to).Encode(list)
}

// trial is a mutation that is judged.
type trial struct {
	m    mutation
	done chan struct{}
	by   string
	err  error
	took time.Duration
}

// run judges it.
func (t *trial) run(root string) {
	began := time.Now()
	t.by, t.err = t.m.run(root)
	t.took = time.Since(began)
	close(t.done)
}

// score runs the mutations that match, as many at once as there are processors, and prints
// what became of each, in their order.
func score(only string, list bool) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	root, err := where()
	if err != nil {
		return err
	}
	var tried []*trial
	for _, m := range all() {
		if match.MatchString(m.name) {
			tried = append(tried, &trial{m: m, done: make(chan struct{})})
		}
	}
	queue := make(chan *trial)
	for range runtime.NumCPU() {
		go func() {
			for t := range queue {
				t.run(root)
			}
		}()
	}
	go func() {
		for _, t := range tried {
			if !list {
				queue <- t
			}
		}
		close(queue)
	}()
	caught := 0
	var alive []string
	for _, t := range tried {
		fmt.Printf("%-15s %-4s %s", t.m.name, t.m.rule, t.m.breaks)
		if list {
			fmt.Println()
			continue
		}
		<-t.done
		if t.err != nil {
			fmt.Println()
			return t.err
		}
		if t.by == "" {
			alive = append(alive, t.m.name)
			t.by = "NOBODY"
		} else {
			caught++
		}
		fmt.Printf(": caught by %s, %.0fs\n", t.by, t.took.Seconds())
	}
	switch {
	case len(tried) == 0:
		return fmt.Errorf("no mutation's name matches %q", only)
	case list:
		return nil
	}
	fmt.Printf("mutate: %d of %d caught\n", caught, len(tried))
	if alive != nil {
		return fmt.Errorf("these survive: %s", strings.Join(alive, " "))
	}
	return nil
}

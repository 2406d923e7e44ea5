// Explore tries all interleavings of the programs of package sched's tests with one preemption more
// than go test does, as far as a budget goes, and then runs them, and random ones, under orders
// that are drawn from seeds. It runs as many at once as there are processors, each in a process
// of its own, and prints a line for each, in their order.
//
//	go run ./sched/explore [-more N] [-states N] [-seeds N] [-run REGEXP]
//
// The budget is a number of states and runs, not of seconds: a run on another machine prints the
// same. What a program would need beyond it is not known; its line says NOT EXHAUSTED, and
// that nothing was found so far.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// job is one program, explored or run at random.
type job struct {
	kind, name string // as TestNames prints them
	done       chan struct{}
	out        []byte
	err        error
}

// tests are the tests that do a job of each kind.
var tests = map[string]string{"explored": "TestExplored", "random": "TestRandom"}

// run has the test binary do the job, in the directory of package sched.
func (j *job) run(binary, dir string, env []string) {
	defer close(j.done)
	cmd := exec.Command(binary, "-test.timeout", "4h", "-test.run", fmt.Sprintf("^%s$/^%s$", tests[j.kind], j.name))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	j.out, j.err = cmd.CombinedOutput()
}

// jobs asks the test binary for its jobs.
func jobs(binary, dir string, match *regexp.Regexp) (list []*job, err error) {
	cmd := exec.Command(binary, "-test.run", "^TestNames$")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	for line := range strings.Lines(string(out)) {
		kind, name, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && tests[kind] != "" && match.MatchString(kind+"/"+name) {
			list = append(list, &job{kind: kind, name: name, done: make(chan struct{})})
		}
	}
	return list, nil
}

// explore builds the test binary, runs all jobs, and prints their output.
func explore(only string, env []string) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "sched9/sched").Output()
	if err != nil {
		return fmt.Errorf("where is sched9/sched? Run this inside the module: %w", err)
	}
	dir := strings.TrimSpace(string(out))
	tmp, err := os.MkdirTemp("", "explore")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	binary := filepath.Join(tmp, "sched.test")
	if out, err := exec.Command("go", "test", "-c", "-tags", "explore", "-o", binary, "sched9/sched").CombinedOutput(); err != nil {
		return fmt.Errorf("go test -c: %w\n%s", err, out)
	}
	list, err := jobs(binary, dir, match)
	if err != nil {
		return err
	}
	began := time.Now()
	queue := make(chan *job)
	for range runtime.NumCPU() {
		go func() {
			for j := range queue {
				j.run(binary, dir, env)
			}
		}()
	}
	go func() {
		for _, j := range list {
			queue <- j
		}
		close(queue)
	}()
	failed, exhausted, explored := 0, 0, 0
	for _, j := range list {
		<-j.done
		if j.err != nil {
			failed++
			fmt.Printf("%s\n%s/%s: %v\n", j.out, j.kind, j.name, j.err)
			continue
		}
		for line := range strings.Lines(string(j.out)) {
			if strings.HasPrefix(line, "model: ") || strings.HasPrefix(line, "random: ") {
				fmt.Print(line)
			}
			if strings.HasPrefix(line, "model: ") {
				explored++
				if strings.Contains(line, ", exhausted, ") {
					exhausted++
				}
			}
		}
	}
	fmt.Printf("explore: %d of %d programs exhausted, %d run at random, %d failed, %.0fs\n", exhausted, explored, len(list)-explored-failed, failed, time.Since(began).Seconds())
	if failed > 0 {
		return fmt.Errorf("%d programs show errors", failed)
	}
	return nil
}

// main reads the flags.
func main() {
	more := flag.Int("more", 1, "preemptions more than go test allows")
	states := flag.Int("states", 1_500_000, "states and runs that a program may take")
	seeds := flag.Int("seeds", 500, "orders to draw for each program")
	only := flag.String("run", "", "only programs that match this regular expression, as explored/NAME or random/NAME")
	flag.Parse()
	env := []string{fmt.Sprintf("MORE=%d", *more), fmt.Sprintf("STATES=%d", *states), fmt.Sprintf("SEEDS=%d", *seeds)}
	if err := explore(*only, env); err != nil {
		fmt.Fprintln(os.Stderr, "explore:", err)
		os.Exit(1)
	}
}

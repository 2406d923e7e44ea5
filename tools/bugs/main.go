// Command bugs counts how often plain repetition on this machine shows the bugs of scenarios/bugs: each program is built
// as it is and run many times with each number of processors, and a run that fails, or leaves a goroutine that waits for
// ever, counts. Its numbers stand in the table of scenarios/bugs/README.md.
//
//	go run ./tools/bugs -runs 2000 -cpu 1,2,8 [NAME...]
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	runs := flag.Int("runs", 2000, "how often each program is run with each number of processors")
	cpus := flag.String("cpu", "1,2,8", "numbers of processors (GOMAXPROCS), with commas between them")
	mended := flag.Bool("mended", false, "run the mended twins")
	flag.Parse()
	if err := measure(flag.Args(), *runs, *cpus, *mended); err != nil {
		fmt.Fprintln(os.Stderr, "bugs:", err)
		os.Exit(2)
	}
}

// runLimit is how long one run may take before it counts as one that hangs.
const runLimit = 2 * time.Second

// measure prints a line for each program, all of them when names is empty: how many of its runs failed, for each number
// of processors, and the first failure.
func measure(names []string, runs int, cpus string, mended bool) error {
	if runs < 1 {
		return fmt.Errorf("-runs %d is not a positive number", runs)
	}
	all, err := catalogue("scenarios/bugs")
	if err != nil {
		return err
	}
	if len(names) == 0 {
		for _, b := range all {
			names = append(names, b.name)
		}
	}
	dir, err := os.MkdirTemp("", "bugs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, name := range names {
		b, ok := find(all, name)
		if !ok {
			return fmt.Errorf("there is no program scenarios/bugs/%s", name)
		}
		source := b.dir
		if mended {
			source += "/mended"
		}
		exe, err := build(source, dir, schedule{}, true)
		if err != nil {
			return err
		}
		line, first := b.name, ""
		for cpu := range strings.SplitSeq(cpus, ",") {
			n, err := strconv.Atoi(cpu)
			if err != nil || n < 1 {
				return errors.New("-cpu wants positive numbers with commas between them")
			}
			failed := 0
			for range runs {
				if out, err := run(exe, n, runLimit); err != nil {
					failed++
					first = err.Error() + ": " + firstLine(out)
				}
			}
			line += fmt.Sprintf(" | %d", failed)
		}
		fmt.Println(line, "|", first)
	}
	return nil
}

// firstLine is the first line of an output.
func firstLine(out string) string {
	line, _, _ := strings.Cut(out, "\n")
	return line
}

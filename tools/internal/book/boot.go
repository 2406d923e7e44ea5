package book

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sched9/trace"
)

// Boot carries out the words behind `sched9 run` in the tree at dir, returns what the program printed, and records it in a file.
type Boot func(dir string, args []string, recording string) (said string, err error)

// Tool is a Boot by the command sched9 of that name, which is relative to the tree.
func Tool(name string) Boot {
	return func(dir string, args []string, recording string) (string, error) {
		cmd := exec.Command(name, append([]string{"run", "-trace", recording}, args...)...)
		cmd.Dir = dir
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("%w\n%s%s", err, out, errs.String())
		}
		return string(out), nil
	}
}

// view boots a program, and reads its recording.
func (boot Boot) view(root string, args []string) (v *trace.View, said string, err error) {
	dir, err := os.MkdirTemp("", "book")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "run.s9")
	if said, err = boot(root, args, file); err != nil {
		return nil, "", err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	t, err := trace.Read(f)
	if err != nil {
		return nil, "", err
	}
	return t.View(), said, nil
}

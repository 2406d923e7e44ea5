package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// pointSource is the file that is added to a program: what its points call, and the end of main.
//
//go:embed testdata/point.go
var pointSource string

// buildLimit is how long one build may take, with a standard library that has to be compiled first.
const buildLimit = 10 * time.Minute

// build builds the program in dir, with the schedule laid over its source, into a file in out, and returns its name. With
// leaks it is built with the profile of leaked goroutines, for which the standard library is compiled once more.
func build(dir, out string, s schedule, leaks bool) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "main.go")
	source, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	text, err := s.apply(string(source))
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	work, err := os.MkdirTemp(out, filepath.Base(dir))
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for file, text := range map[string]string{"main.go": text, "point.go": pointSource, "pointtables.go": s.tables()} {
		replace[filepath.Join(dir, file)] = filepath.Join(work, file)
		if err := os.WriteFile(filepath.Join(work, file), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(work, "overlay.json"), overlay, 0o644); err != nil {
		return "", err
	}
	exe := filepath.Join(work, "program")
	ctx, cancel := context.WithTimeout(context.Background(), buildLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", filepath.Join(work, "overlay.json"), "-o", exe, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if leaks {
		cmd.Env = append(cmd.Env, "GOEXPERIMENT=goroutineleakprofile")
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build of %s: %w\n%s", dir, err, text)
	}
	return exe, nil
}

// errHangs is what run reports of a program that its limit ended.
var errHangs = errors.New("hangs")

// run runs a built program with so many processors and returns both its outputs. The error says how it ended when that
// was not with status 0.
func run(exe string, cpus int, limit time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", cpus))
	cmd.WaitDelay = time.Second
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err != nil && ctx.Err() != nil {
		err = errHangs
	}
	return out.String(), err
}

// Package toolchain finds the Go toolchain for a program, and makes sure that it can build an
// image.
//
// It is the toolchain that the go command itself would use in the program's directory: a toolchain
// line of its go.mod and GOTOOLCHAIN count.
package toolchain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Versions names the releases that images can be built with, for messages.
const Versions = "go1.26 and go1.27"

// supported matches what `go env GOVERSION` says of these releases: patch
// releases, release candidates and development versions of them too.
var supported = regexp.MustCompile(`^(?:devel )?go1\.(?:26|27)(?:\D|$)`)

// Toolchain is a Go toolchain whose GOROOT can be overlaid.
type Toolchain struct {
	Root    string // GOROOT, outside of the module cache
	Version string // "go1.26.8"
	Flags   string // the user's GOFLAGS
}

// environment is what the go command tells of itself.
type environment struct {
	GOROOT     string
	GOVERSION  string
	GOMODCACHE string
	GOFLAGS    string
}

// Find asks the go command in dir for its toolchain. Go build refuses an overlay for a toolchain in
// the module cache, so that one is copied first, once for each version; this takes seconds, and
// note is told. The error says what is missing, or names the version found and the supported ones.
func Find(ctx context.Context, dir string, note func(string)) (Toolchain, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return Toolchain{}, fmt.Errorf("no place for a copy of the toolchain: %w", err)
	}
	env, err := ask(ctx, dir)
	if err != nil {
		return Toolchain{}, err
	}
	if err := check(env.GOVERSION, dir); err != nil {
		return Toolchain{}, err
	}
	t := Toolchain{Root: env.GOROOT, Version: env.GOVERSION, Flags: env.GOFLAGS}
	if within(t.Root, env.GOMODCACHE) {
		name := strings.ReplaceAll(filepath.Base(t.Root), string(filepath.Separator), "-")
		t.Root, err = copied(ctx, t.Root, filepath.Join(cache, "sched9", "goroot"), name, note)
	}
	return t, err
}

// Version asks the go command in dir for its version and GOROOT, and copies
// nothing. The error is Find's.
func Version(ctx context.Context, dir string) (version, root string, err error) {
	env, err := ask(ctx, dir)
	if err != nil {
		return "", "", err
	}
	return env.GOVERSION, env.GOROOT, check(env.GOVERSION, dir)
}

// ask runs `go env` in dir.
func ask(ctx context.Context, dir string) (env environment, err error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return env, fmt.Errorf("the go command is not in PATH: install %s from https://go.dev/dl", Versions)
	}
	cmd := exec.CommandContext(ctx, path, "env", "-json", "GOROOT", "GOVERSION", "GOMODCACHE", "GOFLAGS")
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = errors.New(text)
		}
		return env, fmt.Errorf("go env: %w", err)
	}
	if err := json.Unmarshal(out, &env); err != nil {
		return env, fmt.Errorf("go env is not understood: %w", err)
	}
	return env, nil
}

// check wants one of Versions.
func check(version, dir string) error {
	if supported.MatchString(version) {
		return nil
	}
	return fmt.Errorf("the toolchain for %s is %s, but images are built with %s only", dir, version, Versions)
}

// within reports whether path is below dir, with symbolic links followed.
func within(path, dir string) bool {
	if dir == "" {
		return false
	}
	real := func(p string) string {
		if r, err := filepath.EvalSymlinks(p); err == nil {
			return r
		}
		return p
	}
	rel, err := filepath.Rel(real(dir), real(path))
	return err == nil && filepath.IsLocal(rel)
}

// Command is a go command of this toolchain and no other, to run in dir for
// linux/arch. A module's wish for a newer toolchain has been heard by Find.
func (t Toolchain) Command(ctx context.Context, dir, arch string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(t.Root, "bin", "go"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"GOROOT="+t.Root, "GOTOOLCHAIN=local",
		// GOAMD64 promises features of a CPU that is not known yet.
		"GOOS=linux", "GOARCH="+arch, "GOAMD64=v1")
	if dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+dir)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

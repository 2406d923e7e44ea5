package image

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	gobuild "go/build"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"sched9/kernel/goruntime"
	"sched9/tools/internal/toolchain"
)

// The servers of an image (package srv) use packages of other modules: the network stack. A program's own module knows
// nothing of those, so their sources go into the overlay too, below GOROOT/src, by other import paths
// (goruntime.Outside). They come from the module cache, at the versions in sched9's go.mod, and stay converted below the
// user's cache directory.

// addModules adds to the overlay, the file of that name, what servers need of other modules. If those modules cannot be had
// it tells why, and a program's package net has no server.
func addModules(ctx context.Context, t toolchain.Toolchain, s goruntime.Sources, overlay string, note func(string)) error {
	o, err := readOverlay(overlay)
	if err != nil {
		return err
	}
	src := filepath.Join(t.Root, "src")
	dir, err := convertedModules(ctx, t, s)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		note(fmt.Sprintf("no network in images: %v", err))
		delete(o.Replace, filepath.Join(src, filepath.FromSlash(goruntime.NetFile)))
	} else {
		err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if err == nil && filepath.Ext(name) == ".go" {
				rel, _ := filepath.Rel(dir, name)
				o.Replace[filepath.Join(src, rel)] = name
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	data, err := json.Marshal(o)
	return errors.Join(err, goruntime.Write(overlay, data))
}

// convertedModules returns the directory of the converted sources, which it makes if it is not there.
func convertedModules(ctx context.Context, t toolchain.Toolchain, s goruntime.Sources) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	all := filepath.Join(cache, "sched9", "modules")
	sum := sha256.New()
	if err := s.OutsideSum(sum); err != nil {
		return "", err
	}
	io.WriteString(sum, t.Version)
	dir := filepath.Join(all, fmt.Sprintf("%x", sum.Sum(nil)[:8]))
	if isDir(dir) {
		return dir, nil
	}
	if err := os.MkdirAll(all, 0o755); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(all, ".new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	places, err := download(ctx, t, s, scratch)
	if err != nil {
		return "", err
	}
	files, err := s.Outside(places, releases(t.Version))
	if err != nil {
		return "", err
	}
	made := filepath.Join(scratch, "src")
	for name, data := range files {
		if err := goruntime.Write(filepath.Join(made, filepath.FromSlash(name)), data); err != nil {
			return "", err
		}
	}
	if err := os.Rename(made, dir); err != nil && !isDir(dir) { // another may have made it
		return "", err
	}
	return dir, nil
}

// download returns the directories of the modules that servers use, by module path, from the module cache or else from
// the network. The go command runs in a module of its own, which is scratch, with sched9's requirements.
func download(ctx context.Context, t toolchain.Toolchain, s goruntime.Sources, scratch string) (map[string]string, error) {
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := s.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(scratch, name), data, 0o644)
		}
		if err != nil {
			return nil, err
		}
	}
	cmd := t.Command(ctx, scratch, "amd64", append([]string{"mod", "download", "-json"}, goruntime.Modules...)...)
	cmd.Env = append(cmd.Env, "GOFLAGS=", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	places := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var m struct{ Path, Dir, Error string }
		if d.Decode(&m) != nil {
			break
		}
		if m.Error != "" {
			return nil, fmt.Errorf("module %s: %s", m.Path, m.Error)
		}
		places[m.Path] = m.Dir
	}
	if err != nil {
		return nil, fmt.Errorf("go mod download: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return places, nil
}

// releases are the build tags of a toolchain's version and those before it.
func releases(version string) []string {
	rest, _ := strings.CutPrefix(version, "go1.")
	minor, _, _ := strings.Cut(rest, ".")
	last, err := strconv.Atoi(minor)
	if err != nil {
		return gobuild.Default.ReleaseTags
	}
	var tags []string
	for i := range last {
		tags = append(tags, fmt.Sprintf("go1.%d", i+1))
	}
	return tags
}

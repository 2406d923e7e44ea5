package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sched9/tools/internal/toolchain"
)

// usualVet are the analyzers that go test runs if it is not told which.
var usualVet = strings.Fields("atomic bool buildtags directive errorsas ifaceassert nilfunc printf slog stringintconv tests")

// vetAsked is what go test's arguments say of vet, "" if nothing.
func vetAsked(args []string) (list string) {
	for i, a := range args {
		if a == "-args" || a == "--args" {
			break
		}
		name, value, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		switch {
		case !strings.HasPrefix(a, "-") || name != "vet":
		case has:
			list = value
		case i+1 < len(args):
			list = args[i+1]
		}
	}
	return list
}

// finding is what vet has to say of one package: of a package's external test as of a package of its own.
type finding struct {
	id      string // as the go command calls it
	pkg     string // whose test will not be run
	message []string
}

// vet has go vet look at packages as go test does before it runs their tests, and returns those that may be run; of the others it tells. list is
// the value of -vet, flags are those of the build, words name the packages.
//
// Go test itself cannot do that. It has vet look at all imports too, each in its own directory, and the packages that the overlay adds to
// GOROOT have none; it then fails as a whole. So does go vet, but its findings are there.
func (e *executor) vet(ctx context.Context, t toolchain.Toolchain, list string, flags, words []string, packages []testee, told io.Writer) (left []testee, err error) {
	good := slices.DeleteFunc(slices.Clone(packages), func(p testee) bool { return p.bad })
	if len(good) == 0 {
		return packages, nil
	}
	args := slices.Concat([]string{"vet", "-json"}, flags)
	switch list {
	case "all":
	case "":
		list = strings.Join(usualVet, ",")
		fallthrough
	default:
		for name := range strings.SplitSeq(list, ",") {
			args = append(args, "-"+name)
		}
	}
	cmd := t.Command(ctx, "", e.guest.Arch, append(args, patterns(words, packages, good)...)...)
	cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	failed := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if said := vetFault(stderr.String()); failed != nil && said != "" {
		if line, _, _ := strings.Cut(said, "\n"); strings.HasPrefix(line, "flag provided") {
			return nil, usageError{fmt.Errorf("-vet=%s: go vet: %s", list, line)}
		}
		return nil, fmt.Errorf("go vet: %s", said)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	found, err := findings(&stdout, dir, good)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(packages), func(p testee) bool {
		return slices.ContainsFunc(found, func(f finding) bool { return f.pkg == p.path })
	}), tell(told, found)
}

// vetFault is what go vet says on standard error of itself, in place of packages: not that one does not compile, which
// go test says too, or that one of the overlay has no directory.
func vetFault(stderr string) string {
	var said []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "# ") { // a package: it does not compile
			return strings.Join(said, "\n")
		}
		if !strings.Contains(line, ": chdir ") {
			said = append(said, line)
		}
	}
	return strings.Join(said, "\n")
}

// findings reads what go vet -json writes. dir is the working directory, from which files are named.
func findings(r io.Reader, dir string, packages []testee) (all []finding, err error) {
	known := func(path string) bool {
		return slices.ContainsFunc(packages, func(p testee) bool { return p.path == path })
	}
	for d := json.NewDecoder(r); ; {
		var tree map[string]map[string]json.RawMessage // by the package's id and the analyzer
		if err := d.Decode(&tree); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go vet -json: %w", err)
		}
		for id, by := range tree {
			path, _, _ := strings.Cut(id, " ") // PATH [PATH.test]
			f := finding{id: id, pkg: path}
			if of, external := strings.CutSuffix(path, "_test"); external && !known(path) {
				f.pkg = of
			}
			for _, name := range slices.Sorted(maps.Keys(by)) {
				var found []struct{ Posn, Message string }
				if json.Unmarshal(by[name], &found) != nil {
					return nil, fmt.Errorf("go vet: %s: %s: %s", id, name, by[name])
				}
				for _, m := range found {
					f.message = append(f.message, short(m.Posn, dir)+": "+m.Message)
				}
			}
			if f.message != nil && known(f.pkg) {
				all = append(all, f)
			}
		}
	}
	slices.SortFunc(all, func(x, y finding) int { return cmp.Compare(x.id, y.id) })
	return all, nil
}

// short is a position, FILE:LINE:COLUMN, as go test names it: from dir on, if that is shorter.
func short(posn, dir string) string {
	rel, err := filepath.Rel(dir, posn)
	if err != nil || len(rel) >= len(posn) {
		return posn
	}
	if !strings.ContainsRune(rel, filepath.Separator) {
		return "." + string(filepath.Separator) + rel
	}
	return rel
}

// tell writes findings as events of go test -json.
func tell(w io.Writer, all []finding) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	type event struct {
		ImportPath  string `json:",omitempty"`
		Action      string
		Package     string `json:",omitempty"`
		Output      string `json:",omitempty"`
		Elapsed     *int   `json:",omitempty"`
		FailedBuild string `json:",omitempty"`
	}
	last := map[string]string{} // the id that is blamed, by package
	for _, f := range all {
		for _, line := range slices.Concat([]string{"# " + f.pkg, "# [" + f.id + "]"}, f.message) {
			enc.Encode(event{ImportPath: f.id, Action: "build-output", Output: line + "\n"})
		}
		enc.Encode(event{ImportPath: f.id, Action: "build-fail"})
		last[f.pkg] = f.id
	}
	for _, pkg := range slices.Sorted(maps.Keys(last)) {
		enc.Encode(event{Action: "start", Package: pkg})
		enc.Encode(event{Action: "output", Package: pkg, Output: "FAIL\t" + pkg + " [build failed]\n"})
		enc.Encode(event{Action: "fail", Package: pkg, Elapsed: new(int), FailedBuild: last[pkg]})
	}
	_, err := w.Write(text.Bytes())
	return err
}

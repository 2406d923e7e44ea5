package course

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Root is the tree that dir is in.
func Root(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(text, []byte("module sched9\n")) {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("labs are made of sched9's own tree: go into a checkout of it")
		}
		dir = up
	}
}

// copyTree copies the files that git knows of in the tree at root to the new folder dir.
func copyTree(ctx context.Context, root, dir string) error {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z")
	cmd.Dir = root
	list, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("git ls-files in %s: %w", root, err)
	}
	for _, name := range strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		from, to := filepath.Join(root, name), filepath.Join(dir, name)
		st, err := os.Lstat(from)
		if errors.Is(err, os.ErrNotExist) {
			continue // taken away, and not committed
		}
		if err != nil {
			return err
		}
		if !st.Mode().IsRegular() {
			return fmt.Errorf("%s is no file", from)
		}
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, data, st.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}

// What a student's repository is without: folders of the tree that hold pieces of solutions, and what is not of use there.
var (
	secret = []string{Folder, "sched/mutate"}
	beside = []string{".ci", "tools/std", "tools/bugs"}
)

// Scenarios are in a folder; these every student's repository has: the first program that README.md boots, and one that is part of the command.
const scenarios = "scenarios"

var always = []string{"tour", "selftest"}

// Files that only a student's repository has.
const (
	textAtTop  = "LAB.md"
	workflow   = ".github/workflows/lab.yml"
	makeTarget = `
# The points so far; build/lab has pages that show why some were lost.
.PHONY: lab
lab: setup $(SCHED9)
	$(SCHED9) lab grade -pages build/lab .
`
)

// workflowText has GitHub grade each push: in the student's own repository, so what counts in the end is what the teacher's checkout says.
const workflowText = `name: lab
on: [push]
jobs:
  grade:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-go@v5
        with:
          go-version-file: go.mod
      - run: make lab
      - uses: actions/upload-artifact@v4
        if: failure()
        with:
          name: pages
          path: build/lab
`

// New makes a student's repository of a lab in dir, which must not exist: the tree with holes, the lab's text as LAB.md, and the lab's file without
// wrong solutions, so that the student can grade the repository in itself.
func New(ctx context.Context, root string, l Lab, dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("%s is there already", dir)
	}
	files, err := l.own(root)
	if err != nil {
		return err
	}
	rest, err := l.unused(root)
	if err != nil {
		return err
	}
	if err := copyTree(ctx, root, dir); err != nil {
		return err
	}
	for _, name := range slices.Concat(secret, beside, rest) {
		if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	for name, data := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=sched9", "-c", "user.email=lab@localhost", "commit", "-q", "-m", "Lab " + l.Name},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}

// own are the files of a student's repository that differ from the tree's, or that the tree does not have, by name.
func (l *Lab) own(root string) (map[string][]byte, error) {
	files, err := l.cut(root)
	if err != nil {
		return nil, err
	}
	folder := Folder + "/" + l.Name + "/"
	for _, name := range append(l.pictures(root), labFile, textFile) {
		if files[folder+name], err = os.ReadFile(filepath.Join(root, Folder, l.Name, name)); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{textFile, "Makefile"} {
		if files[name], err = os.ReadFile(filepath.Join(root, name)); err != nil {
			return nil, err
		}
	}
	files[folder+labFile], _, _ = bytes.Cut(files[folder+labFile], []byte("\n[[wrong]]"))
	atTop := bytes.ReplaceAll(files[folder+textFile], []byte("](../../"), []byte("]("))
	for _, name := range l.pictures(root) {
		atTop = bytes.ReplaceAll(atTop, []byte("]("+name+")"), []byte("]("+folder+name+")"))
	}
	files[textAtTop] = atTop
	files[textFile] = fmt.Appendf(nil, "**This is lab %s: begin with [%s](%[2]s).**\n\n%s", l.Name, textAtTop, files[textFile])
	files["Makefile"] = append(files["Makefile"], makeTarget...)
	files[workflow] = []byte(workflowText)
	return files, nil
}

// used is how a lab's files name a scenario.
var used = regexp.MustCompile(`\b` + scenarios + `/(\w+)`)

// unused are the scenarios that the lab neither boots nor names.
func (l *Lab) unused(root string) (all []string, err error) {
	keep := slices.Clone(always)
	for _, p := range l.parts(Boot) {
		for _, run := range strings.Fields(p.Run) {
			name, _, _ := strings.Cut(run, "/")
			keep = append(keep, name)
		}
	}
	for _, name := range append(l.pictures(root), labFile, textFile) {
		data, err := os.ReadFile(filepath.Join(root, Folder, l.Name, name))
		if err != nil {
			return nil, err
		}
		for _, m := range used.FindAllSubmatch(data, -1) {
			keep = append(keep, string(m[1]))
		}
	}
	list, err := os.ReadDir(filepath.Join(root, scenarios))
	for _, e := range list {
		if e.IsDir() && !slices.Contains(keep, e.Name()) {
			all = append(all, scenarios+"/"+e.Name())
		}
	}
	return all, err
}

// Of is the name of the lab that dir, a student's repository, is of.
func Of(dir string) (string, error) {
	if names := Names(dir); len(names) == 1 {
		return names[0], nil
	}
	return "", fmt.Errorf("%s is no repository of one lab, made by sched9 lab new", dir)
}

// cut returns the files with holes, their bodies taken out.
func (l *Lab) cut(root string) (map[string][]byte, error) {
	files, err := l.originals(root)
	if err != nil {
		return nil, err
	}
	for _, h := range l.Holes {
		if files[h.File], err = fill(files[h.File], h.Func, h.hint(l.Name)); err != nil {
			return nil, fmt.Errorf("lab %s, %s: %w", l.Name, h.File, err)
		}
	}
	return files, nil
}

// originals are the files with holes as the tree has them.
func (l *Lab) originals(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range l.Files() {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		files[name] = data
	}
	return files, nil
}

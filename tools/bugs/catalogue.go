package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// bug is a row of the table in scenarios/bugs/README.md.
type bug struct {
	name  string
	dir   string // relative to the directory in which the catalogue was asked for
	kind  string
	shows string // what is in the output of a run that fails
}

// catalogue reads the table of dir/README.md.
func catalogue(dir string) ([]bug, error) {
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		return nil, err
	}
	var all []bug
	literal := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) != 7 || cells[0] == "name" || strings.HasPrefix(cells[0], "-") {
			continue
		}
		shows := literal.FindStringSubmatch(cells[2])
		if shows == nil {
			return nil, fmt.Errorf("%s: what a failing run of %s shows is not between backquotes", dir, cells[0])
		}
		all = append(all, bug{name: cells[0], dir: filepath.Join(dir, cells[0]), kind: cells[1], shows: shows[1]})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s/README.md has no table of seven columns", dir)
	}
	return all, nil
}

// find looks for a bug by name.
func find(all []bug, name string) (bug, bool) {
	i := slices.IndexFunc(all, func(b bug) bool { return b.name == name })
	if i < 0 {
		return bug{}, false
	}
	return all[i], true
}

package hunt

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// races is what a program that was built with -race says of a data race: two accesses with their stacks (docs/race.md).
var races = regexp.MustCompile(`(?m)^WARNING: DATA RACE\n((?:Read|Write) at .*\n(?:  .*\n)*)\n(Previous .*\n(?:  .*\n)*)`)

// frame matches a function and its line in such a stack.
var frame = regexp.MustCompile(`(?m)^  (\S.*)\(\)\n      (.*:\d+) `)

// race names the first data race of a program's output; "" if there is none. It has the same name whichever of the two accesses came first.
func race(output string) string {
	r := races.FindStringSubmatch(output)
	if r == nil {
		return ""
	}
	sides := []string{side(r[1]), side(r[2])}
	slices.Sort(sides)
	return "data race: " + strings.Join(sides, ", ")
}

// side names an access by the innermost function of its stack that is not the library's.
func side(access string) string {
	kind, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(access, "Previous ")), " ")
	for _, f := range frame.FindAllStringSubmatch(access, -1) {
		if !ofLibrary(f[1]) {
			return kind + " in " + f[1] + " at " + path.Base(f[2])
		}
	}
	return kind
}

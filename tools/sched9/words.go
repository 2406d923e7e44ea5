package main

import (
	"regexp"
	"strings"
)

// plain matches a word that means itself to a shell.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:=,@%+-]+$`)

// words is a command line of which a shell makes these words.
func words(all ...string) string {
	for i, w := range all {
		if !plain.MatchString(w) {
			all[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(all, " ")
}

package hunt

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SavedDir is where a package keeps schedules that have failed, each in a file SUM.seed.
const SavedDir = "testdata/hunt"

// Saved is a schedule that has failed, and what it was of: a hunt of the same tries it first.
type Saved struct {
	Title    string   `json:"title"` // what it failed with
	Arch     string   `json:"arch"`
	Args     []string `json:"args"`            // of the program, or flags of go test
	Flags    []string `json:"flags,omitempty"` // of sched9 hunt, as far as they decide what a schedule is and are the same on each host
	Seed     int      `json:"seed"`
	Strategy int      `json:"strategy,omitempty"` // its number, 0: the seed's
	Depth    int      `json:"depth,omitempty"`
	Moves    string   `json:"moves,omitempty"` // its cause, which then decides instead of the strategy
	Name     string   `json:"-"`               // the file's
}

// ReadSaved returns what the package in dir has, in the order of the files' names. It may have none.
func ReadSaved(dir string) (all []Saved, err error) {
	names, err := filepath.Glob(filepath.Join(escape(dir), SavedDir, "*.seed"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s := Saved{Name: name}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&s); err != nil {
			return nil, fmt.Errorf("%s is not of sched9 hunt -save: %w", name, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// Of reports whether s is of a program with these arguments, hunted in with these flags.
func (s Saved) Of(arch string, args, flags []string) bool {
	return s.Arch == arch && slices.Equal(s.Args, args) && slices.Equal(s.Flags, flags)
}

// escape makes a pattern of dir that means itself.
func escape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// Write saves s in the package in dir, and returns the file's name. Another failure of the same kind had the same one.
func (s Saved) Write(dir string) (name string, err error) {
	sum := fnv.New32a()
	fmt.Fprintf(sum, "%q %q %q", digits.ReplaceAllString(s.Title, "?"), s.Arch, s.Args)
	if len(s.Flags) > 0 {
		fmt.Fprintf(sum, " %q", s.Flags)
	}
	name = filepath.Join(dir, SavedDir, fmt.Sprintf("%08x.seed", sum.Sum32()))
	if s.Args == nil {
		s.Args = []string{}
	}
	text, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return "", err
	}
	return name, os.WriteFile(name, append(text, '\n'), 0o666)
}

// Again boots with what was saved.
func (h Hunt) Again(ctx context.Context, s Saved) (Verdict, error) {
	set := *h.Guest.Hunt
	set.Strategy, set.Depth, set.Moves = s.Strategy, s.Depth, s.Moves
	h.Guest.Hunt = &set
	v, err := h.Boot(ctx, s.Seed)
	v.Saved = &s
	return v, err
}

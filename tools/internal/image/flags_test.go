package image

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sched9/tools/internal/toolchain"
)

func TestSplitQuoted(t *testing.T) {
	for in, want := range map[string][]string{
		"":                          nil,
		" \t ":                      nil,
		"-a -b=c":                   {"-a", "-b=c"},
		` '-gcflags=all=-N -l' -x `: {"-gcflags=all=-N -l", "-x"},
		`"-ldflags=-X 'a.b=c d'"`:   {"-ldflags=-X 'a.b=c d'"},
		`-ldflags=-X='a`:            {`-ldflags=-X='a`},
		`''`:                        {""},
	} {
		if got, err := splitQuoted(in); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
	}
	if _, err := splitQuoted("-a '-b"); err == nil {
		t.Error("no error for a quote without its counterpart")
	}
}

func TestReadFlags(t *testing.T) {
	dir := tree(t, map[string]string{"prog/x": ""})
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		goflags string
		given   []string
		want    userFlags
	}{
		{"", nil, userFlags{}},
		{"-mod=mod --trimpath -tags=a,b", nil, userFlags{tags: []string{"a", "b"}}},
		{"-tags=a", []string{"-tags=c"}, userFlags{tags: []string{"c"}}},
		{"", []string{"-mod=vendor", "-trimpath=true"}, userFlags{both: []string{"-mod=vendor", "-trimpath=true"}}},
		{"-modfile=alt.mod", []string{"-pgo=/x"}, userFlags{both: []string{"-modfile=" + in("alt.mod"), "-pgo=/x"}}},
		{"-pgo=off -overlay=o.json", nil, userFlags{both: []string{"-pgo=off"}, overlay: in("o.json")}},
		{"-race", []string{"-race=false"}, userFlags{both: []string{"-race=false"}}},
		{"-race -tags=a", []string{"-gcflags=./prog=-N"}, userFlags{tags: []string{"a", "race"}, both: []string{"-race=false"},
			build: []string{"-gcflags=all=-race", "-gcflags=./.=-N -race"}}},
		{"'-ldflags=-s -w'", []string{"-ldflags=./prog=-X=a.b=c"}, userFlags{link: []string{"-s -w", "./.=-X=a.b=c"}}},
		{"-gcflags=-m", []string{"-gcflags=./...=-N -l", "-gcflags=all=-S"}, userFlags{build: []string{"-gcflags=-m", "-gcflags=./../...=-N -l", "-gcflags=all=-S"}}},
	} {
		u, err := readFlags(c.goflags, c.given, in("prog"))
		if err != nil || !slices.Equal(u.both, c.want.both) || !slices.Equal(u.build, c.want.build) ||
			!slices.Equal(u.tags, c.want.tags) || !slices.Equal(u.link, c.want.link) || u.overlay != c.want.overlay {
			t.Errorf("%s %q: %+v, %v, want %+v", c.goflags, c.given, u, err, c.want)
		}
	}
	for flag, want := range map[string]string{"-msan=1": "say -msan=false", "-asan=maybe": "neither", "'-x": "counterpart"} {
		if _, err := readFlags(flag, nil, dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", flag, err)
		}
	}
	hot, err := hotDir()
	if err != nil {
		t.Fatal(err)
	}
	if u, err := readFlags("-gcflags=runtime=-pgoprofile="+hot+"/0 -gcflags=-m", nil, dir); err != nil || !slices.Equal(u.build, []string{"-gcflags=-m"}) {
		t.Errorf("with what sched9 env sets: %v, %v", u.build, err)
	}
}

// TestAddCalls: what makes calls of the functions of sync/atomic is in each of the user's -gcflags, too.
func TestAddCalls(t *testing.T) {
	u, err := readFlags("", []string{"-gcflags=-N", "-modfile=/m"}, ".")
	if err != nil {
		t.Fatal(err)
	}
	u.addCalls()
	if want := []string{"-gcflags=all=" + noIntrinsics, "-gcflags=-N " + noIntrinsics}; !slices.Equal(u.build, want) {
		t.Errorf("%q, want %q", u.build, want)
	}
}

func TestLinker(t *testing.T) {
	u := userFlags{link: []string{" -s -w ", "", "all=-X=a.b=c", "std="}}
	want := []string{"-ldflags=O", "-ldflags=-s -w O", "-ldflags=O", "-ldflags=all=-X=a.b=c O", "-ldflags=std=O"}
	if got := u.linker("O"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFlags builds a program that compiles only if the go command hears all of its flags.
func TestFlags(t *testing.T) {
	dir := tree(t, map[string]string{
		"prog/go.mod":  "module example.com/prog\n",
		"prog/main.go": "//go:build wanted\n\npackage main\n\nimport \"example.com/dep\"\n\nfunc main() { dep.Do(); added() }\n",
		"dep/go.mod":   "module example.com/dep\n\ngo 1.26\n",
		"dep/dep.go":   "package dep\n\nfunc Do() {}\n",
		"alt.mod":      "module example.com/prog\n\ngo 1.26\n\nrequire example.com/dep v1.0.0\nreplace example.com/dep => ../dep\n",
		"added.go":     "package main\n\nfunc added() {}\n",
	})
	overlay := map[string]map[string]string{"Replace": {"prog/added.go": "added.go"}}
	text, err := json.Marshal(overlay)
	if err == nil {
		err = os.WriteFile("o.json", text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-overlay=o.json '-ldflags=-s -w'")
	if _, said, err := build(t, Options{Flags: []string{"-modfile=alt.mod", "-tags=wanted"}}, "./prog"); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	t.Setenv("GOFLAGS", "-overlay="+filepath.Join(dir, "o.json"))
	tc, err := toolchain.Find(t.Context(), dir, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	overlay["Replace"][filepath.Join(tc.Root, "src/runtime/proc.go")] = ""
	if text, err = json.Marshal(overlay); err == nil {
		err = os.WriteFile("o.json", text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := build(t, Options{Flags: []string{"-modfile=alt.mod", "-tags=wanted"}}, "./prog"); err == nil || !strings.Contains(err.Error(), "runtime/proc.go, which an image has in another form") {
		t.Errorf("an overlay over ours: %v", err)
	}
}

package main

import "github.com/spf13/pflag"

// goFlags adds the flags of go build that a program's build takes; to gets them in their
// order, of the form -NAME=VALUE.
func goFlags(f *pflag.FlagSet, to *[]string) {
	for _, g := range []struct{ name, usage, bare string }{
		{"gcflags", "`[PATTERN=]FLAGS` for the compiler, as go build has them", ""},
		{"ldflags", "`[PATTERN=]FLAGS` for the linker, as in -X=main.version=1", ""},
		{"mod", "`mode` of module downloads: readonly, vendor or mod", ""},
		{"modfile", "`file` to read in place of go.mod", ""},
		{"pgo", "`file` with a profile for the compiler, auto or off", ""},
		{"race", "find data races", "true"},
		{"tags", "build `tags`, separated by commas", ""},
		{"trimpath", "leave directories of this machine out of the program", "true"},
	} {
		flag := goFlag{name: g.name, kind: "string", to: to}
		if g.bare != "" {
			flag.kind = "bool"
		}
		f.VarPF(&flag, g.name, "", g.usage).NoOptDefVal = g.bare
	}
}

// goFlag is one of them.
type goFlag struct {
	name, kind string
	to         *[]string
}

// Set notes a use of the flag. The go command itself reports a wrong value.
func (g *goFlag) Set(s string) error {
	*g.to = append(*g.to, "-"+g.name+"="+s)
	return nil
}

// String is the default: none.
func (g *goFlag) String() string { return "" }

// Type is what the flag library calls the value.
func (g *goFlag) Type() string { return g.kind }

package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// normalize makes flags of Go's form, "-smp 4", into those that the flag
// library takes, "--smp 4". What follows the program's name on the command
// line of `sched9 run` is the guest's and stays as it is. Flags of go test
// before the first package of `sched9 gotest` come behind sched9's.
func normalize(root *cobra.Command, args []string) []string {
	cmd := root
	var out, test []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return slices.Concat(out, args[i:i+1], test, args[i+1:])
		case cmd.Annotations[goTestArgs] != "" && strings.TrimLeft(arg, "-") == "args":
			return slices.Concat(out, []string{"--"}, test, args[i:])
		}
		if len(arg) < 2 || arg[0] != '-' {
			out = append(out, arg)
			if sub := command(cmd, arg); sub != nil {
				cmd = sub
			} else if cmd.Annotations[guestArgs] != "" {
				if test != nil {
					return slices.Concat(out[:len(out)-1], []string{"--"}, test, args[i:])
				}
				return append(out, args[i+1:]...)
			}
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		flag := lookup(cmd, name)
		if took := testFlag(args[i:]); flag == nil && took > 0 && cmd.Annotations[goTestArgs] != "" {
			test = append(test, args[i:i+took]...)
			i += took - 1
			continue
		}
		switch {
		case strings.HasPrefix(arg, "--"):
		case flag != nil && len(name) > 1:
			arg = "-" + arg
		case flag == nil && cmd.Flags().ShorthandLookup(arg[1:2]) == nil:
			arg = "-" + arg // an unknown flag, which the library shall name whole
		}
		out = append(out, arg)
		if flag != nil && flag.NoOptDefVal == "" && !hasValue && i+1 < len(args) {
			i++
			out = append(out, args[i])
		}
	}
	if test != nil {
		out = append(append(out, "--"), test...)
	}
	return out
}

// goTestArgs is the annotation of commands that also take go test's flags.
const goTestArgs = "test-args"

// guestArgs is the annotation of commands whose arguments from the second on
// are the guest's.
const guestArgs = "guest-args"

// command is cmd's command called name, or nil.
func command(cmd *cobra.Command, name string) *cobra.Command {
	for _, c := range cmd.Commands() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}

// lookup finds cmd's flag by its name or its letter, or nil.
func lookup(cmd *cobra.Command, name string) *pflag.Flag {
	cmd.InitDefaultHelpFlag()
	if len(name) == 1 {
		return cmd.Flags().ShorthandLookup(name)
	}
	return cmd.Flags().Lookup(name)
}

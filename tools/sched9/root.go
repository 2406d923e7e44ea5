package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/spf13/cobra"

	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
)

// Exit statuses of sched9's own, beside those of package guest.
const (
	statusFailed = 1 // the program cannot be booted, or a scenario failed
	statusUsage  = 2 // the command line is wrong
)

// streams are where a command writes.
type streams struct{ out, err io.Writer }

// ended is an error that carries only sched9's exit status: everything has been reported already.
type ended int

// Error is for programmers; users do not see it.
func (e ended) Error() string { return fmt.Sprintf("status %d", int(e)) }

// usageError says that the command line is wrong.
type usageError struct{ error }

// execute runs sched9 with the given arguments and returns its exit status.
func execute(ctx context.Context, args []string, out, err io.Writer) int {
	root := newRoot(streams{out, err})
	root.SetArgs(normalize(root, args))
	return status(ctx, root.ExecuteContext(ctx), err)
}

// status tells the user of a command's error, a line, and returns the status
// that goes with it.
func status(ctx context.Context, err error, w io.Writer) int {
	var end ended
	var bad *image.ProgramError
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &end):
		return int(end)
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(w, "sched9: interrupted")
		return guest.StatusInterrupt
	}
	fmt.Fprintf(w, "sched9: %v\n", err)
	switch {
	case errors.As(err, &bad):
		return statusFailed
	case errors.As(err, &usage):
		return statusUsage
	}
	return guest.StatusHost
}

// The library has one table of such functions, and no lock for it.
func init() { cobra.AddTemplateFunc("oneDash", oneDash) }

// newRoot makes the tree of commands.
func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:               "sched9",
		Short:             "boots ordinary Go programs on bare metal in QEMU",
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("there is no command %q: see sched9 help", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(s.err)
			cmd.Help()
			return ended(statusUsage)
		},
	}
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usageError{errors.New(oneDash(err.Error()))}
	})
	root.SetUsageTemplate(usage)
	root.AddCommand(newRun(s), newBuild(s), newTest(s), newSoak(s), newBench(s), newTrace(s), newDoctor(s), newSelftest(s))
	root.AddCommand(newHunt(s), newCompare(s), newLab(s), newTop(s), newPS(s), newKill(s), newNine(s), newMount(s), newGotest(s), newExec(s), newEnv(s))
	return root
}

// usage is the text of a command's help, after its description.
const usage = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}

"{{.CommandPath}} help COMMAND" tells more.{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | oneDash | trimTrailingWhitespaces}}{{end}}
`

// longFlag is a flag of two dashes in a text.
var longFlag = regexp.MustCompile(`--([a-z0-9])`)

// oneDash writes flags with one dash, as this command takes them.
func oneDash(text string) string { return longFlag.ReplaceAllString(text, "-$1") }

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sched9/tools/internal/doctor"
)

// newDoctor makes the command `sched9 doctor`.
func newDoctor(s streams) *cobra.Command {
	var arch string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "says what is missing on this machine, and the command that mends it",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("unexpected argument %q", args[0])}
			}
			return examine(cmd.Context(), s, arch)
		},
	}
	archFlag(cmd, &arch)
	return cmd
}

// examine prints what the doctor found, and ends with 1 if something needed is
// missing.
func examine(ctx context.Context, s streams, arch string) error {
	healthy := true
	for _, f := range doctor.Examine(ctx, ".", arch) {
		word := "ok     "
		switch {
		case !f.OK && f.Needed:
			word = "MISSING"
			healthy = false
		case !f.OK:
			word = "without"
		}
		fmt.Fprintf(s.out, "%s  %-6s  %s\n", word, f.What, f.Answer)
		if !f.OK && f.Mend != "" {
			fmt.Fprintf(s.out, "                 %s\n", f.Mend)
		}
	}
	if !healthy {
		return ended(statusFailed)
	}
	return nil
}

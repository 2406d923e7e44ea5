package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	sources "sched9"
	"sched9/kernel/goruntime"
	"sched9/qemu"
	"sched9/tools/internal/image"
)

// newSelftest makes the command `sched9 selftest`.
func newSelftest(s streams) *cobra.Command {
	r := runner{streams: s, parts: []goruntime.Part{goruntime.Names}}
	var format, output string
	cmd := &cobra.Command{
		Use:   "selftest [flags] [STEP...]",
		Short: "boots a program that tries a machine, or makes an image of it for a new board",
		Long: `Selftest boots a program that says what the machine is, tries on every processor what the scheduler stands on, and shows a table
(docs/board.md). With -o it makes an image of it instead, of one of sched9 build's formats, as for a USB stick: what a new board
boots first. STEPs choose rows of the table. The status is 1 if a row is wrong.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			board(cmd, &r.guest)
			dir, err := os.MkdirTemp("", qemu.Scratch("selftest"))
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			program := filepath.Join(dir, "selftest")
			if err := unpack(program); err != nil {
				return err
			}
			if output == "" {
				if format != "" {
					return usageError{errors.New("-format is for -o IMAGE")}
				}
				return r.run(cmd.Context(), append([]string{program}, args...))
			}
			if len(args) > 0 {
				return usageError{fmt.Errorf("an image tries all steps: unexpected argument %q", args[0])}
			}
			o := image.Options{Arch: r.guest.Arch, Parts: r.parts}
			return buildImage(cmd.Context(), s, o, format, output, []string{program})
		},
	}
	machineFlags(cmd, &r.guest)
	viaFlag(cmd, &r.guest.Via)
	cmd.Flags().Lookup("smp").DefValue = "4"
	r.guest.SMP = 4
	cmd.Flags().Lookup("timeout").DefValue = "5m0s"
	r.guest.Timeout = 5 * time.Minute
	cmd.Flags().StringVar(&format, "format", "", "with -o, boot `protocol` or medium, as of sched9 build")
	cmd.Flags().StringVarP(&output, "output", "o", "", "make an image, this `file`, and do not boot it")
	cmd.Flags().BoolVarP(&r.verbose, "verbose", "v", false, "say more about build and machine")
	return cmd
}

// unpack writes the program to dir, a module of its own.
func unpack(dir string) error {
	const from = "scenarios/selftest"
	files, err := fs.ReadDir(sources.Selftest, from)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module selftest\n\ngo 1.26\n"), 0o644); err != nil {
		return err
	}
	for _, f := range files {
		data, err := fs.ReadFile(sources.Selftest, path.Join(from, f.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name()), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

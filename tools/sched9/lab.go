package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"sched9/tools/internal/course"
	"sched9/tools/internal/progress"
)

// newLab makes the command `sched9 lab`.
func newLab(s streams) *cobra.Command {
	l := labs{streams: s}
	cmd := &cobra.Command{
		Use:   "lab COMMAND",
		Short: "labs for a course: the scheduler with holes, and a grader",
		Long: `Lab makes labs of the scheduler's own code, in a checkout of sched9: functions are taken out, a student writes them, and tests, the explorer and
recorded boots judge them. The labs are in the folder labs.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("there is no command %q: see sched9 help lab", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(s.err)
			cmd.Help()
			return ended(statusUsage)
		},
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "names the labs",
			RunE: func(_ *cobra.Command, args []string) error { return l.list(args) },
		},
		&cobra.Command{
			Use: "new LAB DIR", Short: "makes a student's repository of a lab",
			RunE: func(cmd *cobra.Command, args []string) error { return l.make(cmd.Context(), args) },
		})
	cmd.AddCommand(&cobra.Command{
		Use: "check [LAB...]", Short: "grades the grader: with the tree's own code, with nothing, and with each lab's wrong solutions",
		RunE: func(cmd *cobra.Command, args []string) error { return l.check(cmd.Context(), args) },
	})
	grade := &cobra.Command{
		Use: "grade [flags] LAB DIR", Short: "grades a student's repository",
		Long: `Grade tries each part of a lab with what a student has written in DIR, and says what was seen where points are lost. Only the files
with holes are taken from DIR; all else comes from this checkout. The same solution gets the same report. The status is 0 for all points, 1 for fewer.`,
		RunE: func(cmd *cobra.Command, args []string) error { return l.grade(cmd.Context(), args) },
	}
	grade.Flags().BoolVar(&l.json, "json", false, "print the grade as JSON")
	grade.Flags().BoolVar(&l.gradescope, "gradescope", false, "print the grade as Gradescope's results.json")
	cmd.AddCommand(grade)
	return cmd
}

// labs is one `sched9 lab`.
type labs struct {
	streams
	json, gradescope bool
}

// list is `sched9 lab list`.
func (l *labs) list(args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("unexpected argument %q", args[0])}
	}
	root, err := course.Root(".")
	if err != nil {
		return usageError{err}
	}
	for _, name := range course.Names(root) {
		lab, err := course.Load(root, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(l.out, "%-12s %s (%d points)\n", name, lab.About, lab.Points())
	}
	return nil
}

// find is the tree and the lab that args, LAB DIR, speak of.
func (l *labs) find(args []string) (root string, lab course.Lab, err error) {
	if len(args) != 2 {
		return "", lab, usageError{errors.New("it takes a lab's name and a directory")}
	}
	if root, err = course.Root("."); err != nil {
		return "", lab, usageError{err}
	}
	if lab, err = course.Load(root, args[0]); err != nil {
		return "", lab, usageError{err}
	}
	return root, lab, nil
}

// make is `sched9 lab new`.
func (l *labs) make(ctx context.Context, args []string) error {
	root, lab, err := l.find(args)
	if err != nil {
		return err
	}
	if err := course.New(ctx, root, lab, args[1]); err != nil {
		return err
	}
	fmt.Fprintf(l.out, "lab %s is in %s; LAB.md there says what to do\n", lab.Name, args[1])
	return nil
}

// grade is `sched9 lab grade`.
func (l *labs) grade(ctx context.Context, args []string) error {
	root, lab, err := l.find(args)
	if err != nil {
		return err
	}
	if l.json && l.gradescope {
		return usageError{errors.New("-json and -gradescope are two forms of one report: take one")}
	}
	if st, err := os.Stat(args[1]); err != nil || !st.IsDir() {
		return usageError{fmt.Errorf("%s is no directory", args[1])}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	line := progress.New(l.err)
	defer line.Clear()
	g := course.Grader{Root: root, Sched9: self, Note: line.Say}
	grade, err := g.Grade(ctx, lab, args[1])
	line.Clear()
	if err != nil {
		return err
	}
	switch {
	case l.json:
		err = grade.JSON(l.out)
	case l.gradescope:
		err = grade.Gradescope(l.out)
	default:
		err = grade.Print(l.out)
	}
	if err == nil && grade.Points < grade.Of {
		err = ended(statusFailed)
	}
	return err
}

// check is `sched9 lab check`.
func (l *labs) check(ctx context.Context, names []string) error {
	root, err := course.Root(".")
	if err != nil {
		return usageError{err}
	}
	if len(names) == 0 {
		names = course.Names(root)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	line := progress.New(l.err)
	defer line.Clear()
	failed := false
	for _, name := range names {
		lab, err := course.Load(root, name)
		if err != nil {
			return usageError{err}
		}
		g := course.Grader{Root: root, Sched9: self, Note: func(what string) { line.Say(name + ": " + what) }}
		bad, err := g.Check(ctx, lab)
		line.Clear()
		if err != nil {
			return fmt.Errorf("lab %s: %w", name, err)
		}
		for _, b := range bad {
			fmt.Fprintf(l.out, "FAIL %s: %s\n", name, b)
		}
		if failed = failed || len(bad) > 0; len(bad) == 0 {
			fmt.Fprintf(l.out, "ok   %s: %d wrong solutions lose what they must\n", name, len(lab.Wrong))
		}
	}
	if failed {
		return ended(statusFailed)
	}
	return nil
}

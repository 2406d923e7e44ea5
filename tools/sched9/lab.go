package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

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
	check := &cobra.Command{
		Use: "check [flags] [LAB...]", Short: "grades the grader: with the tree's own code, with nothing, and with each lab's wrong solutions",
		RunE: func(cmd *cobra.Command, args []string) error { return l.check(cmd.Context(), args) },
	}
	check.Flags().StringVar(&l.run, "run", "", "only solutions whose names match `regexp`")
	cmd.AddCommand(check)
	rank := &cobra.Command{
		Use: "rank LAB DIR...", Short: "ranks students' solutions of a lab that has a contest",
		Long: `Rank runs the contest's program of a lab under the policy that each student's repository has, and sorts them by how long goroutines of one kind
wait for a P: of 100 waits the longest but one. The tree's own solution and the usual policy have places too. Instructions are counted: a
ranking is the same each time.`,
		RunE: func(cmd *cobra.Command, args []string) error { return l.rank(cmd.Context(), args) },
	}
	cmd.AddCommand(rank)
	grade := &cobra.Command{
		Use: "grade [flags] DIR", Short: "grades a student's repository",
		Long: `Grade tries each part of a lab with what a student has written in DIR, and says what was seen where points are lost. Only the files
with holes are taken from DIR; all else comes from this checkout, which may be DIR itself. The same solution gets the same report. The status
is 0 for all points, 1 for fewer.`,
		RunE: func(cmd *cobra.Command, args []string) error { return l.grade(cmd.Context(), args) },
	}
	grade.Flags().BoolVar(&l.json, "json", false, "print the grade as JSON")
	grade.Flags().BoolVar(&l.gradescope, "gradescope", false, "print the grade as Gradescope's results.json")
	grade.Flags().BoolVar(&l.junit, "junit", false, "print the grade as a JUnit report")
	grade.Flags().StringVar(&l.keep, "keep", "", "keep the recordings of boots that lose points in `directory`")
	grade.Flags().StringVar(&l.pages, "pages", "", "write pages into `directory` that show why points were lost: the order of steps, or the boot's recording")
	cmd.AddCommand(grade)
	return cmd
}

// labs is one `sched9 lab`.
type labs struct {
	streams
	json, gradescope, junit bool
	keep, pages             string
	run                     string
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
		fmt.Fprintf(l.out, "%-14s %s (%d points)\n", name, lab.About, lab.Points())
	}
	return nil
}

// load is the lab of that name, and the tree that it is of.
func (l *labs) load(name string) (root string, lab course.Lab, err error) {
	if root, err = course.Root("."); err == nil {
		lab, err = course.Load(root, name)
	}
	if err != nil {
		err = usageError{err}
	}
	return root, lab, err
}

// grader grades solutions of labs of the tree at root, boots by this command, and tells on a line what goes on.
func (l *labs) grader(root string) (*course.Grader, *progress.Line, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	line := progress.New(l.err)
	return &course.Grader{Root: root, Sched9: self, Note: line.Say}, line, nil
}

// make is `sched9 lab new`.
func (l *labs) make(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return usageError{errors.New("it takes a lab's name or number, and a directory")}
	}
	root, lab, err := l.load(args[0])
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
	if len(args) != 1 {
		return usageError{errors.New("it takes a student's repository")}
	}
	if l.json && l.gradescope || l.json && l.junit || l.gradescope && l.junit {
		return usageError{errors.New("-json, -junit and -gradescope are forms of one report: take one")}
	}
	name, err := course.Of(args[0])
	if err != nil {
		return usageError{err}
	}
	root, lab, err := l.load(name)
	if err != nil {
		return err
	}
	keep, pages := l.keep, l.pages
	for _, dir := range []*string{&keep, &pages} {
		if *dir != "" {
			if *dir, err = filepath.Abs(*dir); err != nil {
				return err
			}
		}
	}
	g, line, err := l.grader(root)
	if err != nil {
		return err
	}
	defer line.Clear()
	g.Keep, g.Pages = keep, pages
	grade, err := g.Grade(ctx, lab, args[0])
	line.Clear()
	if err != nil {
		return err
	}
	switch {
	case l.json:
		err = grade.JSON(l.out)
	case l.gradescope:
		err = grade.Gradescope(l.out)
	case l.junit:
		err = grade.JUnit(l.out)
	default:
		err = grade.Print(l.out)
	}
	if err == nil && grade.Points < grade.Of {
		err = ended(statusFailed)
	}
	return err
}

// rank is `sched9 lab rank`.
func (l *labs) rank(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return usageError{errors.New("it takes a lab's name or number, and students' repositories")}
	}
	root, lab, err := l.load(args[0])
	if err != nil {
		return err
	}
	if lab.Contest == nil {
		return usageError{fmt.Errorf("lab %s has no contest", lab.Name)}
	}
	g, line, err := l.grader(root)
	if err != nil {
		return err
	}
	defer line.Clear()
	places, err := g.Rank(ctx, lab, args[1:])
	line.Clear()
	if err != nil {
		return err
	}
	return course.PrintRanking(l.out, *lab.Contest, places)
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
	match, err := regexp.Compile(l.run)
	if err != nil {
		return usageError{err}
	}
	g, line, err := l.grader(root)
	if err != nil {
		return err
	}
	defer line.Clear()
	failed, graded := false, 0
	for _, name := range names {
		lab, err := course.Load(root, name)
		if err != nil {
			return usageError{err}
		}
		g.Note = func(what string) { line.Say(lab.Name + ": " + what) }
		err = g.Check(ctx, lab, match, func(name string, got course.Grade, bad []string) {
			line.Clear()
			graded++
			verdict := "ok  "
			if len(bad) > 0 {
				failed, verdict = true, "FAIL"
			}
			fmt.Fprintf(l.out, "%s %s: %s: %d of %d points\n", verdict, lab.Name, name, got.Points, got.Of)
			for _, b := range bad {
				fmt.Fprintf(l.out, "    %s\n", strings.ReplaceAll(b, "\n", "\n    "))
			}
		})
		line.Clear()
		if err != nil {
			return fmt.Errorf("lab %s: %w", lab.Name, err)
		}
	}
	if graded == 0 {
		return usageError{fmt.Errorf("no solution's name matches %q", l.run)}
	}
	if failed {
		return ended(statusFailed)
	}
	return nil
}

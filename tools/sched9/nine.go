package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"9fans.net/go/plan9"
	"github.com/spf13/cobra"

	"sched9/names"
	"sched9/tools/internal/nine"
)

// remote is a command that speaks with a guest that serves its files (sched9 run -9p).
type remote struct {
	streams
	address string
	limit   time.Duration

	recording string        // -trace
	moment    time.Duration // -at
}

// flags adds the flags that all such commands have.
func (r *remote) flags(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&r.address, "9p", "", "the `ADDRESS` that the guest was started with (default: that of the only guest that runs)")
	cmd.Flags().DurationVar(&r.limit, "timeout", 10*time.Second, "`limit` on each answer of the guest; 0: none, for files that one waits for")
	return cmd
}

// with calls fn with a session, and tells the user of errors: status 1.
func (r *remote) with(fn func(*nine.Client) error) error {
	return r.told(r.session(fn))
}

// session calls fn with a session.
func (r *remote) session(fn func(*nine.Client) error) error {
	address, err := r.guest()
	if err != nil {
		return err
	}
	c, err := nine.Dial(address, r.limit)
	if err != nil {
		return err
	}
	defer c.Close()
	return fn(c)
}

// guest is the guest's address.
func (r *remote) guest() (string, error) {
	if r.limit < 0 {
		return "", usageError{fmt.Errorf("a limit of %v makes no sense", r.limit)}
	}
	if r.address == "" {
		return nine.Find()
	}
	if _, _, err := nine.Address(r.address); err != nil {
		return "", usageError{err}
	}
	return r.address, nil
}

// told tells the user of err, if it is not about the command line, and is its status.
func (r *remote) told(err error) error {
	var usage usageError
	if err == nil || errors.As(err, &usage) {
		return err
	}
	fmt.Fprintln(r.err, "sched9:", err)
	return ended(statusFailed)
}

// at calls fn with the guest's address, and tells the user of errors.
func (r *remote) at(fn func(address string) error) error {
	address, err := r.guest()
	if err == nil {
		err = fn(address)
	}
	return r.told(err)
}

// newPS makes the command `sched9 ps`.
func newPS(s streams) *cobra.Command {
	r := remote{streams: s}
	return r.recordFlags(&cobra.Command{
		Use:   "ps [flags]",
		Short: "shows the goroutines of a guest as ps shows processes",
		Long: `Ps shows the goroutines of a guest that sched9 run -9p started: number, state, M and P; how long it has run, was ready to run, was in system
calls and has waited; how often it was dispatched; its function, and what it waits for (docs/names.md). With -trace it shows those of a recorded run, at its end or at
another moment of it: there the time in system calls is that without a P, and channels are not known.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			return r.look(r.ps)
		},
	})
}

// noArguments is the rule of commands that take none.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("unexpected argument %q", args[0])}
	}
	return nil
}

// ps is `sched9 ps`.
func (r *remote) ps(c guestFiles) error {
	all, err := goroutines(c)
	if err != nil {
		return err
	}
	return names.WriteTable(r.out, all)
}

// goroutines are those that there are.
func goroutines(c guestFiles) (all []names.Goroutine, err error) {
	dirs, err := c.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var ids []uint64
	for _, d := range dirs {
		if id, err := strconv.ParseUint(d.Name, 10, 64); err == nil && d.Mode&plan9.DMDIR != 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	var both []*nine.File
	for _, id := range ids {
		for _, base := range []string{"status", "wait"} {
			both = append(both, &nine.File{Name: fmt.Sprintf("/proc/%d/%s", id, base)})
		}
	}
	if err := c.ReadFiles(both); err != nil {
		return nil, err
	}
	for pair := range slices.Chunk(both, 2) {
		if pair[0].Err != nil {
			continue // it has ended
		}
		g, ok := names.Parse(string(pair[0].Data), string(pair[1].Data))
		if !ok {
			return nil, fmt.Errorf("%w: %s", nine.ErrGarbage, pair[0].Name)
		}
		all = append(all, g)
	}
	return all, nil
}

// newKill makes the command `sched9 kill`.
func newKill(s streams) *cobra.Command {
	r := remote{streams: s}
	return r.flags(&cobra.Command{
		Use:   "kill [flags] GOID...",
		Short: "makes goroutines of a guest panic",
		Long: `Kill has goroutines of a guest that sched9 run -9p started panic with "note: killed". The program ends if they do not recover. A goroutine that does not
compute cannot be reached (docs/names.md).`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{errors.New("which goroutine? sched9 ps shows their numbers")}
			}
			for _, id := range args {
				if _, err := strconv.ParseUint(id, 10, 64); err != nil {
					return usageError{fmt.Errorf("%q is no goroutine's number", id)}
				}
			}
			return r.with(func(c *nine.Client) error {
				for _, id := range args {
					if err := about("goroutine "+id, c.Write("/proc/"+id+"/ctl", strings.NewReader("note killed"))); err != nil {
						return err
					}
				}
				return nil
			})
		},
	})
}

// newMount makes the command `sched9 mount`.
func newMount(s streams) *cobra.Command {
	r := remote{streams: s}
	return r.flags(&cobra.Command{
		Use:   "mount [flags] DIR",
		Short: "shows the files of a guest in a directory, by FUSE",
		Long: `Mount shows the files of a guest that sched9 run -9p started in DIR, until Ctrl-C, umount or the guest's end. It needs /dev/fuse, and fusermount for
users other than root.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{errors.New("where to? sched9 mount needs a directory")}
			}
			return r.at(func(address string) error {
				m, err := nine.MountAt(args[0], address, r.limit)
				if err != nil {
					return err
				}
				fmt.Fprintf(r.err, "sched9: the files of the guest at %s are in %s; Ctrl-C ends that\n", address, args[0])
				return m.Wait(cmd.Context())
			})
		},
	})
}

// about says in an error of the guest's what it is about.
func about(what string, err error) error {
	var reported nine.Error
	if errors.As(err, &reported) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return err
}

// newNine makes the command `sched9 9p`.
func newNine(s streams) *cobra.Command {
	r := remote{streams: s}
	cmd := &cobra.Command{
		Use:   "9p COMMAND",
		Short: "lists, reads and writes the files of a guest",
		Long:  `9p speaks 9P2000 with a guest that sched9 run -9p started. The files are those that a program in the guest sees (docs/names.md).`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("there is no command %q: see sched9 help 9p", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(s.err)
			cmd.Help()
			return ended(statusUsage)
		},
	}
	var long bool
	ls := r.recordFlags(&cobra.Command{
		Use: "ls [flags] [FILE...]", Short: "lists directories",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"/"}
			}
			return r.look(func(c guestFiles) error { return r.ls(c, args, long) })
		},
	})
	ls.Flags().BoolVarP(&long, "long", "l", false, "say more of each file: mode, length, time of the last change")
	cmd.AddCommand(ls, r.recordFlags(&cobra.Command{
		Use: "cat [flags] FILE...", Short: "prints files",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{errors.New("which file?")}
			}
			return r.look(func(c guestFiles) error {
				for _, name := range args {
					if err := about(name, c.Copy(r.out, name)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}), r.flags(&cobra.Command{
		Use: "write [flags] FILE", Short: "writes standard input to a file that exists",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{errors.New("to which file? One at a time")}
			}
			return r.with(func(c *nine.Client) error { return about(args[0], c.Write(args[0], os.Stdin)) })
		},
	}))
	return cmd
}

// ls is `sched9 9p ls`.
func (r *remote) ls(c guestFiles, args []string, long bool) error {
	for _, name := range args {
		d, err := c.Stat(name)
		if err != nil {
			return about(name, err)
		}
		all := []*plan9.Dir{d}
		if d.Mode&plan9.DMDIR != 0 {
			if all, err = c.ReadDir(name); err != nil {
				return about(name, err)
			}
		} else {
			d.Name = name
		}
		for _, d := range all {
			listed(r.out, d, long)
		}
	}
	return nil
}

// listed prints a file's line. What is in a name that a terminal would not take as text is quoted.
func listed(w io.Writer, d *plan9.Dir, long bool) {
	name := d.Name
	if strings.ContainsFunc(name, func(c rune) bool { return !strconv.IsPrint(c) }) {
		name = strconv.Quote(name)
	}
	if d.Mode&plan9.DMDIR != 0 {
		name += "/"
	}
	if long {
		fmt.Fprintf(w, "%v %9d %s ", d.Mode, d.Length, time.Unix(int64(d.Mtime), 0).UTC().Format(time.DateTime))
	}
	fmt.Fprintln(w, name)
}

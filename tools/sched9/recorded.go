package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"strings"

	"9fans.net/go/plan9"
	"github.com/spf13/cobra"

	"sched9/tools/internal/nine"
	"sched9/trace"
	"sched9/trace/tree"
)

// guestFiles are what ps, 9p ls and 9p cat read: those of a guest that runs, or those that a recording tells of.
type guestFiles interface {
	ReadDir(name string) ([]*plan9.Dir, error)
	ReadFiles([]*nine.File) error
	Stat(name string) (*plan9.Dir, error)
	Copy(to io.Writer, name string) error
}

var _ guestFiles = (*nine.Client)(nil)

// recordedFiles are the files that a recording tells of (package tree). A directory is there if a file is in it.
type recordedFiles struct {
	tree tree.Tree
}

// recordFlags adds the flags for recordings.
func (r *remote) recordFlags(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&r.recording, "trace", "", "show what the recording in `FILE` tells: of a guest that has ended, crashed or hangs (sched9 run -trace)")
	cmd.Flags().DurationVar(&r.moment, "at", 0, "with -trace, as of this `time` of the guest (default: the end)")
	return r.flags(cmd)
}

// look calls fn with the guest's files, or the recording's, and tells the user of errors: status 1.
func (r *remote) look(fn func(guestFiles) error) error { return r.told(r.files(fn)) }

// files calls fn with the guest's files, or the recording's.
func (r *remote) files(fn func(guestFiles) error) error {
	if r.recording == "" {
		if r.moment != 0 {
			return usageError{errors.New("-at is a moment of a recording: -trace FILE")}
		}
		return r.session(func(c *nine.Client) error { return fn(c) })
	}
	if r.address != "" {
		return usageError{errors.New("-trace is about a recording, -9p about a guest that runs: one of them")}
	}
	f, err := os.Open(r.recording)
	if err != nil {
		return usageError{err}
	}
	defer f.Close()
	t, err := trace.Read(f)
	if err != nil {
		return usageError{fmt.Errorf("%s: %w", r.recording, err)}
	}
	at := int64(math.MaxInt64)
	if r.moment != 0 {
		at = r.moment.Nanoseconds()
	}
	return fn(recordedFiles{tree.Make(t, at)})
}

// clean is a name as the tree has it.
func clean(name string) string { return path.Join("/", name) }

// isDir reports whether there is a file below name, which is clean.
func (r recordedFiles) isDir(name string) bool {
	for file := range r.tree {
		if strings.HasPrefix(file, strings.TrimSuffix(name, "/")+"/") {
			return true
		}
	}
	return false
}

// missing is the error for a name that the recording does not have.
func (r recordedFiles) missing(name string) error {
	return nine.Error("a recording does not tell of it: it has /proc/GOID/{status,wait,args,stack}, /sched/status, and status of /sched/p/N and /sched/m/N")
}

// Stat implements guestFiles.
func (r recordedFiles) Stat(name string) (*plan9.Dir, error) {
	name = clean(name)
	d := &plan9.Dir{Name: path.Base(name), Mode: 0o444}
	text, ok := r.tree[name]
	switch {
	case ok:
		d.Length = uint64(len(text))
	case r.isDir(name):
		d.Mode = plan9.DMDIR | 0o555
	default:
		return nil, r.missing(name)
	}
	return d, nil
}

// ReadDir implements guestFiles.
func (r recordedFiles) ReadDir(name string) (all []*plan9.Dir, err error) {
	name = clean(name)
	if !r.isDir(name) {
		return nil, r.missing(name)
	}
	for _, base := range r.tree.Names(name) {
		d, err := r.Stat(path.Join(name, base))
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// ReadFiles implements guestFiles.
func (r recordedFiles) ReadFiles(all []*nine.File) error {
	for _, f := range all {
		if text, ok := r.tree[clean(f.Name)]; ok {
			f.Data = []byte(text)
		} else {
			f.Err = r.missing(f.Name)
		}
	}
	return nil
}

// Copy implements guestFiles.
func (r recordedFiles) Copy(to io.Writer, name string) error {
	text, ok := r.tree[clean(name)]
	if !ok {
		return r.missing(name)
	}
	_, err := io.WriteString(to, text)
	return err
}

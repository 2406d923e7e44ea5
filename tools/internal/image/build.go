// Package image makes a bootable image of an ordinary Go program: the stock
// toolchain builds it with sched9 laid over the runtime, the result is audited,
// and package boot puts the envelope around it.
package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sched9/boot"
	"sched9/kernel/goruntime"
	"sched9/tools/internal/audit"
	"sched9/tools/internal/toolchain"
)

// major matches the last element of an import path that is only a version.
var major = regexp.MustCompile(`^v[0-9]+$`)

// Options is what Build may be told. The zero value is amd64, PVH and silence.
type Options struct {
	Arch   string       // guest architecture
	Format boot.Format  // the envelope; PVH, the zero value, is the usual one of any architecture
	Note   func(string) // is told of steps that take long
	Stderr io.Writer    // gets what the compiler says

	NoRecorder bool // leave the scheduler's recorder out
}

// Image is a program that can be booted.
type Image struct {
	Name    string // what the program is called: its os.Args[0]
	Data    []byte
	Exe     []byte // what the linker made of it, with its table of symbols
	Version string // of the toolchain
	Unknown int    // functions that the audit could not decode in full
}

// ProgramError says that a program cannot become an image: the fault is the
// program's, not the host's.
type ProgramError struct {
	Source string // as the user named it
	Err    error  // nil if the compiler has said all there is to say
}

// Error is one sentence, or the compiler's verdict.
func (e *ProgramError) Error() string {
	if e.Err == nil {
		return e.Source + " does not compile"
	}
	return fmt.Sprintf("%s: %v", e.Source, e.Err)
}

// Unwrap returns what is wrong with the program.
func (e *ProgramError) Unwrap() error { return e.Err }

// Build makes an image of src. The error is a *ProgramError if the program is at
// fault; what the compiler says of it goes to o.Stderr as it is.
func Build(ctx context.Context, src Source, o Options) (Image, error) {
	if o.Arch == "" {
		o.Arch = "amd64"
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	t, err := toolchain.Find(ctx, src.Dir, o.Note)
	if err != nil {
		return Image{}, err
	}
	o.Note("building " + src.Given)
	img := Image{Version: t.Version}
	if img.Name, err = list(ctx, t, src, o.Arch); err != nil {
		return Image{}, err
	}
	dir, err := os.MkdirTemp("", "sched9-image-")
	if err != nil {
		return Image{}, err
	}
	defer os.RemoveAll(dir)
	exe, err := link(ctx, t, src, o, dir)
	if err != nil {
		return Image{}, err
	}
	found, err := audit.Check(exe)
	if err != nil {
		return Image{}, err
	}
	if err := found.Err(); err != nil {
		return Image{}, &ProgramError{Source: src.Given, Err: err}
	}
	img.Unknown, img.Exe = found.Unknown, exe
	if formats := boot.Formats(o.Arch); len(formats) > 0 && o.Format == boot.PVH {
		o.Format = formats[0]
	}
	if img.Data, err = boot.Build(exe, o.Format); err != nil {
		return Image{}, &ProgramError{Source: src.Given, Err: err}
	}
	return img, nil
}

// link builds the program with the overlay and returns the executable. dir is
// a scratch directory; the go command's cache looks at what is in the overlay's
// files, not at their names, so a build in another directory is as fast.
func link(ctx context.Context, t toolchain.Toolchain, src Source, o Options, dir string) ([]byte, error) {
	overlay, err := goruntime.Prepare(t.Root, o.Arch, dir)
	if err != nil {
		return nil, err
	}
	exe := filepath.Join(dir, "program")
	args := append([]string{"build", "-o", exe, "-buildmode=exe"}, goruntime.Flags(overlay, o.Arch)...)
	tags := append(t.Tags(), goruntime.Tag)
	if o.NoRecorder {
		tags = append(tags, "sched9norecord")
	}
	args = append(args, "-tags="+strings.Join(tags, ","))
	cmd := t.Command(ctx, src.Dir, o.Arch, append(args, src.Args...)...)
	cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	o.Stderr.Write(said.Bytes())
	if err != nil {
		if said.Len() > 0 {
			return nil, &ProgramError{Source: src.Given}
		}
		return nil, fmt.Errorf("go build: %w", err)
	}
	data, err := os.ReadFile(exe)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &ProgramError{Source: src.Given, Err: errors.New("go build made no program of it")}
	}
	return data, err
}

// Package image makes a bootable image of an ordinary Go program: the stock
// toolchain builds it with sched9 laid over the runtime, the result is audited,
// and package boot puts the envelope around it.
package image

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sched9/boot"
	"sched9/kernel/goruntime"
	"sched9/qemu"
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

	// Flags are for go build, of the form -NAME=VALUE, as if they followed GOFLAGS. Relative
	// paths in them begin in the current directory.
	Flags []string

	NoRecorder bool // leave the scheduler's recorder out

	Parts []goruntime.Part // what it has beside, apart from what the program's imports ask for
	Test  Test             // build the package's tests

	// Serve adds the server of the program's files by 9P (srv/nine), and goruntime.Names.
	Serve bool
	// Root adds the host's folder, for machines that have one (srv/host).
	Root bool
	// DHCP adds a client that gets the network card's address from a server (srv/dhcp).
	DHCP bool
}

// Test says when the tests of a package are built in place of the program that it is.
type Test int

// The values of Test.
const (
	NoTest     Test = iota
	MaybeTest       // if it is no program
	EitherTest      // if it has tests
	OnlyTest
)

// Image is a program that can be booted.
type Image struct {
	Name    string // what the program is called: its os.Args[0]
	Data    []byte
	Exe     []byte // what the linker made of it, with its table of symbols
	Dir     string // of its package
	Test    bool   // it is the package's tests
	Version string // of the toolchain
	Root    string // and its GOROOT
	Unknown int    // functions that the audit could not decode in full
	Tree    uint64 // address of the kernel's tree of files (kernel/tree.go)

	public string // directory of package sched9/srv, if the program imports it
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
	user, err := readFlags(t.Flags, o.Flags, src.Dir)
	if err != nil {
		return Image{}, &ProgramError{Source: src.Given, Err: err}
	}
	o.Note("building " + src.Given)
	img, parts, err := list(ctx, t, src, o.Arch, user, o.Test)
	if err != nil {
		return Image{}, err
	}
	img.Version, img.Root = t.Version, t.Root
	if o.Serve {
		parts = append(parts, goruntime.Names)
	}
	for _, p := range parts {
		if !slices.Contains(o.Parts, p) {
			o.Parts = append(slices.Clone(o.Parts), p)
		}
	}
	dir, err := os.MkdirTemp("", qemu.Scratch("image"))
	if err != nil {
		return Image{}, err
	}
	defer os.RemoveAll(dir)
	for _, add := range []struct {
		wanted       bool
		file, server string
	}{{o.Serve, serverFile, "nine"}, {o.Root, rootFile, "host"}, {o.DHCP, dhcpFile, "dhcp"}} {
		if !add.wanted {
			continue
		}
		if src, err = user.addServer(src, add.file, add.server, img.Dir, dir); err != nil {
			return Image{}, &ProgramError{Source: src.Given, Err: err}
		}
	}
	if img.public != "" {
		if err := user.addPublic(img.public, dir); err != nil {
			return Image{}, &ProgramError{Source: src.Given, Err: err}
		}
	}
	exe, err := link(ctx, t, src, o, user, dir, img.Test)
	if err != nil {
		return Image{}, err
	}
	return img, img.wrap(exe, src.Given, o)
}

// Wrap makes an image of an executable that was built with Flags. The error is a *ProgramError that tells
// what is missing if it was not.
func Wrap(exe []byte, name, goarch string) (Image, error) {
	img := Image{Name: filepath.Base(name)}
	if err := missing(exe); err != nil {
		return img, &ProgramError{Source: name, Err: err}
	}
	return img, blameFlags(img.wrap(exe, name, Options{Arch: goarch}), exe)
}

// blameFlags adds to an error of the executable's the compiler's flags, if it was built with some: nobody has kept them from the
// runtime, as Flags does.
func blameFlags(err error, exe []byte) error {
	var bad *ProgramError
	if flags := compilerFlags(exe); errors.As(err, &bad) && flags != "" {
		bad.Err = fmt.Errorf("%w; it was built with -gcflags=%s, which must not be for the runtime: add -gcflags=runtime= -gcflags=internal/...= behind that, or build it by sched9 gotest", bad.Err, flags)
	}
	return err
}

// compilerFlags is the -gcflags that the go command says it has built an executable with, the last if there were several.
func compilerFlags(exe []byte) string {
	info, err := buildinfo.Read(bytes.NewReader(exe))
	if err != nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "-gcflags" {
			return s.Value
		}
	}
	return ""
}

// wrap audits the executable and puts the envelope around it. given is the program's name for messages.
func (img *Image) wrap(exe []byte, given string, o Options) error {
	found, err := audit.Check(exe)
	if err != nil {
		return err
	}
	if err := found.Err(); err != nil {
		return &ProgramError{Source: given, Err: err}
	}
	img.Unknown, img.Exe, img.Tree = found.Unknown, exe, address(exe, goruntime.Root+"kernel.tree")
	if formats := boot.Formats(o.Arch); len(formats) > 0 && o.Format == boot.PVH {
		o.Format = formats[0]
	}
	if img.Data, err = boot.Build(exe, o.Format); err != nil {
		return &ProgramError{Source: given, Err: err}
	}
	return nil
}

// address is a symbol's, 0 if there is none.
func address(exe []byte, name string) uint64 {
	f, err := elf.NewFile(bytes.NewReader(exe))
	if err != nil {
		return 0
	}
	syms, err := f.Symbols()
	if err != nil {
		return 0
	}
	if i := slices.IndexFunc(syms, func(s elf.Symbol) bool { return s.Name == name }); i >= 0 {
		return syms[i].Value
	}
	return 0
}

// Arch returns the architecture of an executable, as Go calls it; the error says why an executable
// is not one for a guest.
func Arch(exe []byte) (string, error) {
	f, err := elf.NewFile(bytes.NewReader(exe))
	if err != nil {
		return "", errors.New("it is no executable for Linux")
	}
	switch f.Machine {
	case elf.EM_X86_64:
		return "amd64", nil
	case elf.EM_AARCH64:
		return "arm64", nil
	}
	return "", fmt.Errorf("it is for %v", f.Machine)
}

// missing says which flags an executable was built without that an image wants.
func missing(exe []byte) error {
	f, err := elf.NewFile(bytes.NewReader(exe))
	if err != nil {
		return err
	}
	const how = `; eval "$(sched9 env)" sets the flags`
	if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return errors.New("it needs a dynamic linker: CGO_ENABLED=0 was missing when it was built" + how)
	}
	syms, err := f.Symbols()
	if err != nil {
		return errors.New("it has no table of symbols: -ldflags=-s=false was missing when it was built" + how)
	}
	if !slices.ContainsFunc(syms, func(s elf.Symbol) bool { return strings.HasPrefix(s.Name, goruntime.Root) }) {
		return fmt.Errorf("it was built for Linux: -overlay, -tags=%s and -ldflags were missing%s", goruntime.Tag, how)
	}
	return nil
}

// link builds the program with the overlay and returns the executable. dir is a scratch directory;
// the go command's cache looks at the contents of the overlay's files, not at their names, so a
// build in another directory is as fast.
func link(ctx context.Context, t toolchain.Toolchain, src Source, o Options, user userFlags, dir string, test bool) ([]byte, error) {
	var own []string
	if o.NoRecorder {
		own = append(own, "sched9norecord")
	}
	user.metal = o.Format == boot.Multiboot
	flags, err := user.all(ctx, t, src.Dir, o.Arch, dir, o.Parts, o.Note, own...)
	var bad *FlagError
	if errors.As(err, &bad) {
		err = &ProgramError{Source: src.Given, Err: err}
	}
	if err != nil {
		return nil, err
	}
	exe := filepath.Join(dir, "program")
	args := []string{"build", "-buildmode=exe", "-o", exe}
	if test {
		args = []string{"test", "-c", "-vet=off", "-o", exe}
	}
	args = slices.Concat(args, flags, src.Args)
	cmd := t.Command(ctx, src.Dir, o.Arch, args...)
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
		if test {
			return nil, &ProgramError{Source: src.Given, Err: errors.New("it has no tests")}
		}
		return nil, &ProgramError{Source: src.Given, Err: errors.New("go build made no program of it")}
	}
	return data, err
}

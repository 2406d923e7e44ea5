package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sched9/boot"
	"sched9/kernel/cmdline"
	"sched9/qemu"
	"sched9/tools/internal/disc"
	"sched9/tools/internal/image"
	"sched9/tools/internal/progress"
)

// newBuild makes the command `sched9 build`.
func newBuild(s streams) *cobra.Command {
	var o image.Options
	var format, output string
	cmd := &cobra.Command{
		Use:   "build [flags] -o IMAGE PKG",
		Short: "makes a bootable image of a program",
		Long: `Build makes an image that sched9 run boots, or qemu-system-x86_64 -kernel (format pvh), or a
Multiboot loader of version 1 or 2 such as GRUB (format multiboot). Format iso is a CD with GRUB and such an image, which PCs
boot by BIOS and by UEFI, also from a USB stick that it is copied to whole. Format efi is a UEFI application, which needs no
loader, and usb a whole USB stick with it, for UEFI alone. For arm64 it is of the form of Linux's Image (format linux),
which qemu-system-aarch64 -kernel and others take, and which is a UEFI application, too; with format efi it has the program's name
for its command line, and usb is a stick with that.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return buildImage(cmd.Context(), s, o, format, output, args)
		},
	}
	archFlag(cmd, &o.Arch)
	cmd.Flags().StringVar(&format, "format", "", "boot `protocol`: pvh, multiboot, iso, efi or usb, for arm64 linux, efi or usb (default pvh or linux)")
	cmd.Flags().BoolVar(&o.NoRecorder, "norecorder", false, "leave the recorder out: even when off it costs some instructions")
	cmd.Flags().StringVarP(&output, "output", "o", "", "the image's `file`")
	namesFlag(cmd, &o.Parts)
	cmd.Flags().BoolVar(&o.Serve, "9p", false, "serve the program's files by 9P, if sched9 run -9p boots the image")
	cmd.Flags().BoolVar(&o.Root, "root", false, "look for a folder of the host's, which sched9 run -root gives the machine")
	cmd.Flags().BoolVar(&o.DHCP, "dhcp", false, "get the network card's address from a DHCP server, unless the machine is given one (docs/net.md)")
	goFlags(cmd.Flags(), &o.Flags)
	return cmd
}

// buildImage is `sched9 build` with options o, of which format is still a name.
func buildImage(ctx context.Context, s streams, o image.Options, format, output string, args []string) error {
	formats := boot.Formats(o.Arch)
	if len(formats) == 0 {
		return usageError{fmt.Errorf("architecture %q is not supported, %s are", o.Arch, strings.Join(qemu.Architectures(), " and "))}
	}
	var names []string
	for _, f := range formats {
		names = append(names, f.String())
	}
	n := slices.Index(names, format)
	wrap := wraps[o.Arch][format]
	switch {
	case format == "":
		n = 0
	case wrap != nil:
		n = len(names) - 1 // multiboot, or for arm64 linux
	}
	switch {
	case n < 0:
		names = append(names, slices.Sorted(maps.Keys(wraps[o.Arch]))...)
		return usageError{fmt.Errorf("format %q is not one of %s", format, strings.Join(names, ", "))}
	case output == "":
		return usageError{errors.New("where to? sched9 build needs -o IMAGE")}
	}
	o.Format = formats[n]
	src, used, err := image.Find(args)
	if err != nil {
		return usageError{err}
	}
	if used < len(args) {
		return usageError{fmt.Errorf("unexpected argument %q: one program at a time", args[used])}
	}
	if err := s.saySources(); err != nil {
		return err
	}
	line := progress.New(s.err)
	defer line.Clear()
	o.Note, o.Stderr = line.Say, line.Writer(s.err)
	img, err := image.Build(ctx, src, o)
	line.Clear()
	if err != nil {
		return err
	}
	data := img.Data
	if wrap != nil {
		if data, err = wrap(ctx, disc.Disc{Image: data, Line: cmdline.Format(nil, nil, []string{img.Name})}); err != nil {
			return err
		}
	}
	return replace(output, data)
}

// wrapper makes a file that holds an image.
type wrapper func(context.Context, disc.Disc) ([]byte, error)

// wraps are the formats of each architecture that hold an image of its last format, and what makes the file.
var wraps = map[string]map[string]wrapper{
	"amd64": {"iso": wholeDisc(func(ctx context.Context, d disc.Disc, name string) error { return d.Make(ctx, name) }), "usb": makeStick, "efi": makeApplication},
	"arm64": {"usb": makeStick, "efi": makeApplication},
}

// makeApplication makes a UEFI application.
func makeApplication(_ context.Context, d disc.Disc) ([]byte, error) { return d.Application() }

// makeStick makes a USB stick.
func makeStick(ctx context.Context, d disc.Disc) ([]byte, error) {
	return wholeDisc(func(_ context.Context, d disc.Disc, name string) error { return d.MakeStick(name) })(ctx, d)
}

// wholeDisc returns what has a disc written to a file, and reads that.
func wholeDisc(write func(context.Context, disc.Disc, string) error) wrapper {
	return func(ctx context.Context, d disc.Disc) ([]byte, error) {
		dir, err := os.MkdirTemp("", qemu.Scratch("disc"))
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		name := filepath.Join(dir, "disc")
		if err := write(ctx, d, name); err != nil {
			return nil, err
		}
		return os.ReadFile(name)
	}
}

// replace writes a file whole or not at all.
func replace(name string, data []byte) error {
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%s exists and is not a regular file", name)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-")
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err // it names a temporary file, which the user does not know
		}
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

package peer

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sched9/qemu"
)

// metas are the packages that stand for Debian's newest kernel for virtual machines, by
// architecture. It has fewer drivers than the usual one, and starts faster.
var metas = map[string]string{
	"amd64": "linux-image-cloud-amd64",
	"arm64": "linux-image-cloud-arm64",
}

// Kernel returns the path of Debian's kernel for arch, and its version. The first time it
// is fetched by apt and kept in the user's cache directory.
func Kernel(ctx context.Context, arch string, note func(string)) (file, version string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", "", err
	}
	return kernelIn(ctx, filepath.Join(cache, "sched9", "linux", arch), arch, note)
}

// kernelIn is Kernel with the directory to keep it in.
func kernelIn(ctx context.Context, dir, arch string, note func(string)) (file, version string, err error) {
	meta, ok := metas[arch]
	if !ok {
		return "", "", fmt.Errorf("there is no Linux to compare with for architecture %q", arch)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", "", err
	}
	if file, version := kept(dir); file != "" {
		return file, version, nil
	}
	note("fetching " + meta + " from Debian")
	if err := fetch(ctx, dir, meta, arch); err != nil {
		return "", "", fmt.Errorf("no Linux kernel to compare with: %w (-peer=false measures sched9 alone, -linux FILE takes a kernel of yours)", err)
	}
	file, version = kept(dir)
	return file, version, nil
}

// prefix is what a kernel's file name begins with; its version follows.
const prefix = "vmlinuz-"

// kept finds a kernel in dir: the last by name, if there are several.
func kept(dir string) (file, version string) {
	found, _ := filepath.Glob(filepath.Join(dir, prefix+"*")) // the pattern is well-formed
	if len(found) == 0 {
		return "", ""
	}
	slices.Sort(found)
	file = found[len(found)-1]
	return file, strings.TrimPrefix(filepath.Base(file), prefix)
}

// fetch puts the kernel to which package meta points into dir.
func fetch(ctx context.Context, dir, meta, arch string) error {
	tmp, err := os.MkdirTemp("", qemu.Scratch("apt"))
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	a, err := newAPT(tmp, arch)
	if err != nil {
		return err
	}
	if err := a.update(ctx); err != nil {
		return err
	}
	deb, err := a.download(ctx, meta)
	if err != nil {
		return err
	}
	return unpack(ctx, deb, dir)
}

// unpack takes the kernel out of a package and puts it into dir, whole or not at all.
func unpack(ctx context.Context, deb, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, aptLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", deb)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("dpkg-deb cannot be run: %w", err)
	}
	err = pick(out, dir)
	cancel() // the rest of the package is of no use
	cmd.Wait()
	return err
}

// errNoKernel says that a package is not what it seemed.
var errNoKernel = errors.New("the package holds no boot/vmlinuz")

// pick copies boot/vmlinuz-* out of the archive r into dir.
func pick(r io.Reader, dir string) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if err == io.EOF {
			return errNoKernel
		}
		if err != nil {
			return fmt.Errorf("the package cannot be read: %w", err)
		}
		name := path.Base(h.Name)
		if h.Typeflag != tar.TypeReg || path.Base(path.Dir(h.Name)) != "boot" || !strings.HasPrefix(name, prefix) {
			continue
		}
		f, err := os.CreateTemp(dir, "new-")
		if err != nil {
			return err
		}
		_, err = io.Copy(f, t)
		if err = errors.Join(err, f.Close()); err == nil {
			err = os.Rename(f.Name(), filepath.Join(dir, name))
		}
		if err != nil {
			os.Remove(f.Name())
		}
		return err
	}
}

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
	if err := fetch(ctx, dir, meta, arch, pick); err != nil {
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

// CardModules are the drivers of a virtio network card, which Debian's kernel has as modules, in the order in which they are loaded.
var CardModules = []string{"virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "failover", "net_failover", "virtio_net"}

// Modules returns those of CardModules that Debian's kernel for arch has, by name, as files for a machine that has that kernel. The first
// time they are fetched as the kernel is.
func Modules(ctx context.Context, arch, version string, note func(string)) (map[string][]byte, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "sched9", "linux", arch, "modules-"+version)
	files, _ := filepath.Glob(filepath.Join(dir, "*.ko")) // the pattern is well-formed
	if len(files) == 0 {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		note("fetching Linux's drivers from Debian")
		if err := fetch(ctx, dir, metas[arch], arch, func(r io.Reader, dir string) error { return pickModules(r, dir, version) }); err != nil {
			return nil, fmt.Errorf("no drivers for Linux: %w", err)
		}
		files, _ = filepath.Glob(filepath.Join(dir, "*.ko"))
	}
	all := map[string][]byte{}
	for _, f := range files {
		if all[strings.TrimSuffix(filepath.Base(f), ".ko")], err = os.ReadFile(f); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// pickModules copies the modules that the kernel of a version has of CardModules out of the archive r into dir.
func pickModules(r io.Reader, dir, version string) error {
	t := tar.NewReader(r)
	for n := 0; ; {
		h, err := t.Next()
		if err == io.EOF && n > 0 {
			return nil
		}
		if err == io.EOF {
			return fmt.Errorf("the package holds none for %s: is there a newer kernel?", version)
		}
		if err != nil {
			return fmt.Errorf("the package cannot be read: %w", err)
		}
		name, is := strings.CutSuffix(path.Base(h.Name), ".ko")
		if !is || h.Typeflag != tar.TypeReg || !strings.Contains(h.Name, "/"+version+"/") || !slices.Contains(CardModules, name) {
			continue
		}
		if err := save(t, dir, name+".ko"); err != nil {
			return err
		}
		n++
	}
}

// fetch has pick put what is wanted of the kernel to which package meta points into dir.
func fetch(ctx context.Context, dir, meta, arch string, pick func(io.Reader, string) error) error {
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
	return unpack(ctx, deb, dir, pick)
}

// unpack has pick take out of a package what is wanted.
func unpack(ctx context.Context, deb, dir string, pick func(io.Reader, string) error) error {
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
		return save(t, dir, name)
	}
}

// save puts a file into dir, whole or not at all.
func save(r io.Reader, dir, name string) error {
	f, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

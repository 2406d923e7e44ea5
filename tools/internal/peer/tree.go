package peer

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Tree returns the path of the device tree of that name, as in bcm2837-rpi-3-b.dtb, that Debian's kernel for arm64 comes with. The first time it
// is fetched as the kernel is; the usual kernel's package has the trees, not that for virtual machines.
func Tree(ctx context.Context, name string, note func(string)) (file string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "sched9", "linux", "arm64", "trees")
	file = filepath.Join(dir, name)
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	const meta = "linux-image-arm64"
	note("fetching " + meta + " from Debian, for " + name)
	pick := func(r io.Reader, dir string) error { return pickTree(r, dir, name) }
	if err := fetch(ctx, dir, meta, "arm64", pick); err != nil {
		return "", fmt.Errorf("no device tree %s: %w", name, err)
	}
	return file, nil
}

// pickTree copies the file name out of the archive r, where kernels have their trees, into dir.
func pickTree(r io.Reader, dir, name string) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if err == io.EOF {
			return fmt.Errorf("the package holds no %s", name)
		}
		if err != nil {
			return fmt.Errorf("the package cannot be read: %w", err)
		}
		if h.Typeflag == tar.TypeReg && path.Base(h.Name) == name && strings.Contains(h.Name, "/usr/lib/linux-image-") {
			return save(t, dir, name)
		}
	}
}

package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/u-root/u-root/pkg/cpio"

	"sched9/qemu"
	"sched9/tools/internal/image"
	"sched9/tools/internal/toolchain"
)

// Program builds a program for Linux on arch, with the toolchain that its images are
// built with, and returns the executable.
func Program(ctx context.Context, src image.Source, arch string, note func(string)) ([]byte, error) {
	t, err := toolchain.Find(ctx, src.Dir, note)
	if err != nil {
		return nil, err
	}
	note("building " + src.Given + " for Linux")
	dir, err := os.MkdirTemp("", qemu.Scratch("linux"))
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	exe := filepath.Join(dir, "program")
	cmd := t.Command(ctx, src.Dir, arch, append([]string{"build", "-o", exe}, src.Args...)...)
	cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s does not compile for Linux: %w: %s", src.Given, err, lastLines(string(out), 3))
	}
	return os.ReadFile(exe)
}

// Archive returns the file system of a machine that has nothing but exe, which is
// its first process, a console, and modules as /modules/N-NAME, where N says in which order they are loaded.
func Archive(exe []byte, modules map[string][]byte) ([]byte, error) {
	var out bytes.Buffer
	w := cpio.Newc.Writer(&out)
	files := []cpio.Record{
		cpio.Directory("dev", 0o755),
		cpio.CharDev("dev/console", 0o600, 5, 1),
		cpio.StaticFile("init", string(exe), 0o755),
	}
	if len(modules) > 0 {
		files = append(files, cpio.Directory("modules", 0o755))
	}
	for i, name := range CardModules {
		if data := modules[name]; data != nil {
			files = append(files, cpio.StaticFile(fmt.Sprintf("modules/%d-%s", i, name), string(data), 0o644))
		}
	}
	err := errors.Join(cpio.WriteRecords(w, files), cpio.WriteTrailer(w))
	return out.Bytes(), err
}

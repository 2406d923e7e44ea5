package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// aptLimit bounds each command of apt's: lists are some 10 MB, a kernel's package 30 MB.
const aptLimit = 3 * time.Minute

// apt runs Debian's package manager with a configuration of its own, for one architecture. It uses
// the system's package sources, but nothing else that is installed or configured, and needs no
// privileges.
type apt struct {
	dir  string // for lists, packages and configuration
	arch string
}

// newAPT prepares dir, which is there.
func newAPT(dir, arch string) (apt, error) {
	a := apt{dir: dir, arch: arch}
	for _, d := range []string{"lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return a, err
		}
	}
	return a, errors.Join(
		os.WriteFile(filepath.Join(dir, "status"), nil, 0o644),
		os.WriteFile(filepath.Join(dir, "apt.conf"), []byte(a.config()), 0o644),
	)
}

// config is apt's configuration file. Nothing of the system's that is set there is
// set again by the system's own files.
func (a apt) config() string {
	var b strings.Builder
	set := func(key, value string) { fmt.Fprintf(&b, "%s %q;\n", key, value) }
	set("Dir::State::lists", filepath.Join(a.dir, "lists"))
	set("Dir::State::status", filepath.Join(a.dir, "status"))
	set("Dir::Cache", filepath.Join(a.dir, "cache"))
	set("APT::Architecture", a.arch)
	fmt.Fprintf(&b, "APT::Architectures { %q; };\n", a.arch)
	set("APT::Sandbox::User", "") // the user for downloads may not write here
	set("Acquire::Languages", "none")
	set("Acquire::http::Timeout", "30")
	set("Acquire::Retries", "1")
	return b.String()
}

// run runs a command in a.dir and returns its output. Its error shows the last lines that the
// command wrote, or that it is not there.
func (a apt) run(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, aptLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = a.dir
	cmd.Env = append(os.Environ(), "APT_CONFIG="+filepath.Join(a.dir, "apt.conf"), "LC_ALL=C")
	cmd.WaitDelay = 5 * time.Second // for children that keep the output open
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	what := name + " " + strings.Join(args, " ")
	switch {
	case err == nil:
		return out.String(), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%s is not on this machine", name)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("%s did not end within %v", what, aptLimit)
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	return "", fmt.Errorf("%s: %w: %s", what, err, lastLines(said.String(), 3))
}

// lastLines returns the last n lines of text that are not empty, as one.
func lastLines(text string, n int) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}

// update fetches the lists of packages. Places that cannot be reached are no error, as long as
// one that has the package can.
func (a apt) update(ctx context.Context) error {
	_, err := a.run(ctx, "apt-get", "-q", "update")
	return err
}

// depends finds the packages that a package depends on in what `apt-cache show` says of it.
var depends = regexp.MustCompile(`(?m)^Depends: (.*)$`)

// imagePackage is the name of a package with a kernel.
var imagePackage = regexp.MustCompile(`^linux-image-[0-9][a-z0-9.+-]*$`)

// kernelPackage returns the package with the kernel to which the package meta points, from the
// output of `apt-cache show meta`. Of several versions the first is the newest.
func kernelPackage(shown, meta string) (string, error) {
	for _, m := range depends.FindAllStringSubmatch(shown, -1) {
		for _, d := range strings.Split(m[1], ",") {
			name, _, _ := strings.Cut(strings.TrimSpace(d), " ")
			if imagePackage.MatchString(name) {
				return name, nil
			}
		}
	}
	return "", fmt.Errorf("package %s names no kernel: is this machine's apt Debian's?", meta)
}

// download fetches the package with the newest kernel to which meta points and returns the file's
// name.
func (a apt) download(ctx context.Context, meta string) (string, error) {
	shown, err := a.run(ctx, "apt-cache", "show", "--no-all-versions", meta)
	if err != nil {
		return "", err
	}
	name, err := kernelPackage(shown, meta)
	if err != nil {
		return "", err
	}
	if _, err := a.run(ctx, "apt-get", "-q", "download", name); err != nil {
		return "", err
	}
	found, err := filepath.Glob(filepath.Join(a.dir, name+"_*.deb"))
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("apt-get download %s left %d packages", name, len(found))
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

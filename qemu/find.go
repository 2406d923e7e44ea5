package qemu

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// versionLimit bounds `qemu --version`, which needs milliseconds, but has needed more than ten seconds on a host with many
// runs at once.
const versionLimit = time.Minute

// Find returns the path and the version ("7.2.22") of the QEMU that emulates
// arch. The error says what to install.
func Find(arch string) (path, version string, err error) {
	path, err = Locate(arch)
	if err != nil {
		return "", "", err
	}
	version, err = versionOf(path)
	return path, version, err
}

// program is the name of the QEMU that emulates arch.
func program(arch string) (string, error) {
	p, ok := platforms[arch]
	if !ok {
		return "", fmt.Errorf("guest architecture %q is not supported, %s are", arch, strings.Join(Architectures(), " and "))
	}
	return p.program, nil
}

// Locate returns the path of arch's QEMU, which it looks for in PATH and does not run. The error says what to install.
func Locate(arch string) (string, error) {
	name, err := program(arch)
	if err != nil {
		return "", err
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is not in PATH: install the package %s", name, platforms[arch].packages)
	}
	return path, nil
}

// versionOf asks the QEMU at path for its version.
func versionOf(path string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), versionLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s does not tell its version: %w", path, err)
	}
	return parseVersion(path, out)
}

// parseVersion reads the first line of `qemu --version`:
// "QEMU emulator version 7.2.22 (Debian ...)".
func parseVersion(path string, out []byte) (string, error) {
	line, _, _ := bytes.Cut(out, []byte("\n"))
	_, rest, ok := strings.Cut(string(line), "version ")
	version, _, _ := strings.Cut(rest, " ")
	if !ok || version == "" {
		return "", fmt.Errorf("%s does not tell its version, it says %q", path, line)
	}
	return strings.TrimSpace(version), nil
}

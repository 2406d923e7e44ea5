package peer

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/u-root/u-root/pkg/cpio"
)

// shown is what `apt-cache show` says, with two versions.
const shown = `Package: linux-image-cloud-amd64
Source: linux-signed-amd64 (6.1.192+2)
Version: 6.1.192-2
Depends: libc6 (>= 2), linux-image-6.1.0-56-cloud-amd64 (= 6.1.192-2)
Provides: virtualbox-guest-modules

Package: linux-image-cloud-amd64
Version: 6.1.176-1
Depends: linux-image-6.1.0-50-cloud-amd64 (= 6.1.176-1)
`

func TestKernelPackage(t *testing.T) {
	if got, err := kernelPackage(shown, "m"); got != "linux-image-6.1.0-56-cloud-amd64" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{
		"", "Package: linux-image-virtual\nDepends: linux-image-generic\n", "Depends: linux-image-6/../../x (= 1)\n",
		"Depends: linux-image-6.1;reboot\n", "Pre-Depends: linux-image-6.1.0-1-amd64\n",
	} {
		if got, err := kernelPackage(text, "some-package"); err == nil || !strings.Contains(err.Error(), "some-package") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestAPTConfig(t *testing.T) {
	dir := t.TempDir()
	a, err := newAPT(dir, "arm64")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "apt.conf"))
	if err != nil || string(text) != a.config() {
		t.Fatalf("%s, %v", text, err)
	}
	for _, want := range []string{
		`APT::Architecture "arm64";`, `APT::Architectures { "arm64"; };`,
		`Dir::State::lists "` + dir + `/lists";`, `Dir::Cache "` + dir + `/cache";`, `Dir::State::status "` + dir + `/status";`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, d := range []string{"lists/partial", "cache/archives/partial"} {
		if _, err := os.Stat(filepath.Join(dir, d)); err != nil {
			t.Error(err)
		}
	}
}

// command makes a directory the only one in which commands are looked for, and puts shell scripts there.
func command(t *testing.T, scripts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

// pack makes an archive of files, by name.
func pack(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range files {
		text := "this is " + name
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestKernel: a kernel is fetched once and then kept; each thing that can be missing is named.
func TestKernel(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(archive, pack(t, "./boot/config-1", "./boot/vmlinuz-6.1.0-56", "./etc/x"), 0o644); err != nil {
		t.Fatal(err)
	}
	good := map[string]string{
		"apt-get":   `test "$2" = update || : > "$3"_1_amd64.deb`,
		"apt-cache": "while read -r line; do echo \"$line\"; done <<'.'\n" + shown + ".\n",
		"dpkg-deb":  `exec /bin/cat ` + archive,
	}
	with := func(name, text string) map[string]string {
		m := map[string]string{}
		for k, v := range good {
			m[k] = v
		}
		if m[name] = text; text == "" {
			delete(m, name)
		}
		return m
	}
	for _, c := range []struct {
		name    string
		scripts map[string]string
		want    string // part of the error
	}{
		{"no apt", with("apt-get", ""), "apt-get is not on this machine"},
		{"no dpkg", with("dpkg-deb", ""), "dpkg-deb cannot be run"},
		{"no network", with("apt-get", "echo 'E: no route' >&2; exit 100"), "no route"},
		{"no package", with("apt-cache", "echo 'E: No packages found' >&2; exit 100"), "No packages found"},
		{"not Debian", with("apt-cache", "echo Package: x"), "names no kernel"},
		{"nothing came", with("apt-get", ":"), "left 0 packages"},
		{"no archive", with("dpkg-deb", "echo nonsense"), "cannot be read"},
		{"no kernel in it", with("dpkg-deb", ":"), "no boot/vmlinuz"},
	} {
		command(t, c.scripts)
		dir := t.TempDir()
		_, _, err := kernelIn(t.Context(), dir, "amd64", func(string) {})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "-peer=false") {
			t.Errorf("%s: %v", c.name, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
			t.Errorf("%s: it left %v", c.name, left)
		}
	}
	command(t, good)
	dir := t.TempDir()
	for _, what := range []string{"fetched", "kept"} {
		file, version, err := kernelIn(t.Context(), dir, "amd64", func(string) {})
		text, _ := os.ReadFile(file)
		if err != nil || version != "6.1.0-56" || string(text) != "this is ./boot/vmlinuz-6.1.0-56" {
			t.Errorf("%s: %q, %q, %q, %v", what, file, version, text, err)
		}
		command(t, nil) // the second time nothing is run
	}
	if _, _, err := kernelIn(t.Context(), dir, "mips", nil); err == nil || !strings.Contains(err.Error(), `"mips"`) {
		t.Error(err)
	}
}

// TestPickCut: an archive that ends too early leaves nothing behind.
func TestPickCut(t *testing.T) {
	data := pack(t, "boot/vmlinuz-1")
	dir := t.TempDir()
	if err := pick(bytes.NewReader(data[:520]), dir); err == nil {
		t.Error("it was taken for whole")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
		t.Errorf("it left %v", left)
	}
}

func TestArchive(t *testing.T) {
	data, err := Archive([]byte("program"), map[string][]byte{"virtio_net": []byte("card"), "virtio": []byte("bus"), "other": []byte("none")})
	if err != nil {
		t.Fatal(err)
	}
	a, err := cpio.ArchiveFromReader(cpio.Newc.Reader(bytes.NewReader(data)))
	if err != nil {
		t.Fatal(err)
	}
	init, ok := a.Get("init")
	if !ok || init.Mode&0o777 != 0o755 {
		t.Fatalf("init: %v, %v", ok, init)
	}
	if text, err := io.ReadAll(io.NewSectionReader(init, 0, int64(init.FileSize))); string(text) != "program" || err != nil {
		t.Errorf("init is %q, %v", text, err)
	}
	if c, ok := a.Get("dev/console"); !ok || c.Rmajor != 5 || c.Rminor != 1 {
		t.Errorf("console: %v, %v", ok, c)
	}
	var modules []string
	for _, r := range a.Order {
		if name, is := strings.CutPrefix(r, "modules/"); is {
			modules = append(modules, name)
		}
	}
	if got := strings.Join(modules, " "); got != "1-virtio 7-virtio_net" {
		t.Errorf("modules, in the order in which they are loaded: %s", got)
	}
}

// TestPickModules: of a package's files those that a card needs are kept, of the version that is asked for.
func TestPickModules(t *testing.T) {
	var data bytes.Buffer
	w := tar.NewWriter(&data)
	for _, name := range []string{"lib/modules/6.1/kernel/net/virtio_net.ko", "lib/modules/6.2/kernel/net/virtio.ko", "lib/modules/6.1/kernel/net/other.ko", "boot/vmlinuz-6.1"} {
		if err := w.WriteHeader(&tar.Header{Name: "./" + name, Typeflag: tar.TypeReg, Size: 4, Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, "data")
	}
	w.Close()
	dir := t.TempDir()
	if err := pickModules(bytes.NewReader(data.Bytes()), dir, "6.1"); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(dir + "/*"); len(files) != 1 || filepath.Base(files[0]) != "virtio_net.ko" {
		t.Errorf("kept: %q", files)
	}
	if err := pickModules(bytes.NewReader(data.Bytes()), dir, "6.3"); err == nil || !strings.Contains(err.Error(), "6.3") {
		t.Errorf("of a version that is not there: %v", err)
	}
	if err := pickModules(bytes.NewReader(data.Bytes()[:514]), dir, "6.1"); err == nil {
		t.Error("a broken package is taken")
	}
}

func TestCmdline(t *testing.T) {
	got := Machine{Arch: "amd64", Args: []string{"-ops", "^a$"}}.cmdline()
	if !strings.Contains(got, "console=ttyS0 ") || !strings.Contains(got, "tsc=reliable") || !strings.HasSuffix(got, " -- -ops ^a$") {
		t.Error(got)
	}
	if got := (Machine{Arch: "arm64"}).cmdline(); !strings.Contains(got, "console=ttyAMA0 ") || strings.Contains(got, "tsc") {
		t.Error(got)
	}
}

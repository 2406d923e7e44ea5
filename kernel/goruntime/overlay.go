package goruntime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	amd64 "sched9/arch/amd64/layout"
	arm64 "sched9/arch/arm64/layout"
)

// Tag is the build tag that an image is built with.
const Tag = "sched9"

// A Part is what an image has only if it is asked for: the cuts in cut_PART.txt, and what is built with its tag.
type Part string

// The parts.
const (
	Hunt  Part = "hunt"  // schedules can be hunted in the image (sched/hunt.go)
	Names Part = "names" // the image shows itself as files (docs/names.md)
)

// Tag is the part's build tag.
func (p Part) Tag() string { return Tag + string(p) }

// LinkerFlags are the linker's arguments for an image for goarch. It must let our packages
// reach into the runtime by name, put code where there is memory, do its work itself, and
// leave the table of symbols in: the audit reads it. It is not part of the image. An image has no more than it needs between
// segments, which pages of 4 KiB keep apart. For real machines the image begins behind what firmware may keep for itself.
func LinkerFlags(goarch string, metal bool) string {
	flags := "-checklinkname=0 -linkmode=internal -s=false"
	if goarch == "arm64" {
		return flags + fmt.Sprintf(" -T=%#x -R=%#x", arm64.TextStart, 4096)
	}
	if metal {
		flags += fmt.Sprintf(" -T=%#x", amd64.MetalText)
	}
	return flags
}

// DenseFlags are more of them for an image that is to be small: it has no more than it needs between functions, which begin anywhere on
// amd64. A test's functions lie as on Linux: benchmarks depend on that, and the runtime's own test looks at what is between them.
func DenseFlags(goarch string) string {
	if goarch == "arm64" {
		return " -funcalign=4"
	}
	return " -funcalign=1"
}

// OverlayFile is what Prepare calls the overlay file.
const OverlayFile = "overlay.json"

// Prepare writes into dir what makes an image of any program for
// goarch, built with the toolchain whose GOROOT is given, and returns the name
// of the overlay file for go build. dir is the caller's and may hold an earlier
// overlay. GOROOT must not lie in the module cache: go build refuses overlays
// there. The image has the parts that are named, if it is built with their tags.
func (s Sources) Prepare(goroot, goarch, dir string, parts ...Part) (overlay string, err error) {
	replace, err := s.overlay(goroot, goarch, parts)
	if err != nil {
		return "", err
	}
	paths := map[string]string{}
	for name, data := range replace {
		from := filepath.Join(goroot, "src", filepath.FromSlash(name))
		if data == nil {
			paths[from] = ""
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := Write(to, data); err != nil {
			return "", err
		}
		paths[from] = to
	}
	data, err := json.MarshalIndent(map[string]any{"Replace": paths}, "", "\t")
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, OverlayFile)
	return overlay, Write(overlay, data)
}

// Write stores data in a file, unless it is there already: unchanged times keep
// the build fast. A go command that reads an earlier overlay there finds each file whole, the old or the new.
func Write(name string, data []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".new-")
	if err != nil {
		return err
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

// Sum writes all inputs of overlays, except for the toolchain, to w.
func (s Sources) Sum(w io.Writer) error {
	return s.each(func(name string, data []byte) error {
		_, err := fmt.Fprintf(w, "%s\x00%d\x00%s", name, len(data), data)
		return err
	})
}

// overlay returns what the overlay holds: contents by name under GOROOT/src, nil
// for a file that is taken out.
func (s Sources) overlay(goroot, goarch string, parts []Part) (map[string][]byte, error) {
	out := map[string][]byte{}
	var cuts []cut
	// What is quick comes before what it saves.
	lists := []string{fastList, "cut.txt", "cut_" + goarch + ".txt"}
	for _, p := range parts {
		list := "cut_" + string(p) + ".txt"
		if p == Names { // it measures what the quick ways do, too
			lists = slices.Insert(lists, 0, list)
			continue
		}
		lists = append(lists, list)
	}
	for _, name := range lists {
		text, err := fs.ReadFile(s.files, path.Join(own, name))
		if name == fastList && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("there is no cut list for %s", goarch)
		}
		c, err := parse(name, string(text))
		if err != nil {
			return nil, err
		}
		cuts = append(cuts, c...)
	}
	byFile := map[string][]cut{}
	for _, c := range cuts {
		if strings.HasPrefix(c.file, OutsideRoot) {
			continue // Outside's
		}
		byFile[c.file] = append(byFile[c.file], c)
	}
	names := make([]string, 0, len(byFile))
	for name := range byFile {
		names = append(names, name)
	}
	sort.Strings(names)
	var errs []error
	for _, name := range names {
		src, err := os.ReadFile(filepath.Join(goroot, "src", filepath.FromSlash(name)))
		if err != nil {
			errs = append(errs, fmt.Errorf("this toolchain has no %s: %w", name, err))
			continue
		}
		var data []byte
		switch {
		case byFile[name][0].verb == "drop":
			// nil takes the file out
		case strings.HasSuffix(name, ".s"):
			data, err = editAsm(name, src, byFile[name])
		default:
			data, err = editGo(name, src, byFile[name])
		}
		if err != nil {
			errs = append(errs, err)
		}
		out[name] = data
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("the cut list does not fit the toolchain in %s:\n%w", goroot, err)
	}
	return out, s.add(out, goarch)
}

// Root is the import path of our packages in an image. It differs from the one in the checkout,
// because a program in our own module would otherwise find two packages sched9/kernel. Below
// internal/runtime, package runtime may import them, and the runtime does not preempt a goroutine
// in them (isAsyncSafePoint).
const Root = "internal/runtime/s9/"

// ArchRoot is the path of package arch. It holds assembly, and the assembler runs in the package's
// directory, so that directory must exist in GOROOT; this one does, and holds packages but is not
// one itself.
const ArchRoot = "internal/runtime"

// Own reports whether the import path is that of one of our packages in an image.
func Own(path string) bool { return path == ArchRoot || strings.HasPrefix(path, Root) }

// move renames our packages in a source file: in imports, in go:linkname, and in
// assembly, where a division slash stands for the slash.
func move(data []byte) []byte {
	for _, r := range [][2]string{
		{"sched9/arch\"", ArchRoot + "\""},
		{"sched9∕arch·", strings.ReplaceAll(ArchRoot, "/", "∕") + "·"},
		{"sched9/", Root},
		{"sched9∕", strings.ReplaceAll(Root, "/", "∕")},
	} {
		data = bytes.ReplaceAll(data, []byte(r[0]), []byte(r[1]))
	}
	return data
}

// otherArch reports whether a file belongs to another architecture than goarch.
func otherArch(name, goarch string) bool {
	for _, a := range []string{"amd64", "arm64"} {
		if a != goarch && strings.HasPrefix(name, "arch/"+a+"/") {
			return true
		}
	}
	return false
}

// add adds sched9's own packages, and its files for package runtime and for others, which lie in the folder std.
func (s Sources) add(out map[string][]byte, goarch string) error {
	return s.each(func(name string, data []byte) error {
		switch {
		case path.Dir(name) == own+"/runtime":
			out["runtime/"+path.Base(name)] = move(data)
		case strings.HasPrefix(name, own+"/std/"):
			out[strings.TrimPrefix(name, own+"/std/")] = data
		case strings.HasPrefix(name, own+"/"):
			// This package, which runs on the host.
		case strings.HasPrefix(name, "srv/"):
			data, err := moveImports(name, data, false)
			if err != nil {
				return err
			}
			out[OutsideRoot+name] = data
		case path.Dir(name) == "arch":
			out[ArchRoot+"/"+path.Base(name)] = move(data)
		case otherArch(name, goarch):
		case name == bindFile:
			data, err := s.bind()
			if err != nil {
				return err
			}
			out[Root+name] = move(data)
		default:
			out[Root+name] = move(data)
		}
		return nil
	})
}

package image

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"sched9/kernel/goruntime"
	"sched9/tools/internal/toolchain"
)

// pkg is what `go list` tells of a package.
type pkg struct {
	Name                      string
	ImportPath                string
	Dir                       string
	Standard                  bool
	DepOnly                   bool
	GoFiles                   []string
	TestGoFiles, XTestGoFiles []string
	CgoFiles                  []string
	Error                     *struct{ Err string }
	DepsErrors                []*struct{ Err string }
}

// list asks about the program and all its imports. Packages of the standard library that would use
// cgo do without it; any other that would is an error, as are several packages, and one that is not
// main, unless its tests are wanted. Errors in the program's text are left to the compiler, which reports them better. It returns what
// the program is called and where it is, and the parts of an image that it asks for by an import.
func list(ctx context.Context, t toolchain.Toolchain, src Source, arch string, user userFlags, want Test) (img Image, parts []goruntime.Part, err error) {
	args := append([]string{"list", "-e", "-deps", "-json=Name,ImportPath,Dir,Standard,DepOnly,GoFiles,TestGoFiles,XTestGoFiles,CgoFiles,Error", user.tagArg()}, user.both...)
	if user.overlay != "" {
		args = append(args, "-overlay="+user.overlay)
	}
	args = append(args, src.Args...)
	cmd := t.Command(ctx, src.Dir, arch, args...)
	cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return img, nil, ctx.Err()
	}
	if err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = errors.New(text)
		}
		return img, nil, &ProgramError{Source: src.Given, Err: err}
	}
	pkgs, err := decode(out)
	if err != nil {
		return img, nil, err
	}
	if img.Test, err = judge(pkgs, want); err != nil {
		return img, nil, &ProgramError{Source: src.Given, Err: err}
	}
	if slices.ContainsFunc(pkgs, func(p pkg) bool { return p.ImportPath == namesImport }) {
		parts = append(parts, goruntime.Names)
	}
	if i := slices.IndexFunc(pkgs, func(p pkg) bool { return p.ImportPath == publicImport }); i >= 0 {
		img.public = pkgs[i].Dir
	}
	if img.Name = programName(src, pkgs); img.Test {
		img.Name += ".test"
	}
	img.Dir = pkgs[slices.IndexFunc(pkgs, func(p pkg) bool { return !p.DepOnly })].Dir
	return img, parts, nil
}

// publicImport is the package by which a program mounts servers.
const publicImport = "sched9/srv"

// namesImport is the package that asks for goruntime.Names.
const namesImport = "sched9/names"

// decode reads the stream of objects that `go list -json` writes.
func decode(out []byte) ([]pkg, error) {
	var pkgs []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list is not understood: %w", err)
		}
		pkgs = append(pkgs, p)
	}
}

// judge says whether the packages are one program without cgo, or one package whose tests are wanted (test).
func judge(pkgs []pkg, want Test) (test bool, err error) {
	var named int
	for _, p := range pkgs {
		tests := len(p.TestGoFiles)+len(p.XTestGoFiles) > 0
		program := p.Name == "main" && (len(p.GoFiles) > 0 || !tests)
		switch {
		case p.DepOnly:
			continue
		case p.Error != nil && len(p.GoFiles)+len(p.CgoFiles) == 0 && !(tests && want != NoTest):
			return false, errors.New(strings.TrimSpace(p.Error.Err))
		case p.Name == "" && p.Error == nil:
			return false, errors.New("it has no Go files")
		case want == OnlyTest || want == EitherTest && program && tests || (want == MaybeTest || want == EitherTest) && !program && p.Name != "":
			if test = true; !tests {
				return false, fmt.Errorf("it is package %s, and has no tests", p.Name)
			}
		case p.Name != "main" && p.Name != "":
			return false, fmt.Errorf("it is package %s, not main: only a program can boot", p.Name)
		}
		named++
	}
	if named != 1 {
		return false, fmt.Errorf("it names %d packages, not one", named)
	}
	for _, p := range pkgs {
		if !p.Standard && len(p.CgoFiles) > 0 {
			return false, fmt.Errorf("it needs cgo (%s in package %s): only pure Go can boot", p.CgoFiles[0], p.ImportPath)
		}
	}
	return test, nil
}

// programName is what `go build` would call the program: the guest's os.Args[0].
func programName(src Source, pkgs []pkg) string {
	if strings.HasSuffix(src.Args[0], ".go") {
		return strings.TrimSuffix(src.Args[0], ".go")
	}
	for _, p := range pkgs {
		if !p.DepOnly && p.ImportPath != "" && p.ImportPath != "." {
			base := path.Base(p.ImportPath)
			if major.MatchString(base) && path.Dir(p.ImportPath) != "." {
				base = path.Base(path.Dir(p.ImportPath))
			}
			return base
		}
	}
	return path.Base(src.Dir)
}

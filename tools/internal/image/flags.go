package image

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sched9/kernel/goruntime"
	"sched9/tools/internal/toolchain"
)

// The user's flags for go build come from GOFLAGS, which the go command hears by itself, and
// then from Options.Flags. Most are passed on as they are. These are not:
//
//	-tags, -ldflags     ours are added; the linker takes the last of what contradicts itself, and ours come last
//	-gcflags            are not for the runtime, what it imports, and our own packages (spare)
//	-overlay            is joined to ours
//	-modfile, -pgo      name files relative to the user's directory, not to the program's, where the go command runs;
//	                    so do patterns of packages in -ldflags and -gcflags
//	-race               wants cgo and a library for Linux: the compiler's flag and the build tag take its place (docs/race.md)
//	-msan, -asan        need a library for Linux, and are refused
type userFlags struct {
	both    []string // for go list and go build
	build   []string // for go build alone
	tags    []string
	link    []string // values of -ldflags
	race    bool     // -race
	calls   bool     // functions of sync/atomic are calls
	overlay string   // file, or ""
	metal   bool     // the image is for real machines: no flag of theirs
	test    bool     // the image is go test's
	stays   bool     // the overlay has a permanent place, and nothing in it is the user's
}

// readFlags reads GOFLAGS, and then given: flags of the form -NAME=VALUE. dir is the directory
// of the program.
func readFlags(goflags string, given []string, dir string) (userFlags, error) {
	var u userFlags
	cwd, err := os.Getwd()
	if err != nil {
		return u, err
	}
	fields, err := splitQuoted(goflags)
	if err != nil {
		return u, fmt.Errorf("GOFLAGS: %w", err)
	}
	sanitize := map[string]bool{}
	for i, f := range slices.Concat(fields, given) {
		name, value, has := strings.Cut(strings.TrimLeft(f, "-"), "=")
		switch name {
		case "tags":
			u.tags = strings.FieldsFunc(value, func(c rune) bool { return c == ',' || c == ' ' })
		case "ldflags":
			u.link = append(u.link, rebase(value, cwd, dir))
		case "gcflags":
			if dir, err := hotDir(); err == nil && strings.Contains(value, "=-pgoprofile="+dir) {
				break // sched9 env has set it
			}
			u.build = append(u.build, "-gcflags="+rebase(value, cwd, dir))
		case "overlay":
			u.overlay = absolute(value, cwd)
			if own, err := overlays(); err == nil && strings.HasPrefix(u.overlay, own+string(filepath.Separator)) {
				u.overlay = "" // sched9 env has set it
			}
		case "modfile":
			u.both = append(u.both, "-modfile="+absolute(value, cwd))
		case "pgo":
			if value != "auto" && value != "off" {
				value = absolute(value, cwd)
			}
			u.both = append(u.both, "-pgo="+value)
		case "race", "msan", "asan":
			on, err := strconv.ParseBool(value)
			if has && err != nil {
				return u, fmt.Errorf("-%s=%s is neither true nor false", name, value)
			}
			sanitize[name] = !has || on
		default:
			if i >= len(fields) { // of GOFLAGS the go command hears by itself
				u.both = append(u.both, f)
			}
		}
	}
	for _, name := range []string{"race", "msan", "asan"} {
		on, said := sanitize[name]
		if on && name == "race" {
			u.addRace()
		} else if on {
			return u, fmt.Errorf("-%s needs a library that runs on Linux: say -%s=false", name, name)
		}
		if said { // the go command may hear it from GOFLAGS
			u.both = append(u.both, "-"+name+"=false")
		}
	}
	return u, nil
}

// addRace makes the flags those of a build for the race detector.
func (u *userFlags) addRace() {
	u.race = true
	u.tags = append(u.tags, "race")
	u.addCompiler("-race")
}

// addCalls has the functions of sync/atomic, and others, be calls that the compiler makes no instructions of. With -race they are anyway.
func (u *userFlags) addCalls() {
	u.calls = true
	u.addCompiler(noIntrinsics)
}

// noIntrinsics is the compiler's flag for that.
const noIntrinsics = "-d=ssa/intrinsics/off"

// addCompiler has all packages compiled with a flag. Of -gcflags the last value whose pattern matches counts, alone, so each
// of the user's gets it, too.
func (u *userFlags) addCompiler(flag string) {
	build := []string{"-gcflags=all=" + flag}
	for _, f := range u.build {
		build = append(build, f+" "+flag)
	}
	u.build = build
}

// splitQuoted splits s at blanks, as the go command does: ” or "" may be around a field,
// not in it, and nothing is escaped.
func splitQuoted(s string) (fields []string, err error) {
	const blank = " \t\r\n"
	for s = strings.TrimLeft(s, blank); s != ""; s = strings.TrimLeft(s, blank) {
		n, rest := strings.IndexAny(s, blank), ""
		if q := s[0]; q == '"' || q == '\'' {
			if n = strings.IndexByte(s[1:], q); n < 0 {
				return nil, fmt.Errorf("a %c without its counterpart", q)
			}
			s, rest = s[1:n+1], s[n+2:]
		} else if n >= 0 {
			s, rest = s[:n], s[n:]
		}
		fields, s = append(fields, s), rest
	}
	return fields, nil
}

// absolute makes a path that is relative to cwd absolute. "" stays so.
func absolute(path, cwd string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(cwd, path)
}

// splitPattern takes a value of -ldflags or -gcflags, [PATTERN=]FLAGS, apart.
func splitPattern(value string) (pattern, flags string) {
	value = strings.TrimSpace(value)
	if p, f, ok := strings.Cut(value, "="); ok && value[0] != '-' {
		return p, f
	}
	return "", value
}

// rebase turns a pattern of packages relative to cwd into one relative to dir.
func rebase(value, cwd, dir string) string {
	p, f := splitPattern(value)
	if p == "" {
		return value
	}
	if p == "." || p == ".." || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") {
		if rel, err := filepath.Rel(dir, filepath.Join(cwd, p)); err == nil {
			p = "./" + filepath.ToSlash(rel)
		}
	}
	return p + "=" + f
}

// linker returns -ldflags with ours, which each of the user's values must hold too: for the
// program the last value whose pattern matches counts, alone.
func (u userFlags) linker(ours string) []string {
	args := []string{"-ldflags=" + ours}
	for _, v := range u.link {
		p, f := splitPattern(v)
		if p != "" {
			p += "="
		}
		args = append(args, "-ldflags="+p+strings.TrimSpace(f+" "+ours))
	}
	return args
}

// spare returns -gcflags that cancel the user's for the runtime, its imports, and so our packages.
// The compiler itself leaves no optimisation out of the runtime, because that would insert write
// barriers where none are allowed. Without inlining the chains of calls without a stack check would
// be too long, and checkptr does not fit code that makes addresses from numbers.
//
// With -race only our own packages are spared that: the compiler knows which ones of the runtime it must leave alone, and the others
// must fit a sync/atomic that is no instructions.
func (u userFlags) spare(ctx context.Context, t toolchain.Toolchain, dir, arch string, args []string) ([]string, error) {
	if !slices.ContainsFunc(u.build, func(f string) bool { return strings.HasPrefix(f, "-gcflags=") }) {
		return nil, nil
	}
	cmd := t.Command(ctx, dir, arch, slices.Concat([]string{"list", "-deps"}, args, []string{"runtime"})...)
	cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list runtime: %w", err)
	}
	var spared []string
	for _, p := range strings.Fields(string(out)) {
		flags := ""
		switch {
		case u.race && !goruntime.Own(p):
			flags = "-race"
		case u.calls && p == "sync/atomic":
			flags = noIntrinsics // or the compiler gives its functions bodies
		}
		spared = append(spared, "-gcflags="+p+"="+flags)
	}
	return spared, nil
}

// overlayFile is what go build reads by -overlay.
type overlayFile struct{ Replace map[string]string }

// joinOverlay adds the user's overlay to ours, which is in the file called name, and returns the name of a file with
// both. Paths in the user's are relative to his directory.
func (u userFlags) joinOverlay(name string) (joined string, err error) {
	if u.overlay == "" {
		return name, nil
	}
	ours, err := readOverlay(name)
	if err != nil {
		return "", err
	}
	theirs, err := readOverlay(u.overlay)
	if err != nil {
		return "", err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for from, to := range theirs.Replace {
		from = absolute(from, cwd)
		if _, taken := ours.Replace[from]; taken {
			return "", fmt.Errorf("-overlay replaces %s, which an image has in another form", from)
		}
		ours.Replace[from] = absolute(to, cwd)
	}
	data, err := json.Marshal(ours)
	joined = filepath.Join(filepath.Dir(name), "joined.json")
	return joined, errors.Join(err, goruntime.Write(joined, data))
}

// readOverlay reads an overlay file.
func readOverlay(name string) (o overlayFile, err error) {
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	if err != nil {
		err = fmt.Errorf("-overlay: %w", err)
	}
	return o, err
}

// tagArg is -tags with ours.
func (u userFlags) tagArg(ours ...string) string {
	return "-tags=" + strings.Join(append(slices.Clone(u.tags), append(ours, goruntime.Tag)...), ",")
}

// Flags returns the toolchain for dir, and the flags that go build or go test needs there to make executables for
// images (Wrap). given are the user's own, as in Options.Flags; parts are what the images have beside the usual. The overlay has a permanent place below the user's
// cache directory, named by its contents: writing and removing its files takes longer than all the rest here.
func Flags(ctx context.Context, dir, goarch string, given []string, parts []goruntime.Part, note func(string)) (t toolchain.Toolchain, flags []string, err error) {
	if t, err = toolchain.Find(ctx, dir, note); err != nil {
		return t, nil, err
	}
	user, err := readFlags(t.Flags, given, dir)
	if err != nil {
		return t, nil, &FlagError{err}
	}
	public := user.findPublic(ctx, t, dir, goarch)
	key := user.overlay + "\x00" + public
	for _, p := range parts {
		key += "\x00" + p.Tag()
	}
	own, err := overlayDir(t.Root, goarch, key)
	if err == nil && public != "" {
		err = user.addPublic(public, own+"-srv")
	}
	if err != nil {
		return t, nil, err
	}
	user.test = true
	user.stays = user.overlay == ""
	flags, err = user.all(ctx, t, dir, goarch, own, parts, note)
	return t, flags, err
}

// FlagError says what is wrong with the user's flags.
type FlagError struct{ error }

// all returns the user's flags with ours, for a build in dir. scratch gets the overlay; tags are ours, beside
// the usual one and those of parts.
func (u userFlags) all(ctx context.Context, t toolchain.Toolchain, dir, goarch, scratch string, parts []goruntime.Part, note func(string), tags ...string) ([]string, error) {
	sources, err := goruntime.FindSources(".")
	if err != nil {
		return nil, err
	}
	if slices.Contains(parts, goruntime.Hunt) && !u.race {
		u.addCalls()
	}
	overlay, hot, err := u.overlaid(ctx, t, sources, goarch, scratch, parts, note)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		tags = append(tags, p.Tag())
	}
	flags := append(slices.Clone(u.both), "-overlay="+overlay, u.tagArg(tags...))
	spared, err := u.spare(ctx, t, dir, goarch, flags)
	if err != nil {
		return nil, err
	}
	link := goruntime.LinkerFlags(goarch, u.metal)
	if !u.test {
		link += goruntime.DenseFlags(goarch)
	}
	return slices.Concat(flags, u.build, spared, hot, u.linker(link)), nil
}

// overlaid makes the overlay in scratch, and the flags that go with it, unless it stays there and is what it was (made.go). An overlay
// without the network does not: the modules for it may be had the next time.
func (u userFlags) overlaid(ctx context.Context, t toolchain.Toolchain, sources goruntime.Sources, goarch, scratch string, parts []goruntime.Part, note func(string)) (overlay string, hot []string, err error) {
	if u.stays {
		if hot, ok := made(scratch); ok {
			return filepath.Join(scratch, goruntime.OverlayFile), u.unlessRace(hot), nil
		}
	}
	if overlay, err = sources.Prepare(t.Root, goarch, scratch, parts...); err != nil {
		return "", nil, err
	}
	whole := true
	lacks := func(s string) { whole = false; note(s) }
	if err := addModules(ctx, t, sources, overlay, lacks); err != nil {
		return "", nil, err
	}
	if overlay, err = u.joinOverlay(overlay); err != nil {
		return "", nil, &FlagError{err}
	}
	if hot, err = hotFlags(sources, t.Root, goarch, overlay, scratch); err != nil {
		return "", nil, err
	}
	if u.stays && whole {
		err = keepMade(overlay, t.Root, hot)
	}
	return overlay, u.unlessRace(hot), err
}

// unlessRace is hot, and nothing with the race detector: there the compiler has more to put in, and speed is not the aim.
func (u userFlags) unlessRace(hot []string) []string {
	if u.race {
		return nil
	}
	return hot
}

// hotDir is the directory of all profiles that stay.
func hotDir() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "sched9", "hot"), err
}

// hotFlags are the flags by which the compiler puts the calls of goruntime.HotList in line. They name a file. The go command's
// cache takes a name for the contents, so the file has a permanent place, and is named by what is in it; if the user has no
// cache directory it is in scratch, and the packages are compiled each time.
func hotFlags(sources goruntime.Sources, goroot, goarch, overlay, scratch string) (flags []string, err error) {
	profile, packages, _, err := sources.Profile(goroot, goarch, overlay)
	if err != nil || len(packages) == 0 {
		return nil, err
	}
	dir, err := hotDir()
	if err != nil {
		dir = scratch
	}
	file := filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256(profile))[:16])
	if err := goruntime.Write(file, profile); err != nil {
		return nil, err
	}
	for _, pkg := range packages {
		flags = append(flags, "-gcflags="+pkg+"=-pgoprofile="+file)
	}
	return flags, nil
}

// overlays is the directory of all overlays that stay.
func overlays() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "sched9", "overlay"), err
}

// overlayDir is the permanent directory of a toolchain's overlay, joined with the user's if that is not "". Another
// version of this tool has another directory, so that neither removes files under a go command of the other.
func overlayDir(goroot, goarch, user string) (string, error) {
	all, err := overlays()
	if err != nil {
		return "", err
	}
	sources, err := goruntime.FindSources(".")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	if err := sources.Sum(sum); err != nil {
		return "", err
	}
	fmt.Fprintf(sum, "%s\x00%s\x00%s", goroot, goarch, user)
	return filepath.Join(all, fmt.Sprintf("%x", sum.Sum(nil)[:8])), nil
}

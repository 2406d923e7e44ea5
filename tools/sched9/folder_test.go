package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The long tier asks for more: of machines, of seeds.
var (
	folderMachines = flag.String("folder.machines", "amd64,q35", "`ARCH,MACHINE` of TestFolder, with spaces between several")
	folderSeeds    = flag.Int("folder.seeds", 1, "`number` of runs on each")
	folderSteps    = flag.Int("folder.steps", 150, "`number` of things that each goroutine does in a run")
)

// treeOf lists what is below dir, with what it holds.
func treeOf(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		i, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s %v", strings.TrimPrefix(name, dir), i.Mode())
		switch {
		case i.Mode().IsRegular():
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %q", b)
		case i.Mode().Type() == fs.ModeSymlink:
			to, err := os.Readlink(name)
			if err != nil {
				return err
			}
			line += " " + to
		}
		all = append(all, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFolder has a guest do random things in a folder of the host's, from several goroutines, and Linux the same in another: what each call returns must be the
// same, and so must the trees.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	prog := filepath.Join(dir, "prog")
	if out, err := exec.Command("go", "build", "-o", prog, "./testdata/folder").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	images := map[string]string{}
	for _, machine := range strings.Fields(*folderMachines) {
		arch, machine, _ := strings.Cut(machine, ",")
		if images[arch] == "" {
			images[arch] = filepath.Join(dir, arch)
			if _, stderr, status := sched9(t, "build", "-root", "-arch", arch, "-o", images[arch], "./testdata/folder"); status != 0 {
				t.Fatalf("status %d\n%s", status, stderr)
			}
		}
		for seed := range *folderSeeds {
			guests, hosts := filepath.Join(dir, fmt.Sprint("guest", machine, seed)), filepath.Join(dir, fmt.Sprint("host", machine, seed))
			for _, d := range []string{guests, hosts} {
				if err := os.Mkdir(d, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			args := []string{strconv.Itoa(seed), "4", strconv.Itoa(*folderSteps)}
			want, err := exec.Command(prog, append([]string{hosts}, args...)...).Output()
			if err != nil {
				t.Fatal(err)
			}
			got, stderr, status := sched9(t, append([]string{"run", "-smp", "2", "-arch", arch, "-machine", machine, "-timeout", "5m", "-root", guests, images[arch], "/n/host"}, args...)...)
			if status != 0 {
				t.Fatalf("status %d\n%s", status, stderr)
			}
			compare := func(what string, got, want []string) {
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Fatalf("%s, seed %d: %s differs:\nguest %.300s\nLinux %.300s", machine, seed, what, got[i], want[i])
					}
				}
				if len(got) != len(want) {
					t.Fatalf("%s, seed %d: %s has %d lines in the guest, %d on Linux", machine, seed, what, len(got), len(want))
				}
			}
			compare("the log", strings.Split(got, "\n"), strings.Split(string(want), "\n"))
			compare("the tree", treeOf(t, guests), treeOf(t, hosts))
		}
	}
	readOnlyFolder(t, images["amd64"])
}

// readOnlyFolder has a guest try to change what it must not.
func readOnlyFolder(t *testing.T, image string) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "g0"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := treeOf(t, dir)
	_, stderr, status := sched9(t, "run", "-root", dir+",ro", image, "/n/host", "1", "1", "10")
	if status != 2 || !strings.Contains(stderr, "read-only file system") || !slices.Equal(treeOf(t, dir), before) {
		t.Errorf("status %d\n%s", status, stderr)
	}
}

// TestFolderFlags: wrong folders are refused, before anything is built.
func TestFolderFlags(t *testing.T) {
	dir := t.TempDir()
	for _, c := range [][]string{{"-root", dir + "/none"}, {"-root", ""}, {"-root", os.Args[0]}, {"-root", dir, "-icount"}} {
		if _, stderr, status := sched9(t, append(append([]string{"run"}, c...), "./testdata/folder")...); status != statusUsage {
			t.Errorf("%q: status %d\n%s", c, status, stderr)
		}
	}
}

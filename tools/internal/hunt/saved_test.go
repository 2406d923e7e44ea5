package hunt

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestSaved: what is saved is read by a hunt of the same program, architecture and arguments alone; the same kind of failure has one file.
func TestSaved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]*c") // as no pattern
	if all, err := ReadSaved(dir, "amd64", nil); len(all) != 0 || err != nil {
		t.Errorf("%v, %v of a package that has none", all, err)
	}
	args := []string{"-run", "^TestClose$"}
	s := Saved{Title: "panic: lost: 3", Arch: "amd64", Args: args, Seed: 17, Strategy: 2, Depth: 3, Moves: "s9.2"}
	name, err := s.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	s.Title, s.Seed, s.Name = "panic: lost: 12", 18, name
	if again, err := s.Write(dir); again != name || err != nil {
		t.Errorf("%s, %v, and before %s", again, err, name)
	}
	if all, err := ReadSaved(dir, "amd64", args); err != nil || len(all) != 1 || !reflect.DeepEqual(all[0], s) {
		t.Errorf("%+v, %v; want %+v", all, err, s)
	}
	if other, err := (Saved{Title: "panic: found", Arch: "amd64", Seed: 1}).Write(dir); other == name || err != nil {
		t.Errorf("another failure has the same file: %v", err)
	}
	for arch, args := range map[string][]string{"arm64": args, "amd64": args[:1]} {
		if all, err := ReadSaved(dir, arch, args); len(all) != 0 || err != nil {
			t.Errorf("%s %q: %v, %v", arch, args, all, err)
		}
	}
	if all, err := ReadSaved(dir, "amd64", nil); len(all) != 1 || err != nil {
		t.Errorf("without arguments: %v, %v", all, err)
	}
	for _, bad := range []string{"", "seed 17", `{"seed": "x"}`, `{"sead": 17}`} {
		if err := os.WriteFile(name, []byte(bad), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSaved(dir, "amd64", args); err == nil || !strings.Contains(err.Error(), filepath.Base(name)) {
			t.Errorf("%q is read: %v", bad, err)
		}
	}
}

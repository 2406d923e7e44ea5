package hunt

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestSaved: what is saved is read, and is of the same program, architecture, arguments and flags alone; the same kind of failure has one file.
func TestSaved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]*c") // as no pattern
	if all, err := ReadSaved(dir); len(all) != 0 || err != nil {
		t.Errorf("%v, %v of a package that has none", all, err)
	}
	args := []string{"-run", "^TestClose$"}
	s := Saved{Title: "panic: lost: 3", Arch: "amd64", Args: args, Flags: []string{"-race=true"}, Seed: 17, Strategy: 2, Depth: 3, Moves: "s9.2"}
	name, err := s.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	s.Title, s.Seed, s.Name = "panic: lost: 12", 18, name
	if again, err := s.Write(dir); again != name || err != nil {
		t.Errorf("%s, %v, and before %s", again, err, name)
	}
	if all, err := ReadSaved(dir); err != nil || len(all) != 1 || !reflect.DeepEqual(all[0], s) {
		t.Errorf("%+v, %v; want %+v", all, err, s)
	}
	for _, other := range []Saved{{Title: "panic: found", Arch: "amd64", Args: args, Flags: s.Flags}, {Title: s.Title, Arch: "amd64", Args: args}, {Title: s.Title, Arch: "amd64", Flags: s.Flags}} {
		if file, err := other.Write(dir); file == name || err != nil {
			t.Errorf("%+v has the same file, %v", other, err)
		}
	}
	if all, err := ReadSaved(dir); len(all) != 4 || err != nil {
		t.Errorf("of four failures %v, %v", all, err)
	}
	if !s.Of("amd64", args, s.Flags) || s.Of("arm64", args, s.Flags) || s.Of("amd64", args[:1], s.Flags) || s.Of("amd64", args, nil) {
		t.Error("a saved schedule is of another program, or not of its own")
	}
	for _, bad := range []string{"", "seed 17", `{"seed": "x"}`, `{"sead": 17}`} {
		if err := os.WriteFile(name, []byte(bad), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSaved(dir); err == nil || !strings.Contains(err.Error(), filepath.Base(name)) {
			t.Errorf("%q is read: %v", bad, err)
		}
	}
}

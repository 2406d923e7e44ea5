package archive

import (
	"bytes"
	"strings"
	"testing"

	"github.com/u-root/u-root/pkg/cpio"
)

// newc writes an archive.
func newc(t testing.TB, files ...cpio.Record) []byte {
	t.Helper()
	var b bytes.Buffer
	w := cpio.Newc.Writer(&b)
	if err := cpio.WriteRecords(w, files); err != nil {
		t.Fatal(err)
	}
	if err := cpio.WriteTrailer(w); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// file is a member of the tests' archive.
type file struct{ name, data string }

// some is an archive with a directory d, and files of many lengths.
func some(t testing.TB) (data []byte, files []file) {
	records := []cpio.Record{cpio.Directory("d", 0o755)}
	for n := range 9 {
		files = append(files, file{"d/" + strings.Repeat("n", n+1), strings.Repeat("x", n)})
	}
	files = append(files, file{"d/large", strings.Repeat("y", 100_000)})
	for _, f := range files {
		records = append(records, cpio.StaticFile(f.name, f.data, 0o600))
	}
	return newc(t, records...), files
}

func TestNext(t *testing.T) {
	const dir, regular = 0o040755, 0o100600
	data, files := some(t)
	f, data, ok := Next(data)
	if !ok || string(f.Name) != "d" || f.Mode != dir || len(f.Data) != 0 {
		t.Errorf("the first: %s, mode %o, %q, %v", f.Name, f.Mode, f.Data, ok)
	}
	for _, want := range files {
		f, data, ok = Next(data)
		if !ok || string(f.Name) != want.name || f.Mode != regular || string(f.Data) != want.data {
			t.Errorf("%s, mode %o, %d bytes, %v; want %s", f.Name, f.Mode, len(f.Data), ok, want.name)
		}
	}
	if _, _, ok := Next(data); ok {
		t.Error("there is more")
	}
}

func TestFind(t *testing.T) {
	data, _ := some(t)
	for name, n := range map[string]int{"d/n": 0, "d/nnn": 2, "d/large": 100_000, "d": 0} {
		if f, ok := Find(data, name); !ok || len(f) != n {
			t.Errorf("%s: %d bytes, %v", name, len(f), ok)
		}
	}
	for _, name := range []string{"", "n", "TRAILER!!!"} {
		if _, ok := Find(data, name); ok {
			t.Errorf("%q is there", name)
		}
	}
}

// TestBroken cuts an archive off everywhere and spoils every byte of its first part: nothing
// outside of it is read, and it comes to an end.
func TestBroken(t *testing.T) {
	data, _ := some(t)
	data = data[:2000]
	for n := range data {
		Find(data[:n:n], "d/nowhere")
	}
	for i := range data {
		for _, c := range []byte{0, '0', 'f', 'x', 0xff} {
			bad := bytes.Clone(data)
			bad[i] = c
			Find(bad, "d/nowhere")
		}
	}
}

// FuzzNext reads anything.
func FuzzNext(f *testing.F) {
	data, _ := some(f)
	f.Add(data[:1000])
	f.Fuzz(func(t *testing.T, data []byte) {
		for ok := true; ok; {
			before := len(data)
			_, data, ok = Next(data)
			if ok && len(data) >= before {
				t.Fatal("it does not get shorter")
			}
		}
	})
}

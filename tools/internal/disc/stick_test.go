package disc

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/diskfs/go-diskfs/backend/file"
	"github.com/diskfs/go-diskfs/filesystem/fat32"
	"github.com/diskfs/go-diskfs/partition/gpt"
)

// TestStick: the application is where firmware looks, whole, whatever its size, on a stick with a sound table and a file system that has clusters
// enough to be FAT32.
func TestStick(t *testing.T) {
	for _, size := range []int{1, 5 << 20, 70<<20 + 1} {
		application := bytes.Repeat([]byte("0123456789abcde"), size/15+1)[:size]
		name := filepath.Join(t.TempDir(), "stick")
		if err := writeStick(name, "BOOTX64.EFI", application); err != nil {
			t.Fatal(err)
		}
		f, err := file.OpenFromPath(name, true)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		table, err := gpt.Read(f, sectorBytes, sectorBytes)
		if err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Verify(f, uint64(st.Size())); err != nil {
			t.Error(err)
		}
		p := table.Partitions[0]
		if p.Type != gpt.EFISystemPartition || !table.ProtectiveMBR {
			t.Errorf("the partition is %+v", p)
		}
		clusters := p.Size / sectorBytes * 98 / 100 // the rest is tables
		if clusters < 65525 {
			t.Errorf("%d clusters are not FAT32", clusters)
		}
		fs, err := fat32.Read(f, int64(p.Size), int64(p.Start)*sectorBytes, sectorBytes)
		if err != nil {
			t.Fatal(err)
		}
		in, err := fs.OpenFile("/EFI/BOOT/BOOTX64.EFI", os.O_RDONLY)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, application) {
			t.Errorf("%v, %d bytes of %d, or others", err, len(got), size)
		}
	}
	if err := writeStick(filepath.Join(t.TempDir(), "none", "stick"), "BOOTX64.EFI", nil); err == nil {
		t.Error("no error")
	}
}

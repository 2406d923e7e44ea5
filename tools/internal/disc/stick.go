package disc

import (
	"errors"
	"fmt"
	"os"

	"github.com/diskfs/go-diskfs/backend"
	"github.com/diskfs/go-diskfs/backend/file"
	"github.com/diskfs/go-diskfs/filesystem/fat32"
	"github.com/diskfs/go-diskfs/partition/gpt"

	"sched9/boot"
)

// Sizes of a stick, in bytes. FAT32 wants 65,525 clusters at least (Microsoft's FAT specification, 3.5), which have a sector each
// here. A partition begins and ends on a whole MiB.
const (
	sectorBytes = 512
	leastFAT    = 40 << 20
	mebibyte    = 1 << 20
)

// Application is the UEFI application of d.
func (d Disc) Application() ([]byte, error) { return boot.EFI(d.Image, d.Line, d.Module) }

// MakeStick writes an image of a USB stick to the file name: a partition table of UEFI's kind, and in its one partition the
// application under the name that firmware looks for on a medium that it does not know (UEFI 2.10, 3.5.1.1).
func (d Disc) MakeStick(name string) error {
	application, err := d.Application()
	if err != nil {
		return err
	}
	name64 := "BOOTX64.EFI"
	if boot.FormatOf(d.Image) == boot.Linux {
		name64 = "BOOTAA64.EFI"
	}
	return writeStick(name, name64, application)
}

// writeStick is MakeStick for an application that is there, and is to be called called.
func writeStick(name, called string, application []byte) error {
	// A quarter more, and then some, for tables and directories.
	size := max(leastFAT, int64(len(application))*5/4/mebibyte*mebibyte+8*mebibyte)
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		return err
	}
	if err := os.Truncate(name, size+2*mebibyte); err != nil {
		return err
	}
	f, err := file.OpenFromPath(name, false)
	if err != nil {
		return err
	}
	err = fillStick(f, size, called, application)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("the stick could not be made: %w", err)
	}
	return nil
}

// fillStick writes the table, and a file system of the given size with the application.
func fillStick(f backend.Storage, size int64, called string, application []byte) error {
	w, err := f.Writable()
	if err != nil {
		return err
	}
	table := gpt.Table{
		LogicalSectorSize: sectorBytes, PhysicalSectorSize: sectorBytes, ProtectiveMBR: true,
		Partitions: []*gpt.Partition{{
			Index: 1, Start: mebibyte / sectorBytes, End: uint64(mebibyte+size)/sectorBytes - 1,
			Type: gpt.EFISystemPartition, Name: "sched9",
		}},
	}
	if err := table.Write(w, size+2*mebibyte); err != nil {
		return err
	}
	fs, err := fat32.Create(f, size, mebibyte, sectorBytes, "SCHED9", false)
	if err != nil {
		return err
	}
	if err := fs.Mkdir("/EFI/BOOT"); err != nil {
		return err
	}
	boot, err := fs.OpenFile("/EFI/BOOT/"+called, os.O_CREATE|os.O_RDWR)
	if err != nil {
		return err
	}
	_, err = boot.Write(application)
	return errors.Join(err, boot.Close())
}

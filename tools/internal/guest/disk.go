package guest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"

	"sched9/qemu"
)

// Disk is a disk of a guest: a file, or one that is made for the run.
type Disk struct {
	File  string // a raw image of whole sectors, if Size is 0
	Write bool   // what the guest writes goes into File
	// Size, if not 0, is that of a disk which the guest may write to and which
	// goes away with the run: see Pattern.
	Size int64
}

// sectorSize is a disk's unit.
const sectorSize = 512

// maxDisk bounds the disks that are made for a run.
const maxDisk = 1 << 30

// Check says what is wrong with d.
func (d Disk) Check() error {
	switch {
	case d.Size == 0:
		return qemu.Disk{Path: d.File, Write: d.Write}.Check()
	case d.Size < 0 || d.Size > maxDisk || d.Size%sectorSize != 0:
		return fmt.Errorf("disk: %d bytes asked for, whole sectors of %d and at most %d MiB are possible", d.Size, sectorSize, maxDisk>>20)
	}
	return nil
}

// Pattern fills a sector of a disk that is made for a run: its own number, as 64
// bits in little-endian order, over and over.
func Pattern(sector []byte, number uint64) {
	for i := 0; i < len(sector); i += 8 {
		binary.LittleEndian.PutUint64(sector[i:], number)
	}
}

// prepare makes the disks for QEMU, files among those that it adds to.
func prepare(disks []Disk, files *temporary) (ready []qemu.Disk, err error) {
	for _, d := range disks {
		q := qemu.Disk{Path: d.File, Write: d.Write}
		if d.Size != 0 {
			if q.Path, err = makeDisk(d.Size, files); err != nil {
				return nil, fmt.Errorf("a disk for the guest could not be made: %w", err)
			}
			q.Write = true
		}
		ready = append(ready, q)
	}
	return ready, nil
}

// makeDisk makes a file of the given size with the pattern.
func makeDisk(size int64, files *temporary) (name string, err error) {
	file, err := files.create("disk")
	if err != nil {
		return "", err
	}
	w := bufio.NewWriterSize(file, 1<<20)
	var sector [sectorSize]byte
	for n := uint64(0); n < uint64(size/sectorSize); n++ {
		Pattern(sector[:], n)
		w.Write(sector[:]) // its error stays with w
	}
	return file.Name(), errors.Join(w.Flush(), file.Close())
}

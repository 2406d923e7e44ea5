package guest

import (
	"encoding/binary"
	"errors"

	"sched9/arch/amd64/layout"
	arm64 "sched9/arch/arm64/layout"
	"sched9/kernel/ramfs"
	"sched9/qemu"
)

// Back is what the host wants of a guest's files when it has ended, however it did: the host reads them in the
// guest's memory.
type Back struct {
	Tree  uint64   // where the kernel's tree is (package image)
	Paths []string // files, or directories with all below them
	Maybe []string // more of them, of which it is no error if they cannot be had
}

// imageOffset returns by how much an image for arm64 lies higher in memory, which begins at physical address base, than it is linked to. Its Info says
// so, which is looked for first where it is linked to, and then at each page: a loader may have left a second copy of the image, but the entry code has
// filled in only the one that runs.
func imageOffset(memory []byte, base uint64) (offset uint64) {
	at := func(pa uint64) (offset uint64, ok bool) {
		i := pa - base
		if i >= uint64(len(memory)) || uint64(len(memory))-i < arm64.OffLeft {
			return 0, false
		}
		info := memory[i:]
		offset = binary.LittleEndian.Uint64(info[arm64.OffOffset:])
		return offset, binary.LittleEndian.Uint64(info) == arm64.InfoMagic && offset == pa-arm64.InfoAt
	}
	if _, ok := at(arm64.InfoAt); ok {
		return 0
	}
	const page = 4096
	for pa := base; pa < base+uint64(len(memory)); pa += page {
		if offset, ok := at(pa); ok {
			return offset
		}
	}
	return 0
}

// files are those at the paths that the guest has made or changed. A path that is not there is an error, and the others
// are returned all the same.
func (b *Back) files(memory []byte, arch, machine string) (all []ramfs.OutFile, err error) {
	base := qemu.MemoryBase(machine)
	higher := uint64(0)
	if arch == "arm64" {
		higher = imageOffset(memory, base)
	}
	read := func(at uintptr, to []byte) bool {
		pa := uint64(at)
		if pa >= layout.DirectMap {
			pa -= layout.DirectMap
		} else {
			pa += higher
		}
		at64, size := pa-base, uint64(len(memory))
		if pa < base || pa >= 4<<30 || at64 > size || uint64(len(to)) > size-at64 {
			return false
		}
		copy(to, memory[at64:])
		return true
	}
	for _, path := range b.Paths {
		files, e := ramfs.Outside(read, uintptr(b.Tree), path)
		all, err = append(all, files...), errors.Join(err, e)
	}
	for _, path := range b.Maybe {
		if files, e := ramfs.Outside(read, uintptr(b.Tree), path); e == nil {
			all = append(all, files...)
		}
	}
	return all, err
}

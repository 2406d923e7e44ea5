package guest

import (
	"errors"

	"sched9/arch/amd64/layout"
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

// files are those at the paths that the guest has made or changed. A path that is not there is an error, and the others
// are returned all the same.
func (b *Back) files(memory []byte, arch string) (all []ramfs.OutFile, err error) {
	base := qemu.MemoryBase(arch)
	read := func(at uintptr, to []byte) bool {
		pa := uint64(at)
		if pa >= layout.DirectMap {
			pa -= layout.DirectMap
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

package guest

import (
	"encoding/binary"
	"testing"

	"sched9/arch/arm64/layout"
)

// TestImageOffset: of two copies of an image the one counts that runs, wherever it lies.
func TestImageOffset(t *testing.T) {
	const base, higher = 0x4000_0000, 0x20_3000
	put := func(memory []byte, at, offset uint64) {
		info := memory[layout.InfoAt+at-base:]
		binary.LittleEndian.PutUint64(info, layout.InfoMagic)
		binary.LittleEndian.PutUint64(info[layout.OffOffset:], offset)
	}
	memory := make([]byte, 8<<20)
	if n := imageOffset(memory, base); n != 0 {
		t.Errorf("no image is %#x higher", n)
	}
	put(memory, 0x10_0000, 0) // a copy that does not run
	put(memory, higher, higher)
	if n := imageOffset(memory, base); n != higher {
		t.Errorf("the image is %#x higher, want %#x", n, higher)
	}
	put(memory, 0, 0)
	if n := imageOffset(memory, base); n != 0 {
		t.Errorf("an image where it is linked to is %#x higher", n)
	}
	// Below where it is linked to, as on a board whose memory begins at 0.
	memory = make([]byte, 4<<20)
	at := uint64(0x20_1000)
	binary.LittleEndian.PutUint64(memory[at:], layout.InfoMagic)
	lower := at - layout.InfoAt
	binary.LittleEndian.PutUint64(memory[at+layout.OffOffset:], lower)
	if n := imageOffset(memory, 0); n != lower {
		t.Errorf("the image is %#x higher, want %#x", n, lower)
	}
}

package arch

import "sched9/arch/amd64/layout"

// Screen is where a picture is. All but Text says how: a pixel has 32 bits there; otherwise a cell has 16, a character and its
// colours.
type Screen struct {
	Base          uintptr // mapped
	Pitch         int     // bytes from one line, or row of cells, to the next
	Width, Height int     // pixels or cells
	Text          bool
}

// FindScreen returns the screen: the framebuffer that the boot loader tells of, or VGA's text mode. Call it after
// ReadLoader. Both lie below 4 GiB, where the direct map shows them; that memory there is uncached, or combines
// writes, is firmware's affair (SDM 3A, 12.11).
func FindScreen() (s Screen, ok bool) {
	if f := boot.Screen; f.Width != 0 {
		return Screen{Base: Phys(f.Base), Pitch: int(f.Pitch), Width: int(f.Width), Height: int(f.Height)}, true
	}
	const (
		text   = 0xb8000
		width  = 80
		height = 25
	)
	return Screen{Base: layout.DirectMap + text, Pitch: 2 * width, Width: width, Height: height, Text: true}, vgaText()
}

// vgaText reports whether there is a VGA in a text mode, with colours (IBM, Personal System/2 Hardware Interface Technical
// Reference, Video Subsystem). It leaves the registers as they are, but for the graphics controller's index.
func vgaText() bool {
	const (
		misc     = 0x3cc // 1: colour
		graphics = 0x3ce // index; the register is behind it
		crt      = 0x3d4

		mode      = 6 // of graphics: 0: graphics or text, 2 and 3: which memory
		modeMask  = 1 | 3<<2
		modeText  = 3 << 2 // from 0xb8000 on
		cursorLow = 0xf    // of crt: all bits can be written
		test      = 0x5a
	)
	if in8(misc)&1 == 0 {
		return false
	}
	out8(crt, cursorLow)
	was := in8(crt + 1)
	out8(crt+1, test)
	there := in8(crt+1) == test
	out8(crt+1, was)
	out8(graphics, mode)
	return there && in8(graphics+1)&modeMask == modeText
}

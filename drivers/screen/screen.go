// Package screen writes text on a PC's screen: in VGA's text mode, or on a framebuffer that firmware has left behind. It
// reads nothing from the screen, which is slow to read, and draws again only the cells that have changed.
package screen

import (
	"unsafe"

	"sched9/arch"
	"sched9/drivers/screen/qr"
)

// A glyph of the font (font.go), and the cell that it is drawn in: a column more, which keeps glyphs apart.
const (
	glyphWidth  = 6
	glyphHeight = 13
	cellWidth   = glyphWidth + 1

	// Each pixel of a glyph is so many pixels high and wide as the screen has this width.
	scaleWidth = 1600
)

// Bounds of the text: a larger screen has a margin.
const (
	maxColumns = 256
	maxRows    = 128
)

// jump is which part of the screen's rows goes away when the last one is full. With one row at a time almost all
// cells would change with each line.
const jump = 8

// Colours: of VGA's attribute, and of a pixel of any order of colours.
const (
	grey  = 0x07
	white = 0xffff_ffff
)

// The screen and what is on it. The caller of Write guards it.
var (
	at            arch.Screen
	columns, rows int
	scale         int // pixels of the screen for one of a glyph's, in both directions
	x, y          int // of the next byte; y is rows when the screen is to move first
	cells         [maxRows][maxColumns]byte
)

// Attach finds the screen, clears it, and reports whether there is one.
func Attach() bool {
	found, ok := arch.FindScreen()
	if !ok {
		return false
	}
	at = found
	scale = 1 + at.Width/scaleWidth
	columns, rows = at.Width/(cellWidth*scale), at.Height/(glyphHeight*scale)
	if at.Text {
		columns, rows = at.Width, at.Height
	}
	columns, rows = min(columns, maxColumns), min(rows, maxRows)
	if columns == 0 || rows == 0 {
		return false
	}
	x, y = 0, 0
	for r := range rows {
		for c := range columns {
			cells[r][c] = ' '
			if at.Text {
				draw(r, c)
			}
		}
	}
	if !at.Text {
		arch.Zero(at.Base, uintptr(at.Pitch*at.Height))
	}
	return true
}

// Write shows n bytes at p, and returns n. What is not ASCII becomes one question mark for a character.
func Write(p, n uintptr) uintptr {
	for i := range n {
		switch c := *(*byte)(unsafe.Pointer(p + i)); {
		case c == '\n':
			x = 0
			y++
		case c == '\r':
			x = 0
		case c == '\t':
			for put(' '); x%8 != 0; {
				put(' ')
			}
		case c >= 0x80 && c < 0xc0: // of a character that has begun
		case c < first || c > last:
			put('?')
		default:
			put(c)
		}
	}
	return n
}

// put writes a character and goes on to the next cell, at the end of a row to the next row.
func put(c byte) {
	if x == columns {
		x = 0
		y++
	}
	if y >= rows {
		up()
	}
	if cells[y][x] != c {
		cells[y][x] = c
		draw(y, x)
	}
	x++
}

// up moves the text up, so that row y is on the screen.
func up() {
	by := y - rows + 1 + rows/jump
	for r := range rows {
		for c := range columns {
			next := byte(' ')
			if r+by < rows {
				next = cells[r+by][c]
			}
			if cells[r][c] != next {
				cells[r][c] = next
				draw(r, c)
			}
		}
	}
	y -= by
}

// draw shows a cell.
func draw(r, c int) {
	if at.Text {
		*(*uint16)(unsafe.Pointer(at.Base + uintptr(r*at.Pitch+2*c))) = grey<<8 | uint16(cells[r][c])
		return
	}
	glyph := int(cells[r][c]-first) * glyphHeight
	for line := range glyphHeight * scale {
		p := at.Base + uintptr((r*glyphHeight*scale+line)*at.Pitch+c*cellWidth*scale*4)
		bits := glyphs[glyph+line/scale]
		for range glyphWidth {
			pixel := uint32(0)
			if bits&0x80 != 0 {
				pixel = white
			}
			for range scale {
				*(*uint32)(unsafe.Pointer(p)) = pixel
				p += 4
			}
			bits <<= 1
		}
	}
}

// Code draws a QR code of n bytes at p into the upper right corner of a framebuffer, over the text, which may draw over it again. Of more than
// qr.Max bytes it shows the first. A small screen gets none: a camera would not tell its modules apart; nor does text mode.
func Code(p, n uintptr) {
	const (
		whole = qr.Size + 2*qr.Quiet
		least = 2 // pixels of a module, in both directions
	)
	side := min(at.Width/2, at.Height*2/3) / whole
	if at.Text || side < least {
		return
	}
	qr.Make(int(min(n, qr.Max)), func(i int) byte { return *(*byte)(unsafe.Pointer(p + uintptr(i))) })
	for row := range whole * side {
		to := at.Base + uintptr(row*at.Pitch+(at.Width-whole*side)*4)
		for column := range whole * side {
			pixel := uint32(white)
			if qr.Dark(row/side-qr.Quiet, column/side-qr.Quiet) {
				pixel = 0
			}
			*(*uint32)(unsafe.Pointer(to + uintptr(column)*4)) = pixel
		}
	}
}

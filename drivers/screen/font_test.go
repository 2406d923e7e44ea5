package screen

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/image/font/basicfont"
)

var write = flag.Bool("write", false, "write font.go")

// TestFont: the font is X11's 7x13 in the public domain, as golang.org/x/image has it.
func TestFont(t *testing.T) {
	var packed []byte
	face := basicfont.Face7x13
	for c := first; c <= last; c++ {
		for line := range glyphHeight {
			bits := byte(0)
			for i := range glyphWidth {
				if _, _, _, a := face.Mask.At(i, int(c-first)*glyphHeight+line).RGBA(); a != 0 {
					bits |= 0x80 >> i
				}
			}
			packed = append(packed, bits)
		}
	}
	if string(packed) != glyphs {
		t.Error("font.go is another font's: go test ./drivers/screen -run TestFont -write makes it anew")
	}
	if !*write {
		return
	}
	var b strings.Builder
	b.WriteString(`package screen

// Characters that the font has.
const first, last = ' ', '~'

// glyphs are their pixels, a byte for each line, the leftmost in bit 7: X11's misc-fixed 7x13, which is in the public domain.
// TestFont wrote it.
const glyphs = "" +
`)
	for c := range len(packed) / glyphHeight {
		b.WriteString("\t\"")
		for _, bits := range packed[c*glyphHeight:][:glyphHeight] {
			fmt.Fprintf(&b, "\\x%02x", bits)
		}
		b.WriteString("\"")
		if c < int(last-first) {
			b.WriteString(" +")
		}
		b.WriteString("\n")
	}
	if err := os.WriteFile("font.go", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

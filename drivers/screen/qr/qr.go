// Package qr makes a QR code of a text (ISO/IEC 18004:2015): of version 20 with error correction L, bytes, and mask 0, which every reader knows. A kernel's
// fault draws it, so it allocates nothing and has one code at a time.
package qr

// Sides and sizes of version 20-L (tables 1, 7 and 9).
const (
	Size = 97 // modules in a row, without the quiet zone
	Max  = data - 3
	// Quiet is how many light modules are to be around the code (9.1).
	Quiet = 4

	version  = 20
	data     = 861 // codewords of data, in blocks of which the first have one fewer
	blocks   = 8
	smaller  = 3
	least    = 107 // codewords of data in a smaller block
	checks   = 28  // codewords of error correction of each block
	codeword = data + blocks*checks

	timing = 6 // the row, and the column, of the timing pattern
)

// alignments are the centres of alignment patterns, in both directions (annex E).
var alignments = [...]int{6, 34, 62, 90}

// What a module is.
const (
	dark  = 1 << 0
	fixed = 1 << 1 // part of a pattern: no data is there
)

// The code. The caller of Make guards it.
var (
	modules   [Size][Size]byte
	words     [data]byte           // the data, block behind block
	remainder [blocks][checks]byte // each block's error correction
	generator [checks]byte         // the polynomial's coefficients, without the first, which is 1
)

// Make makes the code of the bytes that at returns, of which there are n, at most Max. Dark shows it, until the next call.
func Make(n int, at func(i int) byte) {
	modules = [Size][Size]byte{}
	patterns()
	encode(n, at)
	correct()
	place()
}

// Dark reports whether a module is dark. Those outside of the code are light.
func Dark(row, column int) bool {
	return row >= 0 && row < Size && column >= 0 && column < Size && modules[row][column]&dark != 0
}

// set makes a module part of a pattern.
func set(row, column int, isDark bool) {
	modules[row][column] = fixed
	if isDark {
		modules[row][column] |= dark
	}
}

// patterns draws all that is the same in each code of this kind (6.3), and format and version (7.9, 7.10).
func patterns() {
	for i := range Size {
		set(timing, i, i%2 == 0)
		set(i, timing, i%2 == 0)
	}
	for _, row := range alignments {
		for _, column := range alignments {
			const last = Size - 7
			if corner := (row == timing || row == last) && (column == timing || column == last); !corner || row == column && row == last {
				square(row, column, 2, 1)
			}
		}
	}
	const far = Size - 4
	square(3, 3, 4, 2)
	square(3, far, 4, 2)
	square(far, 3, 4, 2)

	const levelAndMask = 1 << 3 // L, mask 0
	format := uint(levelAndMask<<10|check(levelAndMask, 10, 0x537)) ^ 0x5412
	for i := range 15 {
		bit := format>>i&1 != 0
		// Around the first finder pattern, beside the timing patterns; and in two pieces at the others.
		switch {
		case i < 6:
			set(i, 8, bit)
		case i < 8:
			set(i+1, 8, bit)
		case i == 8:
			set(8, 7, bit)
		default:
			set(8, 14-i, bit)
		}
		if i < 8 {
			set(8, Size-1-i, bit)
		} else {
			set(Size-15+i, 8, bit)
		}
	}
	set(Size-8, 8, true)

	number := uint(version<<12 | check(version, 12, 0x1f25))
	for i := range 18 {
		bit := number>>i&1 != 0
		set(i/3, Size-11+i%3, bit)
		set(Size-11+i%3, i/3, bit)
	}
}

// square draws the square around a centre: the ring at distance light is light, and the one at distance 4, which keeps what follows away.
func square(row, column, radius, light int) {
	const apart = 4
	for r := max(row-radius, 0); r <= min(row+radius, Size-1); r++ {
		for c := max(column-radius, 0); c <= min(column+radius, Size-1); c++ {
			ring := max(r-row, row-r, c-column, column-c)
			set(r, c, ring != light && ring != apart)
		}
	}
}

// check returns the bits that are appended to v as error correction: the remainder of v, with as many zeros, by a polynomial
// (annexes C and D).
func check(v, bits, polynomial uint) uint {
	r := v << bits
	for i := bits + 8; i >= bits; i-- {
		if r>>i&1 != 0 {
			r ^= polynomial << (i - bits)
		}
	}
	return r
}

// encode makes codewords of the bytes: kind, number, bytes, an end, and what fills up (7.4.5, 7.4.9, 7.4.10).
func encode(n int, at func(i int) byte) {
	const bytes = 4 // the kind, half a codeword; so all that follows begins in the middle of one
	k, half := 0, byte(bytes)
	put := func(b byte) {
		words[k] = half<<4 | b>>4
		k, half = k+1, b&0xf
	}
	put(byte(n >> 8))
	put(byte(n))
	for i := range n {
		put(at(i))
	}
	put(0)
	for fill := byte(0xec); k < data; fill ^= 0xec ^ 0x11 {
		words[k] = fill
		k++
	}
}

// from is where block b's data begin.
func from(b int) int { return b*least + max(b-smaller, 0) }

// correct makes the error correction of each block: the remainder of its data by the generator polynomial (7.5.2).
func correct() {
	generator = [checks]byte{checks - 1: 1}
	root := byte(1)
	for range checks {
		// Times x less the root. Subtracting is adding.
		for i := range checks {
			generator[i] = times(generator[i], root)
			if i+1 < checks {
				generator[i] ^= generator[i+1]
			}
		}
		root = times(root, 2)
	}
	for b := range blocks {
		r := &remainder[b]
		*r = [checks]byte{}
		for _, w := range words[from(b):from(b+1)] {
			factor := w ^ r[0]
			copy(r[:], r[1:])
			r[checks-1] = 0
			for i := range checks {
				r[i] ^= times(generator[i], factor)
			}
		}
	}
}

// times multiplies in the field of 256 elements that codes are made in.
func times(a, b byte) (p byte) {
	const reduce = 0x1d // the field's polynomial, 0x11d, without what is shifted out
	for ; b != 0; b >>= 1 {
		if b&1 != 0 {
			p ^= a
		}
		high := a >> 7
		a = a<<1 ^ high*reduce
	}
	return p
}

// word is codeword k of the code: the blocks' first ones, their second ones, and so on; so is their error correction (7.6).
func word(k int) byte {
	switch {
	case k < least*blocks:
		return words[from(k%blocks)+k/blocks]
	case k < data:
		return words[from(smaller+k-least*blocks)+least]
	}
	k -= data
	return remainder[k%blocks][k/blocks]
}

// place puts the codewords' bits where no pattern is, in columns of two modules from the right, up and down in turns (7.7.3), under the mask (7.8.2).
func place() {
	i := 0
	for right := Size - 1; right > 0; right -= 2 {
		if right == timing {
			right--
		}
		for step := range Size {
			row := step
			if (right+1)&2 == 0 {
				row = Size - 1 - step
			}
			for column := right; column > right-2; column-- {
				m := &modules[row][column]
				if *m&fixed != 0 {
					continue
				}
				bit := byte(0)
				if i < 8*codeword {
					bit = word(i/8) >> (7 - i%8) & 1
				}
				i++
				*m = bit ^ byte(row+column+1)&1
			}
		}
	}
}

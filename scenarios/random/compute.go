package main

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// blocks are all that programs are made of.
var blocks = map[string]block{}

// register adds blocks.
func register(more map[string]block) {
	for name, b := range more {
		blocks[name] = b
	}
}

// Blocks that compute: nothing in them waits.
func init() {
	register(map[string]block{
		"arith":   {most: []int{3000}, make: func(n []int, _ []fn) fn { return func(x uint64) uint64 { return arith(x, n[0]) } }},
		"floats":  {most: []int{2000}, make: func(n []int, _ []fn) fn { return func(x uint64) uint64 { return floats(x, n[0]) } }},
		"bytes":   {most: []int{3000}, make: func(n []int, _ []fn) fn { return func(x uint64) uint64 { return moves(x, n[0]) } }},
		"strings": {most: []int{60}, make: func(n []int, _ []fn) fn { return func(x uint64) uint64 { return texts(x, n[0]) } }},
		"maps":    {most: []int{200}, make: func(n []int, _ []fn) fn { return func(x uint64) uint64 { return table(x, n[0]) } }},
		"sort":    {most: []int{300}, make: func(n []int, _ []fn) fn { return func(x uint64) uint64 { return sorted(x, n[0]) } }},
		"alloc":   {most: []int{9}, make: func(n []int, _ []fn) fn { return func(x uint64) uint64 { return tree(x, n[0]).sum() } }},
		"deep":    {most: []int{400}, make: func(n []int, _ []fn) fn { return func(x uint64) uint64 { return dig(x, n[0]) } }},
		"wide":    {most: []int{6}, make: func(n []int, _ []fn) fn { return func(x uint64) uint64 { return wide(x, n[0]) } }},
	})
}

// arith keeps carries and wide products alive.
func arith(x uint64, n int) uint64 {
	lo, hi, acc, carry := x|1, uint64(0), x, uint64(0)
	for range n {
		hi, lo = bits.Mul64(lo, 0x9e3779b97f4a7c15)
		lo ^= hi
		acc, carry = bits.Add64(acc, lo, carry)
		acc = bits.RotateLeft64(acc, int(carry)+5)
	}
	return acc
}

// floats keeps more floating-point values alive than there are scratch registers. Each
// product is rounded before it is added, as on a machine that cannot do both at once.
func floats(x uint64, n int) uint64 {
	a := 0.1 + float64(float64(x&1023)/2048)
	b, c, d, e, f := a/2, a/3, a/5, 1+a, 2+a
	for range n {
		a = float64(float64(3.99*a) * float64(1-a))
		b = math.Sqrt(float64(float64(b*b)*0.5) + a)
		c = float64(c*0.75) + b
		d = float64(d-float64(c*0.125)) + a
		e = math.Abs(float64(e*0.5)-d) + 1
		f = float64(f*0.25) + float64(e/(1+c))
	}
	r := x
	for _, v := range [...]float64{a, b, c, d, e, f} {
		r = bits.RotateLeft64(r, 7) ^ math.Float64bits(v)
	}
	return r
}

// moves runs the assembly that uses wide registers.
func moves(x uint64, n int) uint64 {
	src, dst := make([]byte, n+16), make([]byte, n+32)
	for i := range src {
		src[i] = byte(x>>(i&31)) + byte(i)
	}
	r := uint64(0)
	for off := range 5 {
		m := copy(dst[off:], src)
		copy(src[1:], src) // overlapping
		r = r*31 + uint64(crc32.ChecksumIEEE(dst[:m])) + uint64(bytes.Count(dst, []byte{byte(x)})) + uint64(bytes.IndexByte(dst, 0xff)+1)
	}
	if !bytes.Equal(dst[4:4+n], slices.Clone(dst)[4:4+n]) {
		wrong("bytes: a copy differs")
	}
	return r
}

// texts makes strings of strings.
func texts(x uint64, n int) uint64 {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%x-%d ", mix(x+uint64(i))>>40, i)
	}
	words := strings.Fields(b.String())
	r := uint64(len(b.String()))
	for _, w := range words {
		head, tail, _ := strings.Cut(w, "-")
		r = r*31 + uint64(len(head)) + uint64(strings.Count(strings.Repeat(tail, 3), "1")) + uint64(w[0])
	}
	return r
}

// table fills a map and empties half of it.
func table(x uint64, n int) uint64 {
	m := map[uint64]string{}
	for i := range uint64(n) {
		m[mix(x+i)%1000] = fmt.Sprint(i)
	}
	for k := range m {
		if k%2 == 0 {
			delete(m, k)
		}
	}
	var r uint64
	for k, v := range m {
		r += mix(k) ^ uint64(len(v))
	}
	return r + uint64(len(m))
}

// sorted sorts.
func sorted(x uint64, n int) uint64 {
	s := make([]uint64, n)
	for i := range s {
		x = mix(x)
		s[i] = x
	}
	slices.Sort(s)
	if !slices.IsSorted(s) {
		wrong("sort: not sorted")
	}
	return s[n/2] ^ s[0]
}

// leaf is a node of a tree.
type leaf struct {
	left, right *leaf
	text        string
	v           uint64
}

// tree makes one of 2^depth-1 nodes.
func tree(x uint64, depth int) *leaf {
	if depth == 0 {
		return nil
	}
	return &leaf{tree(mix(x), depth-1), tree(mix(x+1), depth-1), string(rune('a' + x%26)), x}
}

// sum adds a tree up.
func (l *leaf) sum() uint64 {
	if l == nil {
		return 0
	}
	return l.left.sum() + 3*l.right.sum() + l.v + uint64(l.text[0])
}

// dig calls itself, with a pointer into each caller's frame.
//
//go:noinline
func dig(x uint64, n int) uint64 {
	var pad [10]uint64
	return digInto(&pad, mix(x), n) + pad[3]
}

// digInto is dig's other half.
//
//go:noinline
func digInto(up *[10]uint64, x uint64, n int) uint64 {
	up[3] += x
	if n == 0 {
		return x
	}
	return dig(x, n-1) + up[3]
}

// wide has a frame that no new goroutine's stack has room for.
//
//go:noinline
func wide(x uint64, n int) uint64 {
	var frame [1024]uint64
	for i := range frame {
		frame[i] = x * uint64(i)
	}
	r := uint64(0)
	if n > 1 {
		r = wide(x+1, n-1)
	}
	for i, v := range frame {
		if v != x*uint64(i) {
			wrong("wide: word %d of a frame changed", i)
			break
		}
	}
	return r + frame[x%1024]
}

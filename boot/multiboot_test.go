package boot

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/u-root/u-root/pkg/boot/multiboot"
)

// TestMultibootProbe lets another project's loader look at the images.
func TestMultibootProbe(t *testing.T) {
	for format, want := range map[Format]bool{PVH: false, Multiboot: true} {
		img, err := probe().image(format)
		if err != nil {
			t.Fatal(err)
		}
		if err := multiboot.Probe(bytes.NewReader(img)); (err == nil) != want {
			t.Errorf("u-root about a %v image: %v", format, err)
		}
	}
}

func TestMultibootHeader(t *testing.T) {
	want := []byte{0x02, 0xb0, 0xad, 0x1b, 3, 0, 0, 0, 0xfb, 0x4f, 0x52, 0xe4}
	if got := multibootHeader(); !bytes.Equal(got, want) {
		t.Errorf("header is % x, want % x", got, want)
	}
}

// TestMultiboot2Header: magic, architecture, length and checksum, then the tags (2.0, 3.1).
func TestMultiboot2Header(t *testing.T) {
	want := []byte{0xd6, 0x50, 0x52, 0xe8, 0, 0, 0, 0, 72, 0, 0, 0, 0xe2, 0xae, 0xad, 0x17}
	for _, tag := range [][]byte{
		{6, 0, 0, 0, 8, 0, 0, 0},
		{4, 0, 1, 0, 12, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0},
		{5, 0, 1, 0, 20, 0, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0},
		{0, 0, 0, 0, 8, 0, 0, 0},
	} {
		want = append(want, tag...)
	}
	if got := multiboot2Header(); !bytes.Equal(got, want) {
		t.Errorf("header is % x, want % x", got, want)
	}
	img, err := probe().image(Multiboot)
	if err != nil {
		t.Fatal(err)
	}
	if at := bytes.Index(img, want); at < 0 || at%8 != 0 || at+len(want) > multiboot2Search {
		t.Errorf("the header is at offset %#x of the image", at)
	}
}

func TestFindMultiboot(t *testing.T) {
	file := func(size, at int, words ...uint32) []byte {
		b := make([]byte, size)
		for i, w := range words {
			binary.LittleEndian.PutUint32(b[at+4*i:], w)
		}
		return b
	}
	const magic = 0x1badb002
	sum := func(flags uint32) uint32 { return -(magic + flags) }
	tests := []struct {
		name  string
		file  []byte
		flags uint32
		ok    bool
	}{
		{"empty", nil, 0, false},
		{"at the start", file(12, 0, magic, 3, sum(3)), 3, true},
		{"last place", file(9000, 8180, magic, 5, sum(5)), 5, true},
		{"not wholly within 8 KiB", file(9000, 8184, magic, 3, sum(3)), 0, false},
		{"behind 8 KiB", file(9000, 8192, magic, 3, sum(3)), 0, false},
		{"not aligned", file(100, 18, magic, 3, sum(3)), 0, false},
		{"wrong sum", file(100, 16, magic, 3, sum(2)), 0, false},
		{"cut", file(100, 16, magic, 3, sum(3))[:27], 0, false},
		{"second of two", file(100, 16, magic, magic, 1, sum(1)), 1, true},
	}
	for _, test := range tests {
		flags, ok := findMultiboot(test.file)
		if flags != test.flags || ok != test.ok {
			t.Errorf("%s: %#x, %v, want %#x, %v", test.name, flags, ok, test.flags, test.ok)
		}
	}
}

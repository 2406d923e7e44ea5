package boot

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"testing"
)

// page is what a walk of the tables finds for an address.
type page struct {
	physical uint64
	size     uint64
	access   string // "absent", "r--", "rw-", "r-x", with "u" behind it if uncached
}

// walk translates a virtual address as Intel SDM 3A, 4.5 says. Writable is
// what all levels allow, executable what none forbids. Tables are found at
// their physical address in memory that begins at base.
func walk(memory []byte, base, address uint64) (page, error) {
	table := base
	write, execute := true, true
	for shift := 39; ; shift -= 9 {
		at := table - base + address>>shift&511*8
		if table < base || table%4096 != 0 || at+8 > uint64(len(memory)) {
			return page{}, fmt.Errorf("%#x: table %#x of level %d is outside the tables", address, table, (shift-12)/9+1)
		}
		e := binary.LittleEndian.Uint64(memory[at:])
		if e&1 == 0 {
			if e != 0 {
				return page{}, fmt.Errorf("%#x: absent entry %#x is not zero", address, e)
			}
			return page{access: "absent"}, nil
		}
		const known = 1<<63 | 0xfffff000 | 1<<7 | 1<<4 | 1<<3 | 1<<1 | 1
		if e&^known != 0 {
			return page{}, fmt.Errorf("%#x: entry %#x has bits %#x", address, e, e&^known)
		}
		write = write && e&2 != 0
		execute = execute && e>>63 == 0
		leaf := shift == 12
		if e&(1<<7) != 0 {
			if shift != 21 {
				return page{}, fmt.Errorf("%#x: entry %#x has PS at level %d", address, e, (shift-12)/9+1)
			}
			leaf = true
		}
		table = e & 0xfffff000
		if !leaf {
			if e&(3<<3) != 0 {
				return page{}, fmt.Errorf("%#x: entry %#x makes a table uncached", address, e)
			}
			continue
		}
		size := uint64(1) << shift
		if table%size != 0 {
			return page{}, fmt.Errorf("%#x: page %#x is not a multiple of its size", address, table)
		}
		access := []byte("r--")
		if write {
			access[1] = 'w'
		}
		if execute {
			access[2] = 'x'
		}
		switch e >> 3 & 3 {
		case 3:
			access = append(access, 'u')
		case 1, 2:
			return page{}, fmt.Errorf("%#x: entry %#x has only one of PWT and PCD", address, e)
		}
		return page{table, size, string(access)}, nil
	}
}

// span is a range of addresses of one kind.
type span struct {
	from, to uint64
	access   string
}

// stubSpans is the part of the low map that is the same in every image.
var stubSpans = []span{
	{0x100000, 0x101000, "r-x"}, // stub
	{0x101000, 0x102000, "rw-"}, // its data
	{0x103000, 0x114000, "rw-"}, // boot stack between its guards
}

// play makes size bytes of page tables of runs, as the stub does.
func play(runs []run, size int) []byte {
	t := make([]byte, size)
	for _, r := range runs {
		for i, low := uint32(0), r.Low; i < r.Count; i, low = i+1, low+r.Step {
			binary.LittleEndian.PutUint64(t[r.To-0x115000+i*8:], uint64(r.High)<<32|uint64(low))
		}
	}
	return t
}

// madeTables is what the stub of an image in memory makes.
func madeTables(t *testing.T, m memory) []byte {
	t.Helper()
	var runs []run
	for at := 0x180; ; at += 20 {
		var r run
		if _, err := binary.Decode(m[1].data[at:], binary.LittleEndian, &r); err != nil {
			t.Fatal(err)
		}
		if r.Count == 0 {
			return play(runs, int(m[2].size))
		}
		runs = append(runs, r)
	}
}

// checkTables walks every page of the first four GiB, of the direct map, and a
// page behind every other entry of the first table.
func checkTables(t *testing.T, tables []byte, low []span) {
	t.Helper()
	walk := func(address uint64) page {
		p, err := walk(tables, 0x115000, address)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	access := func(at uint64) string {
		for _, s := range low {
			if s.from <= at && at < s.to {
				return s.access
			}
		}
		return "absent"
	}
	for at := uint64(0); at < 4<<30; at += 4096 {
		want := page{at, 4096, access(at)}
		if want.access == "absent" {
			want = page{access: "absent"}
		}
		if got := walk(at); got != want {
			t.Fatalf("page %#x: %+v, want %+v", at, got, want)
		}
	}
	for at := uint64(0); at < 4<<30; at += 2 << 20 {
		fixed := 0
		for i := at; i < at+2<<20; i += 4096 {
			if access(i)[:1] == "r" && access(i)[1] != 'w' {
				fixed++
			}
		}
		want := page{at, 2 << 20, "rw-"}
		switch {
		case at >= 0xfec00000:
			want.access = "rw-u"
		case fixed == 512:
			want.access = "r--"
		case fixed > 0:
			for i := at; i < at+2<<20; i += 4096 {
				want := page{i, 4096, "rw-"}
				if access(i)[:1] == "r" && access(i)[1] != 'w' {
					want.access = "r--"
				}
				if got := walk(0xffff800000000000 + i); got != want {
					t.Fatalf("direct map of %#x: %+v, want %+v", i, got, want)
				}
			}
			continue
		}
		if got := walk(0xffff800000000000 + at); got != want {
			t.Fatalf("direct map of %#x: %+v, want %+v", at, got, want)
		}
	}
	for gib := uint64(4); gib < 512; gib++ {
		for _, at := range []uint64{gib << 30, 0xffff800000000000 + gib<<30} {
			if got := walk(at); got.access != "absent" {
				t.Fatalf("page %#x: %+v, want none", at, got)
			}
		}
	}
	for i := uint64(0); i < 512; i++ {
		if got := walk(i << 39); i != 256 && got.access != "absent" {
			t.Fatalf("first page of entry %d: %+v, want none", i, got)
		}
	}
}

func TestPageTables(t *testing.T) {
	const rx, r, rw = elf.PF_R | elf.PF_X, elf.PF_R, elf.PF_R | elf.PF_W
	tests := []struct {
		name  string
		segs  []segment
		spans []span
		pages int // size of the tables
	}{
		{"stub alone", nil, nil, 10},
		{
			"like a Go program",
			[]segment{
				{addr: 0x400000, size: 0x95000, flags: rx},
				{addr: 0x495000, size: 0xa1000, flags: r},
				{addr: 0x536000, size: 0x1234000, flags: rw},
			},
			[]span{{0x400000, 0x495000, "r-x"}, {0x495000, 0x536000, "r--"}, {0x536000, 0x176a000, "rw-"}},
			10 + 11,
		},
		{
			"with gaps",
			[]segment{
				{addr: 0x400000, size: 0x1000, flags: rx},
				{addr: 0x5ff000, size: 0x2000, flags: rw},
				{addr: 0x10000000, size: 0x1000, flags: r},
			},
			[]span{{0x400000, 0x401000, "r-x"}, {0x5ff000, 0x601000, "rw-"}, {0x10000000, 0x10001000, "r--"}},
			10 + 5,
		},
		{
			"up to the limit",
			[]segment{{addr: 0x400000, size: 1<<30 - 0x400000, flags: rw}},
			[]span{{0x400000, 1 << 30, "rw-"}},
			9 + 511,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tables := tables(pageTables(append(stubRegions(), test.segs...)))
			if len(tables) != test.pages*4096 {
				t.Errorf("%d bytes, want %d pages", len(tables), test.pages)
			}
			if end := 0x115000 + len(tables); end > 0x400000 {
				t.Errorf("tables end at %#x, in the program", end)
			}
			checkTables(t, tables, append(stubSpans, test.spans...))
			runs := tableRuns(tables, 0x115000)
			if !bytes.Equal(play(runs, len(tables)), tables) {
				t.Error("the runs make other tables")
			}
			if len(runs) > 40 {
				t.Errorf("%d runs", len(runs))
			}
		})
	}
}

// TestWalkSeesFaults checks the walker itself: each fault put into good tables
// must show.
func TestWalkSeesFaults(t *testing.T) {
	good := pageTables(stubRegions())
	// Offsets of entries: the stub's text page, the tables above it.
	const pt, pd, pml4 = 8*4096 + 0x100*8, 2 * 4096, 0
	tests := []struct {
		name   string
		offset int
		flip   uint64
	}{
		{"writable text", pt, 2},
		{"text not executable", pt, 1 << 63},
		{"text elsewhere", pt, 0x1000},
		{"text uncached", pt, 3 << 3},
		{"half uncached", pt, 1 << 3},
		{"absent", pt, 1},
		{"user", pt, 4},
		{"large page", pd, 1 << 7},
		{"table read-only", pd, 2},
		{"table not executable", pml4, 1 << 63},
		{"table outside", pml4, 0x80000000},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bad := append([]byte(nil), good...)
			e := binary.LittleEndian.Uint64(bad[test.offset:])
			binary.LittleEndian.PutUint64(bad[test.offset:], e^test.flip)
			for _, s := range stubSpans {
				p, err := walk(bad, 0x115000, s.from)
				if err != nil || p != (page{s.from, 4096, s.access}) {
					return
				}
			}
			t.Error("not seen")
		})
	}
}

package loader

import (
	"encoding/binary"
	"slices"
	"testing"
	"unsafe"

	"sched9/arch/efi"
	"sched9/arch/physical"
)

type memory []byte

// read reads what the loader left in m.
func read(m memory, eax, ebx uint64, info *Info) (wrong string) {
	return Read(&physical.Memory{Base: uintptr(unsafe.Pointer(&m[0])), Limit: uint64(len(m))}, eax, ebx, info)
}

func (m memory) p32(at int, v uint32) { binary.LittleEndian.PutUint32(m[at:], v) }
func (m memory) p64(at int, v uint64) { binary.LittleEndian.PutUint64(m[at:], v) }

func TestPVH(t *testing.T) {
	m := make(memory, 0x8000)
	m.p32(0x1000, pvhMagic)
	m.p32(0x1004, 1)
	m.p32(0x100c, 2) // modules
	m.p64(0x1010, 0x1900)
	m.p64(0x1900, 0x5000)
	m.p64(0x1908, 0x1234)
	m.p64(0x1018, 0x1800) // command line
	m.p64(0x1020, 0xe0000)
	m.p64(0x1028, 0x2000)
	m.p32(0x1030, 3)
	for i, e := range [][3]uint64{{0, 0x9fc00, 1}, {0xf0000, 0x10000, 2}, {1 << 32, 1 << 33, 1}} {
		m.p64(0x2000+i*24, e[0])
		m.p64(0x2008+i*24, e[1])
		m.p32(0x2010+i*24, uint32(e[2]))
	}
	var info Info
	if wrong := read(m, multibootMagic, 0x1000, &info); wrong != "" { // as on a microvm
		t.Fatal("start_info was not recognised: ", wrong)
	}
	want := []Range{{Start: 0, End: 0x9fc00}, {Start: 1 << 32, End: 3 << 32}}
	if got := info.RAM[:info.NRAM]; !slices.Equal(got, want) || info.Cmdline != 0x1800 || info.RSDP != 0xe0000 || info.Module != (Range{Start: 0x5000, End: 0x6234}) {
		t.Errorf("read %+v", info)
	}
	m.p32(0x1004, 0)
	if wrong := read(m, 0, 0x1000, &Info{}); wrong != noMap {
		t.Error("a start_info without a memory map: ", wrong)
	}
}

func TestMultiboot(t *testing.T) {
	m := make(memory, 0x8000)
	m.p32(0x1000, 1|1<<2|1<<3|1<<6)
	m.p32(0x1014, 1) // modules
	m.p32(0x1018, 0x1900)
	m.p32(0x1900, 0x5000)
	m.p32(0x1904, 0x6234)
	m.p32(0x1004, 639)
	m.p32(0x1008, 130048)
	m.p32(0x1010, 0x1800)
	m.p32(0x102c, 48)
	m.p32(0x1030, 0x2000)
	for i, e := range [][3]uint64{{0, 0x9fc00, 1}, {0x100000, 0x7f00000, 1}} {
		m.p32(0x2000+i*24, 20)
		m.p64(0x2004+i*24, e[0])
		m.p64(0x200c+i*24, e[1])
		m.p32(0x2014+i*24, uint32(e[2]))
	}
	var info Info
	if wrong := read(m, multibootMagic, 0x1000, &info); wrong != "" {
		t.Fatal("not recognised: ", wrong)
	}
	want := []Range{{Start: 0, End: 0x9fc00}, {Start: 0x100000, End: 0x8000000}}
	if got := info.RAM[:info.NRAM]; !slices.Equal(got, want) || info.Cmdline != 0x1800 || info.Module != (Range{Start: 0x5000, End: 0x6234}) {
		t.Errorf("with a map: read %+v", info)
	}
	m.p32(0x1000, 1)
	info = Info{}
	if wrong := read(m, multibootMagic, 0x1000, &info); wrong != "" {
		t.Fatal("not recognised without a map: ", wrong)
	}
	want = []Range{{Start: 0, End: 639 << 10}, {Start: 1 << 20, End: 1<<20 + 130048<<10}}
	if got := info.RAM[:info.NRAM]; !slices.Equal(got, want) || info.Cmdline != 0 || info.Module != (Range{}) {
		t.Errorf("without a map: read %+v", info)
	}
}

// tags are what a Multiboot 2 loader leaves at 0x1000.
func tags(list ...[]byte) memory {
	m := make(memory, 0x8000)
	at := 0x1008
	for i, b := range list {
		if i%2 == 0 {
			m.p32(at, uint32(b[0]))
			m.p32(at+4, uint32(8+len(list[i+1])))
			continue
		}
		copy(m[at+8:], b)
		at += (8 + len(b) + 7) &^ 7
	}
	m.p32(0x1000, uint32(at+8-0x1000))
	m.p32(at+4, 8)
	return m
}

// words are little-endian numbers of 32 bits.
func words(list ...uint32) (b []byte) {
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func TestMultiboot2(t *testing.T) {
	mmap := words(24, 0, 0, 0, 0x6000, 0, 1, 0, 0x100000, 0, 0x7f00000, 0, 1, 0, 0x8000000, 0, 0x1000, 0, 3, 0)
	root := []byte("RSD PTR .......2" + "RSDT" + "size" + "XSDTaddr" + "sum." + "too much")
	m := tags(
		[]byte{tagCmdline}, []byte("one two\x00"),
		[]byte{tagModule}, append(words(0x5000, 0x5123), "args\x00"...),
		[]byte{tagModule}, append(words(0x7000, 0x7001), "more\x00"...),
		[]byte{200}, []byte("unknown"),
		[]byte{tagRSDP}, root,
		[]byte{tagOldRSDP}, root[:20],
		[]byte{tagMap}, mmap,
		[]byte{tagScreen}, words(0xfd000000, 0, 4096, 1024, 768, 32|1<<8, 0),
	)
	var info Info
	if wrong := read(m, multiboot2Magic, 0x1000, &info); wrong != "" {
		t.Fatal("not recognised: ", wrong)
	}
	want := []Range{{Start: 0, End: 0x6000}, {Start: 0x100000, End: 0x8000000}}
	if got := info.RAM[:info.NRAM]; !slices.Equal(got, want) || info.NMap != 3 || info.Cmdline != 0x1010 || info.Module != (Range{Start: 0x5000, End: 0x5123}) {
		t.Errorf("read %+v", info)
	}
	if want := (Screen{0xfd000000, 4096, 1024, 768}); info.Screen != want {
		t.Errorf("the screen is %+v, want %+v", info.Screen, want)
	}
	if got := string(info.Root.Bytes[:info.Root.Len]); got != string(root[:36]) {
		t.Errorf("the root pointer is %q", got)
	}
	for name, c := range map[string]struct {
		m    memory
		want string
	}{
		"an old root pointer":   {tags([]byte{tagOldRSDP}, root[:20], []byte{tagMap}, mmap), ""},
		"no map":                {tags([]byte{tagCmdline}, []byte("a\x00")), noMap},
		"a map of entries of 0": {tags([]byte{tagMap}, append(words(0, 0), mmap[8:]...)), badMap},
		"a map of 2G":           {func() memory { m := tags([]byte{tagMap}, mmap); m.p32(0x100c, 1<<31); return m }(), badMap},
		"a tag of size 0":       {func() memory { m := tags([]byte{tagMap}, mmap); m.p32(0x100c, 0); return m }(), badTags},
		"no end":                {func() memory { m := tags([]byte{tagMap}, mmap); m.p32(0x1000, 16); return m }(), badTags},
		"more tags than can be": {func() memory {
			m := make(memory, 0x20000)
			m.p32(0x1000, 0x1e000)
			for at := 0x1008; at < 0x1f000; at += 8 {
				m.p32(at, 99)
				m.p32(at+4, 8)
			}
			return m
		}(), badTags},
		"tags beyond memory": {func() memory { m := make(memory, 0x2000); m.p32(0x1000, 1<<31); return m }(), badTags},
	} {
		if wrong := read(c.m, multiboot2Magic, 0x1000, &Info{}); wrong != c.want {
			t.Errorf("%s: %q, want %q", name, wrong, c.want)
		}
	}
}

// TestScreen: a framebuffer that is of another kind, out of reach, in RAM, or described wrongly, is none.
func TestScreen(t *testing.T) {
	mmap := words(24, 0, 0, 0, 0x6000, 0, 1, 0, 0x100000, 0, 0x7f00000, 0, 1, 0)
	for name, tag := range map[string][]byte{
		"text":               words(0xb8000, 0, 160, 80, 25, 16|2<<8, 0),
		"a palette":          words(0xfd000000, 0, 1024, 1024, 768, 8, 0),
		"24 bits":            words(0xfd000000, 0, 3072, 1024, 768, 24|1<<8, 0),
		"above 4 GiB":        words(0xfd000000, 1, 4096, 1024, 768, 32|1<<8, 0),
		"up to above 4 GiB":  words(0xffff0000, 0, 4096, 1024, 768, 32|1<<8, 0),
		"in RAM":             words(0x7f00000, 0, 4096, 1024, 768, 32|1<<8, 0),
		"at 0":               words(0, 0, 4096, 1024, 768, 32|1<<8, 0),
		"lines that overlap": words(0xfd000000, 0, 4092, 1024, 768, 32|1<<8, 0),
	} {
		var info Info
		if wrong := read(tags([]byte{tagScreen}, tag, []byte{tagMap}, mmap), multiboot2Magic, 0x1000, &info); wrong != "" || info.Screen != (Screen{}) {
			t.Errorf("%s: %+v, %s", name, info.Screen, wrong)
		}
	}
}

// TestGiven: the root pointer's address on the command line.
func TestGiven(t *testing.T) {
	for line, want := range map[string]uint64{
		"":                                0xe0000,
		"acpi_rsdp=0x3f77D014":            0x3f77d014,
		"a=b acpi_rsdp=0x3f77d014 -- x":   0x3f77d014,
		"xacpi_rsdp=0x3f77d014":           0xe0000,
		"a=b -- acpi_rsdp=0x3f77d014":     0xe0000,
		"acpi_rsdp=0x":                    0xe0000,
		"acpi_rsdp=0x12g4":                0xe0000,
		"acpi_rsdp=0x12345678123456781 x": 0xe0000,
		"acpi_rsdp=12":                    0xe0000,
		"acpi_rsdp=0x10 acpi_rsdp=0x20":   0x10,
		"acpi_rsdp=0xffffffffffffffff":    0xffffffffffffffff,
	} {
		m := described(func(m memory) {
			m.p64(0x1018, 0x3000)
			m.p64(0x1020, 0xe0000)
			copy(m[0x3000:], line)
		})
		var info Info
		if wrong := read(m, 0, 0x1000, &info); wrong != "" || info.RSDP != want {
			t.Errorf("%q: %q, %#x, want %#x", line, wrong, info.RSDP, want)
		}
	}
}

// application is what our own UEFI application leaves at 0x1000, with a map of entries of type, start and pages, after change.
func application(mmap [][3]uint64, change func(m memory)) memory {
	const each = 48
	m := make(memory, 0x13000)
	m.p64(0x1000, 0x800) // it lies at 0x800
	m.p64(0x1000+efi.OffLine, 0x200)
	m.p64(0x1000+efi.OffMapSize, uint64(len(mmap)*each))
	m.p64(0x1000+efi.OffEntry, each)
	m.p32(0x1000+efi.OffMode+12, 3)
	for i, e := range mmap {
		at := 0x1000 + efi.MapAt + i*each
		m.p32(at, uint32(e[0]))
		m.p64(at+8, e[1])
		m.p64(at+24, e[2])
	}
	change(m)
	return m
}

// efiMap has entries of all kinds; those that continue one another are one.
var efiMap = [][3]uint64{{3, 0, 1}, {7, 0x1000, 0x1f}, {0, 0x20000, 1}, {7, 0x100000, 0x100}, {1, 0x200000, 1}, {2, 0x201000, 1}, {4, 0x202000, 1}, {10, 0x203000, 1}, {9, 0x204000, 1}, {5, 0x205000, 1}, {6, 0x206000, 1}, {8, 0x207000, 1}, {11, 0x208000, 1}, {13, 0x209000, 1}, {14, 0x20a000, 1}, {7, 0x20c000, 1}, {7, 0x20e000, 1}}

func TestEFI(t *testing.T) {
	guid := func(a uint32, b, c uint16, d string) []byte {
		g := binary.LittleEndian.AppendUint32(nil, a)
		return append(binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(g, b), c), d...)
	}
	old := guid(0xeb9d2d30, 0x2d88, 0x11d3, "\x9a\x16\x00\x90\x27\x3f\xc1\x4d")
	root := guid(0x8868e871, 0xe4f1, 0x11d3, "\xbc\x22\x00\x80\xc7\x3c\x88\x81")
	tables := func(m memory, list ...[]byte) {
		m.p64(0x1000+efi.OffTables, uint64(len(list)))
		for i, g := range list {
			copy(m[0x1000+efi.TablesAt+i*efi.TableSize:], g)
			m.p64(0x1000+efi.TablesAt+i*efi.TableSize+16, uint64(0x100000+i))
		}
	}
	m := application(efiMap, func(m memory) {
		m.p64(0x1000+efi.OffModule, 0x2000)
		m.p64(0x1000+efi.OffSize, 0x123)
		m.p64(0x1000+efi.OffPixels, 0xfd000000)
		for i, v := range []uint32{0, 1024, 768, 1, 0, 0, 0, 0, 1040} {
			m.p32(0x1000+efi.OffMode+i*4, v)
		}
		tables(m, make([]byte, 16), old, root, old)
		copy(m[0x1000+efi.OptionsAt:], "hello.efi --options")
	})
	var info Info
	if wrong := read(m, efi.Magic, 0x1000, &info); wrong != "" {
		t.Fatal(wrong)
	}
	want := []Range{{Start: 0, End: 0x20000}, {Start: 0x100000, End: 0x203000}, {Start: 0x20c000, End: 0x20d000}, {Start: 0x20e000, End: 0x20f000}}
	if got := info.RAM[:info.NRAM]; !slices.Equal(got, want) || info.NMap != 4+5 {
		t.Errorf("RAM is %x, %d ranges in all", got, info.NMap)
	}
	if info.Cmdline != 0xa00 || info.Module != (Range{Start: 0x2800, End: 0x2923}) || info.RSDP != 0x100002 {
		t.Errorf("read %+v", info)
	}
	if want := (Screen{0xfd000000, 4160, 1024, 768}); info.Screen != want {
		t.Errorf("the screen is %+v, want %+v", info.Screen, want)
	}
	for name, c := range map[string]struct {
		change func(m memory)
		wrong  string
		check  func(i Info) bool
	}{
		"the old root":       {func(m memory) { tables(m, old) }, "", func(i Info) bool { return i.RSDP == 0x100000 }},
		"no root":            {func(m memory) { tables(m, make([]byte, 16)) }, "", func(i Info) bool { return i.RSDP == 0 }},
		"options":            {func(m memory) { copy(m[0x1000+efi.OptionsAt:], "x.efi A=b -- c") }, "", func(i Info) bool { return i.Cmdline == 0x1000+efi.OptionsAt }},
		"options, no words":  {func(m memory) { copy(m[0x1000+efi.OptionsAt:], "x.efi --") }, "", func(i Info) bool { return i.Cmdline == 0x1000+efi.OptionsAt }},
		"only the shell's":   {func(m memory) { copy(m[0x1000+efi.OptionsAt:], "x.efi") }, "", func(i Info) bool { return i.Cmdline == 0xa00 }},
		"pixels of masks":    {func(m memory) { m.p32(0x1000+efi.OffMode+12, 2); m.p64(0x1000+efi.OffPixels, 0xfd000000) }, "", func(i Info) bool { return i.Screen == Screen{} }},
		"no module":          {func(m memory) {}, "", func(i Info) bool { return i.Module == Range{} }},
		"a module elsewhere": {func(m memory) { m.p64(0x1000+efi.OffSize, 1<<40) }, badFile, nil},
		"a line elsewhere":   {func(m memory) { m.p64(0x1000+efi.OffLine, 1<<40) }, badLine, nil},
		"entries of 0":       {func(m memory) { m.p64(0x1000+efi.OffEntry, 0) }, badMap, nil},
		"a map of 4G":        {func(m memory) { m.p64(0x1000+efi.OffMapSize, 4<<30) }, badMap, nil},
		"an endless range":   {func(m memory) { m.p64(0x1000+efi.MapAt+24, 1<<52) }, badMap, nil},
		"no map":             {func(m memory) { m.p64(0x1000+efi.OffMapSize, 0) }, noMap, nil},
		"tables without end": {func(m memory) { m.p64(0x1000+efi.OffTables, 1<<60) }, "", func(i Info) bool { return i.RSDP == 0 }},
	} {
		var info Info
		wrong := read(application(efiMap, c.change), efi.Magic, 0x1000, &info)
		if wrong != c.wrong || c.check != nil && !c.check(info) {
			t.Errorf("%s: %q, %+v", name, wrong, info)
		}
	}
}

// TestX2APIC: the word that asks for it.
func TestX2APIC(t *testing.T) {
	for line, want := range map[string]bool{
		"": false, "x2apic=1": true, "a=b x2apic=1 acpi_rsdp=0x10 -- x": true, "acpi_rsdp=0x10 x2apic=1": true,
		"x2apic=10": false, "ax2apic=1": false, "a=b -- x2apic=1": false, "x2apic=0": false,
	} {
		m := described(func(m memory) {
			m.p64(0x1018, 0x3000)
			copy(m[0x3000:], line)
		})
		var info Info
		if wrong := read(m, 0, 0x1000, &info); wrong != "" || info.X2APIC != want {
			t.Errorf("%q: %q, %v", line, wrong, info.X2APIC)
		}
	}
}

// described returns a start_info that change has changed.
func described(change func(m memory)) memory {
	m := make(memory, 0x8000)
	m.p32(0x1000, pvhMagic)
	m.p32(0x1004, 1)
	m.p64(0x1028, 0x2000)
	m.p32(0x1030, 1)
	m.p64(0x2008, 0x7000)
	m.p32(0x2010, ram)
	change(m)
	return m
}

// TestWrong has an error of each kind: a message names it, and nothing is read elsewhere.
func TestWrong(t *testing.T) {
	for name, c := range map[string]struct {
		change func(m memory)
		want   string
	}{
		"as it should be":         {func(m memory) {}, ""},
		"a map of 4G entries":     {func(m memory) { m.p32(0x1030, 0xffffffff) }, badMap},
		"a map elsewhere":         {func(m memory) { m.p64(0x1028, 1<<60) }, noMap},
		"a map at the end":        {func(m memory) { m.p64(0x1028, 0x7ff0); m.p32(0x1030, maxEntries) }, noMap},
		"no RAM":                  {func(m memory) { m.p32(0x2010, 2) }, noMap},
		"RAM round the end":       {func(m memory) { m.p64(0x2000, 1<<63); m.p64(0x2008, 1<<63) }, noMap},
		"a line elsewhere":        {func(m memory) { m.p64(0x1018, 1<<60) }, badLine},
		"a line at the end":       {func(m memory) { m.p64(0x1018, 0x7fff) }, badLine},
		"a file elsewhere":        {func(m memory) { m.p32(0x100c, 1); m.p64(0x1010, 0x1900); m.p64(0x1900, 4<<30); m.p64(0x1908, 10) }, badFile},
		"a file that is too long": {func(m memory) { m.p32(0x100c, 1); m.p64(0x1010, 0x1900); m.p64(0x1900, 0x4000); m.p64(0x1908, 4<<30) }, badFile},
		"a file round the end": {func(m memory) {
			m.p32(0x100c, 1)
			m.p64(0x1010, 0x1900)
			m.p64(0x1900, 0x4000)
			m.p64(0x1908, 1<<64-16)
		}, badFile},
		"an empty file":             {func(m memory) { m.p32(0x100c, 1); m.p64(0x1010, 0x1900) }, ""},
		"a list of files elsewhere": {func(m memory) { m.p32(0x100c, 1); m.p64(0x1010, 1<<60) }, ""},
	} {
		if wrong := read(described(c.change), 0, 0x1000, &Info{}); wrong != c.want {
			t.Errorf("%s: %q, not %q", name, wrong, c.want)
		}
	}
	m := make(memory, 0x3000)
	m.p32(0x1000, 1<<6)
	m.p32(0x102c, 0xffffffff) // of 4 GiB, in entries that are empty
	m.p32(0x1030, 0x2000)
	if wrong := read(m, multibootMagic, 0x1000, &Info{}); wrong != badMap {
		t.Errorf("an endless map: %q", wrong)
	}
	if wrong := read(m, multibootMagic, 1<<60, &Info{}); wrong != noMap {
		t.Errorf("Multiboot's information elsewhere: %q", wrong)
	}
}

// TestMap: memory of the firmware's has tables, but is not RAM.
func TestMap(t *testing.T) {
	m := described(func(m memory) {
		m.p32(0x1030, 5)
		for i, kind := range []uint32{1, 2, 3, 5, 7} {
			m.p64(0x2000+i*24, uint64(i)<<20)
			m.p64(0x2008+i*24, 1<<20)
			m.p32(0x2010+i*24, kind)
		}
	})
	var info Info
	if wrong := read(m, 0, 0x1000, &info); wrong != "" || info.NRAM != 1 || info.NMap != 3 {
		t.Errorf("%q, %+v", wrong, info)
	}
}

// TestManyRanges has more of them than are kept.
func TestManyRanges(t *testing.T) {
	m := described(func(m memory) {
		m.p32(0x1030, 100)
		for i := range 100 {
			m.p64(0x2008+i*24, 0x7000)
			m.p32(0x2010+i*24, ram)
		}
	})
	var info Info
	if wrong := read(m, 0, 0x1000, &info); wrong != "" || info.NRAM != 64 || info.NMap != 64 || info.Dropped != 36 {
		t.Errorf("%q, %d ranges, %d dropped", wrong, info.NRAM, info.Dropped)
	}
}

// FuzzRead reads anything, as one loader's or another's: what it points to lies in it, at from 0x1000 on.
func FuzzRead(f *testing.F) {
	pvh := described(func(m memory) {
		m.p32(0x100c, 1)
		m.p64(0x1010, 0x1100)
		m.p64(0x1100, 0x4000)
		m.p64(0x1108, 0x1000)
		m.p64(0x1018, 0x1180)
		m.p64(0x1028, 0x1200)
		m.p64(0x1208, 0x8000)
		m.p32(0x1210, ram)
	})
	f.Add([]byte(pvh[0x1000:0x1220]), uint64(0x1000), byte(0))
	f.Add([]byte(application(efiMap, func(memory) {})[0x1000:0x3000]), uint64(0x1000), byte(2))
	multiboot := make(memory, 0x2000)
	multiboot.p32(0x1000, 1|1<<2|1<<3|1<<6)
	multiboot.p32(0x1008, 0x1000)
	multiboot.p32(0x1010, 0x1180)
	multiboot.p32(0x1014, 1)
	multiboot.p32(0x1018, 0x1100)
	multiboot.p32(0x1100, 0x4000)
	multiboot.p32(0x1104, 0x5000)
	multiboot.p32(0x102c, 48)
	multiboot.p32(0x1030, 0x1200)
	for i := range 2 {
		multiboot.p32(0x1200+i*24, 20)
		multiboot.p64(0x1204+i*24, uint64(i)<<14)
		multiboot.p64(0x120c+i*24, 1<<14)
		multiboot.p32(0x1214+i*24, ram)
	}
	f.Add([]byte(multiboot[0x1000:0x1240]), uint64(0x1000), byte(1))
	multiboot.p32(0x1000, 1)
	f.Add([]byte(multiboot[0x1000:0x1240]), uint64(0x1000), byte(1))
	f.Fuzz(func(t *testing.T, data []byte, at uint64, which byte) {
		eax := [...]uint64{0, multibootMagic, efi.Magic}[which%3]
		m := make(memory, 0x8000)
		copy(m[0x1000:], data)
		var info Info
		wrong := read(m, eax, at, &info)
		if info.NRAM > info.NMap || info.NMap > len(info.Map) {
			t.Fatalf("%d ranges, %d of RAM", info.NMap, info.NRAM)
		}
		end := uint64(len(m))
		if wrong == "" && (info.NRAM == 0 || info.Module.End > end && info.Module.End != info.Module.Start || info.Module.Start > info.Module.End || info.Cmdline > end) {
			t.Fatalf("taken: %+v", info)
		}
	})
}

func TestUnknownLoader(t *testing.T) {
	m := make(memory, 0x2000)
	if wrong := read(m, 0, 0x1000, &Info{}); wrong != unknown {
		t.Error("garbage was taken for a loader's information: ", wrong)
	}
}

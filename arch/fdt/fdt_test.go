package fdt

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// dump has QEMU write the device tree of a virt machine.
func dump(t *testing.T, machine string, args ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tree")
	args = append([]string{"60", "qemu-system-aarch64", "-machine", "virt," + machine + ",dumpdtb=" + file, "-cpu", "cortex-a57", "-display", "none"}, args...)
	if out, err := exec.CommandContext(t.Context(), "timeout", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// read reads a tree; the Machine holds addresses in data.
func read(data []byte) (m Machine, ok bool) {
	var t Tree
	if len(data) == 0 || !t.Open(uintptr(unsafe.Pointer(&data[0])), uint64(len(data))) {
		return m, false
	}
	ok = m.Read(&t)
	return m, ok
}

// TestVirt reads the trees of real machines.
func TestVirt(t *testing.T) {
	for _, c := range []struct {
		machine string
		version Controller
		smc     bool
	}{{"gic-version=2", 2, false}, {"gic-version=3", 3, false}, {"gic-version=3,virtualization=on", 3, true}} {
		data := dump(t, c.machine, "-smp", "5", "-m", "6G", "-kernel", os.DevNull, "-initrd", "fdt.go", "-append", "one two=3")
		m, ok := read(data)
		if !ok || !slices.Equal(m.RAM.All(), []Range{{1 << 30, 7 << 30}}) {
			t.Errorf("%s: memory %v, %v", c.machine, m.RAM.All(), ok)
		}
		if st, err := os.Stat("fdt.go"); err != nil || m.Module.Start < 1<<30 || m.Module.End-m.Module.Start != uint64(st.Size()) {
			t.Errorf("%s: module %#x, %v", c.machine, m.Module, err)
		}
		if m.NumCPUs != 5 || m.CPUs[4] != 4 || !m.PSCI || m.SMC != c.smc {
			t.Errorf("%s: %d processors %v, PSCI %v, SMC %v", c.machine, m.NumCPUs, m.CPUs[:5], m.PSCI, m.SMC)
		}
		if m.Controller != c.version || m.GICD != 0x8000000 || m.GICC.Start != map[Controller]uint64{2: 0x8010000, 3: 0x80a0000}[c.version] {
			t.Errorf("%s: version %d at %#x and %#x", c.machine, m.Controller, m.GICD, m.GICC)
		}
		if m.Timer.ID != 27 || m.UART.At != 0x9000000 || m.UART.IRQ.ID != 33 || m.UART.IRQ.Edge || m.Clock.At != 0x9010000 || m.GPIO.IRQ.ID != 39 || m.Power != 3 {
			t.Errorf("%s: timer %v, serial port %v, clock %v, pins %v, button %d", c.machine, m.Timer, m.UART, m.Clock, m.GPIO, m.Power)
		}
		if m.NumVirtio != 32 || m.Virtio[0].At != 0xa000000 || m.Virtio[31].At != 0xa003e00 || m.Virtio[1].IRQ != (Interrupt{49, true}) {
			t.Errorf("%s: %d virtio devices, %v", c.machine, m.NumVirtio, m.Virtio[:2])
		}
		if m.ECAM.Start == 0 || m.ECAM.End-m.ECAM.Start < 1<<24 || m.Ports.Start != 0x3eff0000 || m.Ports.End != 0x3f000000 {
			t.Errorf("%s: PCI %#x, ports %#x", c.machine, m.ECAM, m.Ports)
		}
		line := unsafe.Slice((*byte)(unsafe.Pointer(m.Cmdline)), 10)
		if string(line) != "one two=3\x00" {
			t.Errorf("%s: command line %q", c.machine, line)
		}
	}
}

// builder makes a tree.
type builder struct {
	structs, strings bytes.Buffer
	reserved         []uint64 // address, size
}

// words appends 32-bit words, begin a node, prop a property, end ends a node.
func (b *builder) words(v ...uint32) { binary.Write(&b.structs, binary.BigEndian, v) }

func (b *builder) pad() {
	for b.structs.Len()%4 != 0 {
		b.structs.WriteByte(0)
	}
}

func (b *builder) begin(name string) {
	b.words(beginNode)
	b.structs.WriteString(name + "\x00")
	b.pad()
}

func (b *builder) prop(name string, value []byte) {
	b.words(property, uint32(len(value)), uint32(b.strings.Len()))
	b.strings.WriteString(name + "\x00")
	b.structs.Write(value)
	b.pad()
}

func (b *builder) cells(name string, v ...uint32) {
	var w bytes.Buffer
	binary.Write(&w, binary.BigEndian, v)
	b.prop(name, w.Bytes())
}

func (b *builder) end() { b.words(endNode) }

// tree is the whole.
func (b *builder) tree() []byte {
	const header = 40
	n, s, r := uint32(b.structs.Len()), uint32(b.strings.Len()), uint32(len(b.reserved)+2)*8
	var w bytes.Buffer
	binary.Write(&w, binary.BigEndian, []uint32{magic, header + r + n + s, header + r, header + r + n, header, 17, 16, 0, s, n})
	binary.Write(&w, binary.BigEndian, append(b.reserved, 0, 0))
	w.Write(b.structs.Bytes())
	w.Write(b.strings.Bytes())
	return w.Bytes()
}

// small is a tree with memory, processors, one of them disabled, and nodes deeper than the reader
// looks.
func small() *builder {
	b := new(builder)
	b.begin("")
	b.cells("#address-cells", 1)
	b.cells("#size-cells", 1)
	b.words(nop)
	b.begin("memory@1000")
	b.prop("device_type", []byte("memory\x00"))
	b.cells("reg", 0x1000, 0x2000, 0x8000, 0, 0x10000, 0x4000)
	b.end()
	b.begin("cpus")
	b.cells("#address-cells", 2)
	b.cells("#size-cells", 0)
	for i, status := range []string{"okay", "disabled", ""} {
		b.begin("cpu")
		b.prop("device_type", []byte("cpu\x00"))
		b.cells("reg", uint32(i), 7)
		if status != "" {
			b.prop("status", []byte(status+"\x00"))
		}
		b.end()
	}
	b.end()
	for range maxDepth + 2 {
		b.begin("deep")
	}
	for range maxDepth + 2 {
		b.end()
	}
	b.end()
	b.words(9)
	return b
}

func TestSmall(t *testing.T) {
	m, ok := read(small().tree())
	if !ok || !slices.Equal(m.RAM.All(), []Range{{0x1000, 0x3000}, {0x10000, 0x14000}}) {
		t.Errorf("memory %v, %v", m.RAM.All(), ok)
	}
	if m.NumCPUs != 2 || m.CPUs[0] != 7 || m.CPUs[1] != 2<<32|7 {
		t.Errorf("%d processors, %#x", m.NumCPUs, m.CPUs[:2])
	}
	if m.Controller != NoController || m.PSCI || m.UART.At != 0 || m.Cmdline != 0 {
		t.Errorf("there is more than there is: %+v", m)
	}
}

// TestManyCPUs has more processors than fit.
func TestManyCPUs(t *testing.T) {
	b := new(builder)
	b.begin("")
	b.cells("#address-cells", 1)
	b.cells("#size-cells", 0)
	for i := range uint32(MaxCPU + 3) {
		b.begin("cpu")
		b.prop("device_type", []byte("cpu\x00"))
		b.cells("reg", i)
		b.end()
	}
	b.end()
	if m, ok := read(b.tree()); ok || m.NumCPUs != MaxCPU+3 || m.CPUs[MaxCPU-1] != MaxCPU-1 {
		t.Errorf("%d processors, %v", m.NumCPUs, ok)
	}
}

// TestBroken spoils a tree in every word, and cuts it off everywhere: nothing outside of
// it may be read, and it must come to an end.
func TestBroken(t *testing.T) {
	good := small().tree()
	for at := 0; at+4 <= len(good); at += 4 {
		for _, v := range []uint32{0, 1, 2, 3, 0x7fffffff, 0xfffffffc, 0xffffffff} {
			bad := bytes.Clone(good)
			binary.BigEndian.PutUint32(bad[at:], v)
			read(guarded(t, bad))
		}
	}
	for n := range good {
		if _, ok := read(guarded(t, good[:n])); ok {
			t.Fatalf("%d bytes of %d are a tree", n, len(good))
		}
	}
}

// TestWork: memory of no size, repeated as often as a tree has room for, behind as many properties, is read
// in a bounded time.
func TestWork(t *testing.T) {
	b := new(builder)
	b.begin("")
	b.cells("#address-cells", 1)
	b.cells("#size-cells", 1)
	b.begin("memory")
	b.prop("device_type", []byte("memory\x00"))
	for range 40_000 {
		b.prop("", nil)
	}
	b.prop("reg", make([]byte, 1<<20))
	b.end()
	b.end()
	if m, ok := read(b.tree()); ok || len(m.RAM.All()) != 0 {
		t.Errorf("memory %v, %v", m.RAM.All(), ok)
	}
}

// FuzzRead reads anything.
func FuzzRead(f *testing.F) {
	f.Add(small().tree())
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) <= 1<<16 {
			read(guarded(t, data))
		}
	})
}

// TestBoard reads the tree of a machine as boards are: devices on a bus with addresses of its own, several serial ports, one of which is
// the console, one of which belongs to others, and memory that others keep.
func TestBoard(t *testing.T) {
	board := func(console string) *builder {
		b := new(builder)
		b.reserved = []uint64{0, 0x1000, 0x8000_0000, 0x10_0000}
		b.begin("")
		b.cells("#address-cells", 2)
		b.cells("#size-cells", 1)
		b.begin("aliases")
		b.prop("serial0", []byte("/soc/serial@7e215000\x00"))
		b.end()
		b.begin("chosen")
		b.prop("stdout-path", []byte(console+"\x00"))
		b.end()
		b.begin("reserved-memory")
		b.cells("#address-cells", 2)
		b.cells("#size-cells", 1)
		b.prop("ranges", nil)
		b.begin("hidden")
		b.cells("reg", 0, 0x2000_0000, 0x100_0000)
		b.prop("no-map", nil)
		b.end()
		b.begin("kept")
		b.cells("reg", 0, 0x3000_0000, 0x100_0000)
		b.end()
		b.begin("unused")
		b.cells("reg", 0, 0x3800_0000, 0x100_0000)
		b.prop("status", []byte("disabled\x00"))
		b.end()
		b.end()
		b.begin("memory")
		b.prop("device_type", []byte("memory\x00"))
		b.cells("reg", 0, 0, 0x4000_0000, 0, 0x8000_0000, 0x4000_0000)
		b.end()
		b.begin("soc")
		b.cells("#address-cells", 1)
		b.cells("#size-cells", 1)
		b.cells("ranges", 0x7e00_0000, 0, 0x3f00_0000, 0x100_0000, 0x6000_0000, 1, 0, 0x1000)
		for _, at := range []uint32{0x7e20_1000, 0x7e21_5000, 0x6000_0000} {
			b.begin(fmt.Sprintf("serial@%x", at))
			b.prop("compatible", []byte("arm,pl011\x00arm,primecell\x00"))
			b.cells("reg", at, 0x1000)
			if at == 0x7e20_1000 {
				b.prop("status", []byte("disabled\x00"))
			}
			b.end()
		}
		b.begin("rtc")
		b.prop("compatible", []byte("arm,pl031\x00"))
		b.cells("reg", 0x5000_0000, 0x1000) // no range of the bus leads there
		b.end()
		b.end()
		b.begin("off")
		b.prop("status", []byte("disabled\x00"))
		b.prop("ranges", nil)
		b.begin("virtio")
		b.prop("compatible", []byte("virtio,mmio\x00"))
		b.cells("reg", 0, 0x1000_0000, 0x200)
		b.end()
		b.end()
		b.end()
		b.words(9)
		return b
	}
	for console, want := range map[string]uint64{
		"serial0":                       0x3f21_5000,
		"serial0:115200n8":              0x3f21_5000,
		"/soc/serial@60000000":          1 << 32,
		"/soc/serial@60000000:9600":     1 << 32,
		"/soc/serial":                   0x3f21_5000, // the first that is meant
		"/soc/serial@7e201000":          0x3f21_5000, // not in use
		"":                              0x3f21_5000,
		"serial7":                       0x3f21_5000,
		"/soc":                          0x3f21_5000,
		"/soc/serial@60000000/":         0x3f21_5000,
		"/soc/serial@6":                 0x3f21_5000,
		"/" + strings.Repeat("x", 4096): 0x3f21_5000,
	} {
		m, ok := read(guarded(t, board(console).tree()))
		if !ok || m.UART.At != want {
			t.Errorf("console %.40q: serial port at %#x, %v", console, m.UART.At, ok)
		}
		if m.Clock.At != 0 || m.NumVirtio != 0 {
			t.Errorf("devices that cannot be reached: %+v, %d", m.Clock, m.NumVirtio)
		}
		if want := []Range{{0x1000, 0x2000_0000}, {0x2100_0000, 0x3000_0000}, {0x3100_0000, 0x4000_0000}, {0x8010_0000, 0xc000_0000}}; !slices.Equal(sorted(&m.RAM), want) {
			t.Errorf("RAM %#x, want %#x", sorted(&m.RAM), want)
		}
		if want := []Range{{0, 0x2000_0000}, {0x2100_0000, 0x4000_0000}, {0x8000_0000, 0xc000_0000}}; !slices.Equal(sorted(&m.Memory), want) {
			t.Errorf("memory %#x, want %#x", sorted(&m.Memory), want)
		}
	}
}

// sorted are l's ranges in ascending order.
func sorted(l *Ranges) []Range {
	return slices.SortedFunc(slices.Values(l.All()), func(a, b Range) int { return cmp.Compare(a.Start, b.Start) })
}

// TestWide: a bus's ranges without end, looked at for each of many nodes, are read in a bounded time.
func TestWide(t *testing.T) {
	b := new(builder)
	b.begin("")
	b.begin("bus")
	b.cells("#address-cells", 1)
	b.cells("#size-cells", 1)
	b.prop("ranges", make([]byte, 1<<20))
	for range 10_000 {
		b.begin("a")
		b.prop("compatible", []byte("virtio,mmio\x00"))
		b.cells("reg", 1, 1)
		b.end()
	}
	b.end()
	b.end()
	if m, ok := read(b.tree()); ok || m.NumVirtio != 0 {
		t.Errorf("%d devices, %v", m.NumVirtio, ok)
	}
}

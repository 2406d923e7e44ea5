package fdt

// Bounds of a Machine.
const (
	MaxCPU    = 64
	MaxRAM    = 64
	MaxVirtio = 32
)

// Interrupt is an interrupt by the controller's number for it; 0: there is none.
type Interrupt struct {
	ID   uint32
	Edge bool
}

// Device is a device's registers and interrupt; an address of 0: there is none.
type Device struct {
	At, Size uint64
	IRQ      Interrupt
}

// Machine is what the kernel wants to know of one.
type Machine struct {
	Cmdline uintptr // address of a string that ends in 0; 0: none
	Module  Range   // Linux's initrd; empty: none

	// Memory is what can be mapped: all memory but what must not be touched, not even ahead of time. RAM is what of it nobody else uses.
	Memory, RAM Ranges
	// Known says that both are known already: the firmware has a map, and a tree does not change them.
	Known bool

	CPUs    [MaxCPU]uint64 // affinities, in the tree's order
	NumCPUs int            // more than MaxCPU if not all fit

	GICVersion int    // 2 or 3; 0: none that is known
	GICD       uint64 // distributor
	GICC       Range  // version 2: processor interface; version 3: redistributors

	PSCI  bool
	SMC   bool // PSCI is called by SMC, else by HVC
	Timer Interrupt

	console text // path of the node of the console that the firmware uses; empty: none, or found

	UART  Device // PL011
	Clock Device // PL031
	GPIO  Device // PL061
	Power uint32 // pin of GPIO that the power button is on

	ECAM      Range // PCI's configuration space
	Ports     Range // where PCI's ports are, in memory
	Virtio    [MaxVirtio]Device
	NumVirtio int
}

// Read fills m from the tree t and reports whether there is memory in it.
func (m *Machine) Read(t *Tree) bool {
	t.Walk(func(n Node) bool {
		switch {
		case n.Named("chosen"):
			m.chosen(&n)
		case n.Type("memory") && !m.Known:
			n.each(func(r Range) {
				m.Memory.Add(r)
				m.RAM.Add(r)
			})
		}
		return true
	})
	m.findConsole(t)
	if !m.Known {
		t.Reserved(m.RAM.Cut)
	}
	t.Walk(func(n Node) bool {
		if n.Below("reserved-memory") && !m.Known {
			_, hidden := n.Prop("no-map")
			n.each(func(r Range) {
				m.RAM.Cut(r)
				if hidden {
					m.Memory.Cut(r)
				}
			})
		}
		m.node(&n)
		return true
	})
	m.RAM.Cut(FirstPage)
	return len(m.RAM.All()) > 0
}

// FirstPage is not used: address 0 stands for no frame.
var FirstPage = Range{Start: 0, End: 4096}

// chosen reads /chosen.
func (m *Machine) chosen(n *Node) {
	if p, ok := n.Prop("bootargs"); ok {
		m.Cmdline = p.Text()
	}
	m.Module = Range{n.number("linux,initrd-start"), n.number("linux,initrd-end")}
	p, ok := n.Prop("stdout-path")
	if !ok {
		if p, ok = n.Prop("linux,stdout-path"); !ok {
			return
		}
	}
	m.console = p.text()
	for i := uint32(0); i < m.console.n; i++ {
		if n.tree.byteAt(m.console.at+i) == ':' { // speed and the like follow
			m.console.n = i
		}
	}
}

// maxPath is how long a path may be that is compared with nodes.
const maxPath = 256

// findConsole makes the path of m.console, which may be an alias for one (3.3).
func (m *Machine) findConsole(t *Tree) {
	if m.console.n > 0 && t.byteAt(m.console.at) != '/' {
		alias := m.console
		m.console.n = 0
		t.Walk(func(n Node) bool {
			if !n.Named("aliases") {
				return true
			}
			if p, ok := n.Prop(t.str(alias)); ok {
				m.console = p.text()
			}
			return false
		})
	}
	if m.console.n > maxPath {
		m.console.n = 0
	}
}

// node reads the interesting properties of a node.
func (m *Machine) node(n *Node) {
	switch {
	case n.Type("cpu"):
		m.cpu(n)
	case n.Compatible("arm,gic-v3"):
		m.gic(n, 3)
	case n.Compatible("arm,cortex-a15-gic"), n.Compatible("arm,gic-400"):
		m.gic(n, 2)
	case n.Compatible("arm,psci-0.2"), n.Compatible("arm,psci-1.0"):
		p, ok := n.Prop("method")
		m.PSCI, m.SMC = ok, ok && p.Has("smc")
	case n.Compatible("arm,armv8-timer"):
		const virtual = 2 // the third: secure, non-secure, virtual, hypervisor
		m.Timer = n.interrupt(virtual)
	case n.Compatible("arm,pl011"):
		if n.Is(n.tree.str(m.console)) {
			m.UART, m.console.n = Device{}, 0
		}
		m.UART.first(n)
	case n.Compatible("arm,pl031"):
		m.Clock.first(n)
	case n.Compatible("arm,pl061"):
		m.GPIO.first(n)
	case n.Compatible("pci-host-ecam-generic"):
		m.pci(n)
	case n.Compatible("virtio,mmio"):
		m.virtio(n)
	default:
		// The power button: controller, pin, flags.
		if p, ok := n.Prop("gpios"); ok && p.Len == 12 {
			m.Power = p.Word(1)
		}
	}
}

// number is a property that is a number of one word or two; 0: there is none.
func (n *Node) number(name string) uint64 {
	if p, ok := n.Prop(name); ok && (p.Len == 4 || p.Len == 8) {
		return p.Number(0, p.Len/4)
	}
	return 0
}

// each calls fn with the ranges of the node's reg.
func (n *Node) each(fn func(Range)) {
	// Each entry is looked for from the node's beginning on, so empty ones are bounded too.
	for i := uint32(0); i < 4*MaxRAM; i++ {
		at, size, ok := n.Address(i)
		if !ok {
			return
		}
		fn(span(at, size))
	}
}

// cpu notes a processor.
func (m *Machine) cpu(n *Node) {
	if id, _, ok := n.Reg(0); ok {
		if m.NumCPUs < MaxCPU {
			m.CPUs[m.NumCPUs] = id
		}
		m.NumCPUs++
	}
}

// gic notes the interrupt controller.
func (m *Machine) gic(n *Node, version int) {
	d, _, ok := n.Address(0)
	c, size, ok2 := n.Address(1)
	if ok && ok2 {
		m.GICVersion, m.GICD, m.GICC = version, d, Range{c, c + size}
	}
}

// interrupt returns entry i of the node's interrupts, in the form that both
// versions of the controller have: kind, number, flags.
func (n *Node) interrupt(i uint32) Interrupt {
	const spi, ppi = 32, 16 // where shared and private ones begin
	p, ok := n.Prop("interrupts")
	if !ok || (i+1)*12 > p.Len {
		return Interrupt{}
	}
	first := uint32(spi)
	if p.Word(3*i) == 1 {
		first = ppi
	}
	return Interrupt{first + p.Word(3*i+1), p.Word(3*i+2)&3 != 0}
}

// first notes the node's registers and interrupt in d, if it is the first of its kind.
func (d *Device) first(n *Node) {
	if at, size, ok := n.Address(0); ok && d.At == 0 {
		*d = Device{at, size, n.interrupt(0)}
	}
}

// virtio adds a device to those that are there, in the order of addresses.
func (m *Machine) virtio(n *Node) {
	var d Device
	if d.first(n); d.At == 0 || m.NumVirtio == MaxVirtio {
		return
	}
	i := m.NumVirtio
	for ; i > 0 && m.Virtio[i-1].At > d.At; i-- {
		m.Virtio[i] = m.Virtio[i-1]
	}
	m.Virtio[i] = d
	m.NumVirtio++
}

// pci notes the addresses of configuration space and ports. An entry of ranges is a child's address
// of three words, the first of which is its type, the parent's address of two, and a size of two.
func (m *Machine) pci(n *Node) {
	if at, size, ok := n.Address(0); ok {
		m.ECAM = Range{at, at + size}
	}
	const kind, ports = 3 << 24, 1 << 24
	p, _ := n.Prop("ranges")
	for i := uint32(0); (i+7)*4 <= p.Len; i += 7 {
		if p.Word(i)&kind == ports {
			at := p.Number(i+3, 2)
			m.Ports = Range{at, at + p.Number(i+5, 2)}
		}
	}
}

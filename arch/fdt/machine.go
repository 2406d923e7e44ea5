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

// Controller is a kind of interrupt controller.
type Controller int

// NoController stands for one that is not known, or none. A BCM2836's is the pair of a Raspberry Pi 2 and 3: one for each processor, and behind it one for devices.
const (
	NoController Controller = 0
	GICv2        Controller = 2
	GICv3        Controller = 3
	BCM2836      Controller = 4
)

// Interrupts have the numbers that a GIC gives them, whatever the controller: below 16 what processors send each other, then a
// processor's own, and from firstShared on those of devices.
const (
	firstPrivate = 16
	firstShared  = 32
	// VirtualTimer is EL1's virtual timer on a BCM2836, which calls it 3; GICs mostly give it the same number.
	VirtualTimer = 27
)

// Machine is what the kernel wants to know of one.
type Machine struct {
	Cmdline uintptr // address of a string that ends in 0; 0: none
	Module  Range   // Linux's initrd; empty: none

	// Memory is what can be mapped: all memory but what must not be touched, not even ahead of time. RAM is what of it nobody else uses.
	Memory, RAM Ranges
	// Known says that both are known already: the firmware has a map, and a tree does not change them.
	Known bool

	CPUs    [MaxCPU]uint64 // affinities, in the tree's order
	Release [MaxCPU]uint64 // where each of them looks for what it is to do, if firmware has them spin (spin-table); 0: it does not
	NumCPUs int            // more than MaxCPU if not all fit

	Controller Controller
	GICD       uint64 // distributor; of a BCM2836 what is for each processor
	GICC       Range  // version 2: processor interface; version 3: redistributors; of a BCM2836 what is for devices

	PSCI  bool
	SMC   bool // PSCI is called by SMC, else by HVC
	Timer Interrupt

	console text // path of the node of the console that the firmware uses; empty: none, or found

	UART     Device // PL011
	MiniUART Device // of a BCM2835
	Mini     bool   // it is the console, not the PL011
	Watchdog Device // of a BCM2835, which also turns it off

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
		case n.Compatible("brcm,bcm2836-l1-intc"):
			m.Controller = BCM2836 // before others: it says what their interrupts look like
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
		m.gic(n, GICv3)
	case n.Compatible("arm,cortex-a15-gic"), n.Compatible("arm,gic-400"):
		m.gic(n, GICv2)
	case n.Compatible("brcm,bcm2836-l1-intc"):
		m.GICD, _, _ = n.Address(0)
	case n.Compatible("brcm,bcm2836-armctrl-ic"):
		if at, size, ok := n.Address(0); ok {
			m.GICC = span(at, size)
		}
	case n.Compatible("arm,psci-0.2"), n.Compatible("arm,psci-1.0"):
		p, ok := n.Prop("method")
		m.PSCI, m.SMC = ok, ok && p.Has("smc")
	case n.Compatible("arm,armv8-timer"), n.Compatible("arm,armv7-timer"): // a BCM2837's tree calls it so
		const virtual = 2 // the third: secure, non-secure, virtual, hypervisor
		m.Timer = m.interrupt(n, virtual)
		if m.Controller == BCM2836 {
			m.Timer = Interrupt{ID: VirtualTimer}
		}
	case n.Compatible("arm,pl011"):
		if n.Is(n.tree.str(m.console)) {
			m.UART, m.console.n = Device{}, 0
		}
		m.first(&m.UART, n)
	case n.Compatible("brcm,bcm2835-aux-uart"):
		m.Mini = m.Mini || n.Is(n.tree.str(m.console))
		m.first(&m.MiniUART, n)
	case n.Compatible("brcm,bcm2835-pm"), n.Compatible("brcm,bcm2835-pm-wdt"):
		m.first(&m.Watchdog, n)
	case n.Compatible("arm,pl031"):
		m.first(&m.Clock, n)
	case n.Compatible("arm,pl061"):
		m.first(&m.GPIO, n)
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
			if p, ok := n.Prop("enable-method"); ok && p.Has("spin-table") {
				m.Release[m.NumCPUs] = n.number("cpu-release-addr")
			}
		}
		m.NumCPUs++
	}
}

// gic notes the interrupt controller.
func (m *Machine) gic(n *Node, kind Controller) {
	d, _, ok := n.Address(0)
	c, size, ok2 := n.Address(1)
	if ok && ok2 {
		m.Controller, m.GICD, m.GICC = kind, d, Range{c, c + size}
	}
}

// interrupt returns entry i of the node's interrupts. For a GIC it is three words: kind, number, flags. For a BCM2836's controller of devices, which all but the timer are
// connected to, it is two: which of three registers, and which bit.
func (m *Machine) interrupt(n *Node, i uint32) Interrupt {
	words := uint32(3)
	if m.Controller == BCM2836 {
		words = 2
	}
	p, ok := n.Prop("interrupts")
	if !ok || (i+1)*4*words > p.Len {
		return Interrupt{}
	}
	kind, number := p.Word(words*i), p.Word(words*i+1)
	if m.Controller == BCM2836 {
		if kind > 2 || number > 31 {
			return Interrupt{}
		}
		return Interrupt{ID: firstShared + 32*kind + number}
	}
	first := uint32(firstShared)
	if kind == 1 {
		first = firstPrivate
	}
	return Interrupt{first + number, p.Word(3*i+2)&3 != 0}
}

// first notes the node's registers and interrupt in d, if it is the first of its kind.
func (m *Machine) first(d *Device, n *Node) {
	if at, size, ok := n.Address(0); ok && d.At == 0 {
		*d = Device{at, size, m.interrupt(n, 0)}
	}
}

// virtio adds a device to those that are there, in the order of addresses.
func (m *Machine) virtio(n *Node) {
	var d Device
	if m.first(&d, n); d.At == 0 || m.NumVirtio == MaxVirtio {
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

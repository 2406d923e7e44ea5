package arch

// Devices: access to their registers, and the lines that they interrupt at.

// pageRegisters is the entry of a page of registers.
const pageRegisters = ptePage | pteBlock | pteDevice

// read32 and write32 are Read32 and Write32, for this package.
func read32(addr uintptr) uint32     { return Read32(addr) }
func write32(addr uintptr, v uint32) { Write32(addr, v) }

// NumLines is how many interrupt lines there are for devices.
const NumLines = 16

// lines are the interrupts that come to lines; 0: none.
var lines [NumLines]uint32

// lineOf returns the line of interrupt id; a line that there is not, if it has none.
func lineOf(id uint32) int {
	for i, n := range lines {
		if n == id {
			return i
		}
	}
	return NumLines
}

// connect routes an interrupt to line, on the boot processor. It reports false if there is none.
// The kernel's memory lock is held.
func connect(id uint32, edge bool, line int) bool {
	const first = 32 // below are processors' own
	if id < first || id >= noInterrupt {
		return false
	}
	lines[line] = id
	enableShared(id, edge, false)
	return true
}

// Serial and Clock return where the registers of the machine's serial port (a PL011)
// and of its real-time clock (a PL031) are mapped; 0: there is none.
func Serial() uintptr { return deviceAt(machine.UART.At) }

// Clock: see Serial.
func Clock() uintptr { return deviceAt(machine.Clock.At) }

// deviceAt is where a device of the first gigabyte is mapped; 0: none.
func deviceAt(pa uint64) uintptr {
	if pa == 0 || pa >= 1<<30 {
		return 0
	}
	return Phys(pa)
}

// ConnectSerial has the serial port's interrupt come to line. It reports false if the
// machine has no way for it. The kernel's memory lock is held.
func ConnectSerial(line int) bool {
	return connect(machine.UART.IRQ.ID, machine.UART.IRQ.Edge, line)
}

// FindVirtio returns where the registers of virtio device n are mapped that is on
// no bus, in the order of addresses; ok is false if there are no more. The
// kernel's memory lock is held.
func FindVirtio(n int) (base uintptr, ok bool) {
	if n >= machine.NumVirtio {
		return 0, false
	}
	d := &machine.Virtio[n]
	base = Device(d.At, uintptr(d.Size))
	return base, base != 0
}

// ConnectVirtio routes that device's interrupt to line. Same context.
func ConnectVirtio(n, line int) bool {
	d := &machine.Virtio[n]
	return connect(d.IRQ.ID, d.IRQ.Edge, line)
}

// The power button, on a pin of a PL061 (Arm DDI 0190): the host's user presses it to see what
// hangs.
const (
	gpioSense     = 0x404 // 0: edges
	gpioEvent     = 0x40c // 1: rising
	gpioInterrupt = 0x410
	gpioClear     = 0x41c
)

// connectButton has the power button interrupt by FIQ.
func connectButton() {
	base := deviceAt(machine.GPIO.At)
	if base == 0 || machine.Power > 7 || machine.GPIO.IRQ.ID < 32 {
		return
	}
	write32(base+gpioSense, 0)
	write32(base+gpioEvent, 1<<machine.Power)
	write32(base+gpioClear, 0xff)
	write32(base+gpioInterrupt, 1<<machine.Power)
	enableShared(machine.GPIO.IRQ.ID, machine.GPIO.IRQ.Edge, true)
}

// quietButton ends its interrupt.
func quietButton() { write32(deviceAt(machine.GPIO.At)+gpioClear, 0xff) }

package arch

import "sched9/arch/fdt"

// Devices: access to their registers, and the lines that they interrupt at.

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
	if id < firstShared || id >= noInterrupt {
		return false
	}
	lines[line] = id
	irq().connect(id, edge, false)
	return true
}

// mapped is where registers are mapped of devices that are used before the kernel has memory; 0: there is no such device.
var mapped struct{ serial, mini, clock, button, watchdog, ecam, ports uintptr }

// mapDevices sets mapped. Boot.
func mapDevices() {
	mapped.serial = deviceAt(machine.UART)
	mapped.mini = deviceAt(machine.MiniUART)
	mapped.watchdog = deviceAt(machine.Watchdog)
	mapped.clock = deviceAt(machine.Clock)
	mapped.button = deviceAt(machine.GPIO)
	mapped.ecam = deviceAt(fdt.Device{At: machine.ECAM.Start, Size: machine.ECAM.End - machine.ECAM.Start})
	mapped.ports = deviceAt(fdt.Device{At: machine.Ports.Start, Size: machine.Ports.End - machine.Ports.Start})
}

// deviceAt maps d, if there is such a device.
func deviceAt(d fdt.Device) uintptr {
	if d.At == 0 {
		return 0
	}
	return Device(d.At, uintptr(d.Size))
}

// Serial and Clock return where the registers of the console's serial port, if that is a PL011,
// and of the machine's real-time clock (a PL031) are mapped; 0: there is none.
func Serial() uintptr {
	if machine.Mini {
		return 0
	}
	return mapped.serial
}

// MiniUART returns where the registers of a BCM2835's mini UART are mapped; 0: there is none. It is the console if Serial returns 0.
func MiniUART() uintptr { return mapped.mini }

// Clock: see Serial.
func Clock() uintptr { return mapped.clock }

// ConnectSerial has the serial port's interrupt come to line. It reports false if the
// machine has no way for it. The kernel's memory lock is held.
func ConnectSerial(line int) bool {
	port := &machine.UART
	if Serial() == 0 {
		port = &machine.MiniUART
	}
	return connect(port.IRQ.ID, port.IRQ.Edge, line)
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
	base := mapped.button
	if base == 0 || machine.Power > 7 || machine.GPIO.IRQ.ID < 32 {
		return
	}
	Write32(base+gpioSense, 0)
	Write32(base+gpioEvent, 1<<machine.Power)
	Write32(base+gpioClear, 0xff)
	Write32(base+gpioInterrupt, 1<<machine.Power)
	irq().connect(machine.GPIO.IRQ.ID, machine.GPIO.IRQ.Edge, true)
}

// quietButton ends its interrupt.
func quietButton() { Write32(mapped.button+gpioClear, 0xff) }

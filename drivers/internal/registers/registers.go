// Package registers gives tests of virtio drivers the registers of a device over MMIO (virtio 1.2, 4.2.2). They are memory: they do
// not remember which queue, or which half of the features, was asked for.
package registers

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"sched9/drivers/internal/memory"
	"sched9/drivers/virtio"
)

// Registers, by their offsets.
const (
	Magic      = 0x000
	Version    = 0x004
	Device     = 0x008
	Features   = 0x010
	QueueMax   = 0x034
	QueueSize  = 0x038
	QueueReady = 0x044
	Notify     = 0x050
	Status     = 0x070
	Desc       = 0x080
	Avail      = 0x090
	Used       = 0x0a0
	Config     = 0x100
)

// Registers are a device's.
type Registers []byte

// New returns those of a device of that kind, with queues of at most that many entries, until the test ends. features are the
// low half of its features and the high one: bit 0 of that, version 1, a driver needs.
func New(t testing.TB, kind, features, queue uint32) Registers {
	r := Registers(memory.Pages(t, 0x200))
	r.Put(Magic, 0x74726976)
	r.Put(Version, 2)
	r.Put(Device, kind)
	r.Put(Features, features|1)
	r.Put(QueueMax, queue)
	return r
}

// Get returns a register's value.
func (r Registers) Get(reg int) uint32 { return binary.LittleEndian.Uint32(r[reg:]) }

// Put sets a register.
func (r Registers) Put(reg int, v uint32) { binary.LittleEndian.PutUint32(r[reg:], v) }

// Transport returns the way to the device for a driver of that kind.
func (r Registers) Transport(kind uint32) virtio.Transport {
	return virtio.AtMMIO(uintptr(unsafe.Pointer(&r[0])), kind)
}

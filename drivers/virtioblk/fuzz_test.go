package virtioblk

import (
	"encoding/binary"
	"testing"

	"sched9/drivers/internal/registers"
	"sched9/drivers/virtioblk/slot"
)

// FuzzDevice has a device that lies: it returns requests that it never had, or twice, in any order, with any length and
// status, and reports any number of them. Only the requests that it was given may fail: the answer to a request goes to its
// owner alone, once, and only while the device has it.
func FuzzDevice(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 0, 3, 0, 0})
	f.Add([]byte{0, 2, 0, 3, 1, 6, 0, 2, 3, 3, 1, 9, 0, 3, 2, 0, 2, 1, 3, 3, 3, 3})
	f.Add([]byte{0, 1, 2, 200, 200, 3, 3, 0, 1, 1, 3, 255, 3, 3, 5, 3, 1, 3, 0, 3})
	f.Fuzz(func(t *testing.T, script []byte) {
		m := newMachine(t, featureFlush, 256)
		d := m.connect(t)
		var has [MaxSlots]bool // the device has a request whose owner is still there
		next := func() byte {
			if len(script) == 0 {
				return 0
			}
			b := script[0]
			script = script[1:]
			return b
		}
		for len(script) > 0 {
			switch next() % 6 {
			case 0: // a request
				if i := d.Slots.Take(int(next())%MaxSlots, MaxSlots); i >= 0 {
					d.Begin(i, []int{Read, Write, Flush}[next()%3], uint64(i), SectorSize, uintptr(i+1))
					has[i] = true
				}
			case 1: // an answer
				m.give(uint32(next()) * uint32(next()%4))
			case 2: // and many
				m.used += uint16(next())<<8 | uint16(next())
				binary.LittleEndian.PutUint16(m.at(uint64(m.Get(registers.Used)))[2:], m.used)
			case 3:
				for range MaxSlots {
					owner, ok := d.Reap()
					if !ok {
						break
					}
					if owner == 0 {
						continue
					}
					if owner > MaxSlots || !has[owner-1] {
						t.Fatalf("owner %d is told of what it did not ask", owner)
					}
					has[owner-1] = false
					if s := d.Slots.Word(int(owner - 1)).State(); s != slot.Done && s != slot.Failed {
						t.Fatalf("owner %d is told, and its slot is %d", owner, s)
					}
				}
			case 4: // an owner goes
				i := int(next()) % MaxSlots
				if s := d.Slots.Word(i).State(); s != slot.Free && s != slot.Left {
					d.Slots.Release(i)
					has[i] = false
				}
			case 5: // a status
				m.memory[offStatus+int(next())%MaxSlots] = next()
			}
			for i := range has {
				if s := d.Slots.Word(i).State(); has[i] != (s == slot.Busy) {
					t.Fatalf("slot %d is %d; the device has it: %v", i, s, has[i])
				}
			}
		}
	})
}

package acpi

import (
	"encoding/binary"
	"testing"
)

// spcr is memory with a table that describes the second port at 57,600 baud, and that change has changed.
func spcr(change func(body []byte)) Memory {
	body := make([]byte, 80-36)
	body[40-36] = 1
	binary.LittleEndian.PutUint64(body[44-36:], 0x2f8)
	body[52-36], body[53-36], body[54-36], body[58-36] = 3, 3, 19, 6
	change(body)
	m := newMachine()
	m.rsdp(0xe0010, 0x1000, 0)
	m.table(0x1000, "RSDT", []byte{0, 0x30, 0, 0})
	m.table(0x3000, "SPCR", body)
	return m.memory()
}

func TestFindSerial(t *testing.T) {
	port := Serial{Port: 0x2f8, Divisor: 2, GSI: 3, ISA: true}
	for name, c := range map[string]struct {
		change func(b []byte)
		want   Serial
	}{
		"as it should be":    {func(b []byte) {}, port},
		"a 16450":            {func(b []byte) { b[0] = 1 }, port},
		"one like a 16550":   {func(b []byte) { b[0] = 0x12 }, port},
		"an I/O APIC's pin":  {func(b []byte) { b[16] = 2 }, Serial{Port: 0x2f8, Divisor: 2, GSI: 19}},
		"9600":               {func(b []byte) { b[22] = 3 }, Serial{0x2f8, 12, 3, true}},
		"19200":              {func(b []byte) { b[22] = 4 }, Serial{0x2f8, 6, 3, true}},
		"115200":             {func(b []byte) { b[22] = 7 }, Serial{0x2f8, 1, 3, true}},
		"as firmware set it": {func(b []byte) { b[22] = 0 }, Serial{0x2f8, 0, 3, true}},
		"a PL011":            {func(b []byte) { b[0] = 3 }, Serial{}},
		"in memory":          {func(b []byte) { b[4] = 0 }, Serial{}},
		"turned off":         {func(b []byte) { b[8], b[9] = 0, 0 }, Serial{}},
		"beyond all ports":   {func(b []byte) { b[8], b[9] = 0xf9, 0xff }, Serial{}},
	} {
		got, ok := FindSerial(spcr(c.change), 0xe0010)
		if got != c.want || ok != (c.want != Serial{}) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, ok, c.want)
		}
	}
	m := newMachine()
	m.rsdp(0xe0010, 0x1000, 0)
	m.table(0x1000, "RSDT", []byte{0, 0x30, 0, 0})
	m.table(0x3000, "SPCR", make([]byte, 75-36))
	if _, ok := FindSerial(m.memory(), 0xe0010); ok {
		t.Error("a table that is short is taken")
	}
}

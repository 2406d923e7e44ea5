package acpi

import (
	"encoding/binary"
	"testing"
)

// off is a machine whose DSDT is aml and whose FADT has registers at 0x604 and 0x704, and 0xb2 to enable them.
func off(aml string) Memory {
	m := newMachine()
	fadt := make([]byte, 116-36)
	binary.LittleEndian.PutUint32(fadt[40-36:], 0x5000)
	binary.LittleEndian.PutUint32(fadt[48-36:], 0xb2)
	fadt[52-36] = 0xa0
	binary.LittleEndian.PutUint32(fadt[64-36:], 0x604)
	binary.LittleEndian.PutUint32(fadt[68-36:], 0x704)
	m.rsdp(0xe0010, 0x1000, 0)
	m.table(0x1000, "RSDT", []byte{0, 0x30, 0, 0})
	m.table(0x3000, "FACP", fadt)
	m.table(0x5000, "DSDT", []byte(aml))
	return m.memory()
}

func TestPowerOff(t *testing.T) {
	const pad = "12345678"
	for name, c := range map[string]struct {
		aml  string
		a, b uint16 // 0: none
	}{
		"constants":           {"\x08_S5_\x12\x06\x04\x00\x00\x00\x00" + pad, 0x2000, 0x2000},
		"bytes":               {"\x08_S5_\x12\x0a\x04\x0a\x05\x0a\x07\x0a\x00\x0a\x00" + pad, 0x3400, 0x3c00},
		"one of each":         {"\x08_S5_\x12\x07\x04\x01\x0a\x06\x00\x00" + pad, 0x2400, 0x3800},
		"a length of 2":       {"\x08_S5_\x12\x48\x00\x04\x0a\x05\x0a\x05\x00\x00" + pad, 0x3400, 0x3400},
		"behind a name alone": {"_S5_ is a name, and then " + "\x08_S5_\x12\x06\x04\x01\x01\x00\x00" + pad, 0x2400, 0x2400},
		"the table's last":    {"\x08_S5_\x12\x06\x04\x00\x00\x00\x00", 0x2000, 0x2000},
		"and no more in it":   {"\x08_S5_\x12\x04\x02\x00\x01", 0x2000, 0x2400},
		"the second cut off":  {"\x08_S5_\x12\x06\x04\x0a\x05\x0a", 0, 0},
		"another state":       {"\x08_S4_\x12\x06\x04\x00\x00\x00\x00" + pad, 0, 0},
		"cut off":             {"\x08_S5_\x12\x06", 0, 0},
		"nothing":             {"", 0, 0},
	} {
		o, ok := PowerOff(off(c.aml), 0xe0010)
		if !ok && c.a == 0 {
			continue
		}
		if want := (Off{0x604, 0x704, c.a, c.b, 0xb2, 0xa0}); !ok || o != want {
			t.Errorf("%s: %+v, %v", name, o, ok)
		}
	}
	none := newMachine().memory()
	if _, ok := PowerOff(none, FindRSDP(none)); ok {
		t.Error("without tables")
	}
}

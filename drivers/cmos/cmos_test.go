package cmos

import (
	"testing"
	"time"
)

func TestDecode(t *testing.T) {
	for _, tc := range []struct {
		regs [7]uint8
		mode uint8
		want string
	}{
		{[7]uint8{0x56, 0x34, 0x12, 0x29, 0x02, 0x24, 0x20}, hour24, "2024-02-29T12:34:56Z"},
		{[7]uint8{0, 0, 0x12, 1, 1, 0, 0x20}, 0, "2000-01-01T00:00:00Z"},      // 12 am
		{[7]uint8{0, 0, 0x11 | pm, 1, 3, 0, 0x20}, 0, "2000-03-01T23:00:00Z"}, // 11 pm
		{[7]uint8{59, 59, 23, 31, 12, 99, 19}, binary | hour24, "1999-12-31T23:59:59Z"},
		{[7]uint8{0, 0, 0, 1, 1, 0x26, 0}, hour24, "2026-01-01T00:00:00Z"}, // no century
	} {
		got, ok := decode(tc.regs, tc.mode)
		if s := time.Unix(got, 0).UTC().Format(time.RFC3339); !ok || s != tc.want {
			t.Errorf("%x: %s %v, want %s", tc.regs, s, ok, tc.want)
		}
	}
	if _, ok := decode([7]uint8{0, 0, 0, 0, 0, 0, 0}, hour24); ok {
		t.Error("a clock without a date was believed")
	}
}

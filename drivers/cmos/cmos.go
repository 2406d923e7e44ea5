// Package cmos reads the wall time of a PC's real-time clock (Motorola
// MC146818A data sheet).
package cmos

import (
	"sched9/arch"
	"sched9/arch/date"
)

const (
	index = 0 // from arch.Clock on
	data  = 1

	second, minute, hour, day, month, year = 0, 2, 4, 7, 8, 9
	century                                = 0x32
	statusA, statusB                       = 0x0a, 0x0b
	updating                               = 0x80
	binary, hour24                         = 4, 2
	pm                                     = 0x80
)

// read reads a register of the clock.
func read(reg uint8) uint8 {
	arch.Write8(arch.Clock()+index, reg)
	return arch.Read8(arch.Clock() + data)
}

// Attach reports whether a clock answers: a missing one reads as all ones.
func Attach() bool { return read(statusB) != 0xff }

// Seconds returns the time since 1970. ok is false if the clock does not hold
// still, or holds no date.
func Seconds() (s int64, ok bool) {
	var a, b [7]uint8
	for try := 0; try < 1000; try++ {
		a, b = b, sample()
		if try > 0 && a == b && read(statusA)&updating == 0 {
			return decode(b, read(statusB))
		}
	}
	return 0, false
}

// sample reads all registers of the date once.
func sample() [7]uint8 {
	return [7]uint8{read(second), read(minute), read(hour), read(day), read(month), read(year), read(century)}
}

// decode turns the registers into seconds since 1970.
func decode(r [7]uint8, mode uint8) (int64, bool) {
	afternoon := r[2]&pm != 0
	r[2] &^= pm
	if mode&binary == 0 {
		for i, v := range r {
			r[i] = v>>4*10 + v&15
		}
	}
	if mode&hour24 == 0 {
		r[2] %= 12
		if afternoon {
			r[2] += 12
		}
	}
	y := int64(r[5]) + 2000
	if r[6] >= 19 && r[6] <= 22 {
		y = int64(r[5]) + int64(r[6])*100
	}
	return date.Seconds(y, int64(r[4]), int64(r[3]), int64(r[2]), int64(r[1]), int64(r[0]))
}

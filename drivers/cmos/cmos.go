// Package cmos reads the wall time of a PC's real-time clock (Motorola
// MC146818A data sheet).
package cmos

import "sched9/arch"

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
	m, d := int64(r[4]), int64(r[3])
	if m < 1 || m > 12 || d < 1 || d > 31 || r[2] > 23 || r[1] > 59 || r[0] > 60 {
		return 0, false
	}
	return days(y, m, d)*86400 + int64(r[2])*3600 + int64(r[1])*60 + int64(r[0]), true
}

// days returns the number of days from 1970-01-01 to the given date. Years
// begin in March here, so that the leap day is a year's last.
func days(y, m, d int64) int64 {
	if m < 3 {
		y--
		m += 12
	}
	return 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + d - 719469
}

// Package date counts the seconds of dates, for clocks that keep dates. It allocates nothing.
package date

// Seconds returns the time since 1970-01-01 of a date and time, in seconds. ok is false if it is none; the 31st of any month, and a
// leap second, are taken for what follows.
func Seconds(year, month, day, hour, minute, second int64) (s int64, ok bool) {
	if month < 1 || month > 12 || day < 1 || day > 31 || uint64(hour) > 23 || uint64(minute) > 59 || uint64(second) > 60 {
		return 0, false
	}
	return days(year, month, day)*86400 + hour*3600 + minute*60 + second, true
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

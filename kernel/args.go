package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/kernel/cmdline"
)

// maxCmdline bounds the command line, maxWords its words: QEMU and Multiboot
// loaders pass a string of any length.
const (
	maxCmdline = 16 << 10
	maxWords   = 1024
)

// The block that a Linux process finds at its stack pointer: argc, argv, 0,
// environment, 0, auxiliary vector. Static, because the runtime keeps it.
var (
	line   [maxCmdline + maxWords]byte // words, each ending in 0
	block  [maxWords + 16]uintptr
	random [2]uint64 // AT_RANDOM
)

// Tags of the auxiliary vector (elf.h).
const (
	atPageSize = 6
	atHWCap    = 16
	atRandom   = 25
)

// buildArgs makes the block out of the loader's command line.
func buildArgs() (argc, argv uintptr) {
	n := 0
	if p := arch.Cmdline(); p != 0 {
		for ; ; n++ {
			if n == maxCmdline {
				Fatal("the command line is longer than 16 KiB")
			}
			c := *(*byte)(unsafe.Pointer(p + uintptr(n)))
			if c == 0 {
				break
			}
			line[n] = c
		}
	}
	seed()
	random[0], random[1] = randomBits(), randomBits()

	var words [maxWords]cmdline.Word
	nw := 0
	cmdline.Parse(line[:n], func(w cmdline.Word) {
		if nw == maxWords {
			Fatal("the command line has more than 1024 words")
		}
		words[nw] = w
		nw++
	})
	for _, w := range words[:nw] {
		if w.Kind == cmdline.Option {
			setOption(line[w.At : w.At+w.N])
		}
	}
	at := 0
	add := func(v uintptr) {
		block[at] = v
		at++
	}
	// A word ends before a blank or at the end of the line, so there is room
	// for the 0 behind it.
	put := func(kind cmdline.Kind) (count uintptr) {
		for _, w := range words[:nw] {
			if w.Kind == kind {
				line[w.At+w.N] = 0
				add(uintptr(unsafe.Pointer(&line[w.At])))
				count++
			}
		}
		return count
	}
	add(0) // argc
	argc = put(cmdline.Arg)
	if argc == 0 {
		add(uintptr(unsafe.Pointer(&noName)))
		argc = 1
	}
	block[0] = argc
	add(0)
	put(cmdline.Env)
	add(0)
	for _, v := range [...]uintptr{atPageSize, arch.PageSize, atHWCap, arch.HWCap(), atRandom, uintptr(unsafe.Pointer(&random)), 0, 0} {
		add(v)
	}
	return argc, uintptr(unsafe.Pointer(&block[1]))
}

// options are the kernel's own, by name: numbers that the host gives on the
// command line as sched9.NAME=VALUE. -1: not given.
var options = [...]struct {
	name  string
	value int
}{
	{"record", -1}, // the recorder, with so many callers of a stack (record.go)
	{"audit", -1},  // audits, so many milliseconds apart; for the language
	{"slice", -1},  // the time slice, in microseconds
	{"input", -1},  // 1: there is console input (input.go)
}

// Option returns the value of an option, -1 if it was not given.
func Option(name string) int {
	for i := range options {
		if options[i].name == name {
			return options[i].value
		}
	}
	return -1
}

// Debug returns the value of a key in the environment's GODEBUG, "" if it is not there.
// The text lives for ever.
func Debug(key string) string {
	for i := 0; i < len(block); i++ {
		p := block[i]
		if p < uintptr(unsafe.Pointer(&line)) || p >= uintptr(unsafe.Pointer(&line))+unsafe.Sizeof(line) {
			continue
		}
		n := 0
		for *(*byte)(unsafe.Pointer(p + uintptr(n))) != 0 {
			n++
		}
		const name = "GODEBUG="
		word := unsafe.String((*byte)(unsafe.Pointer(p)), n)
		if n < len(name) || word[:len(name)] != name {
			continue
		}
		for word = word[len(name):]; word != ""; {
			end := 0
			for end < len(word) && word[end] != ',' {
				end++
			}
			if item := word[:end]; len(item) > len(key) && item[:len(key)] == key && item[len(key)] == '=' {
				return item[len(key)+1:]
			}
			word = word[min(end+1, len(word)):]
		}
	}
	return ""
}

// setOption takes an option, NAME=VALUE.
func setOption(o []byte) {
	for i := range options {
		name := options[i].name
		if len(o) <= len(name)+1 || string(o[:len(name)]) != name || o[len(name)] != '=' {
			continue
		}
		v := 0
		for _, c := range o[len(name)+1:] {
			if c < '0' || c > '9' || v > 1_000_000 {
				Fatal("the option sched9.", name, " is not a number, or too large")
			}
			v = v*10 + int(c-'0')
		}
		options[i].value = v
		return
	}
	Fatal("an option sched9.* that this kernel does not have")
}

// noName is os.Args[0] of an image that was booted without arguments.
var noName = [...]byte{'s', 'c', 'h', 'e', 'd', '9', 0}

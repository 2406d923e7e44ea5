package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/kernel/archive"
	"sched9/kernel/cmdline"
	"sched9/sched"
)

// maxLine bounds the boot loader's command line, maxLineWords its words: some loaders
// pass a longer one than others do.
const (
	maxLine      = 16 << 10
	maxLineWords = 1024
)

// blockTail is how many words of the block stand behind the environment: a 0, and the four
// pairs of the auxiliary vector.
const blockTail = 1 + 4*2

// The block that a Linux process finds at its stack pointer: argc, argv, 0,
// environment, 0, auxiliary vector. Static, because the runtime keeps it.
var (
	line   [cmdline.MaxBytes]byte // words, each ending in 0
	block  [1 + cmdline.MaxWords + 1 + blockTail]uintptr
	used   int       // so many of block
	random [2]uint64 // AT_RANDOM

	environ int // where in block the environment begins; a 0 ends it
)

// Tags of the auxiliary vector (elf.h).
const (
	atPageSize = 6
	atHWCap    = 16
	atRandom   = 25
)

// buildArgs makes the block of the loader's module, if that has arguments, or else of its
// command line. The kernel's options are on the line in any case.
func buildArgs() (argc, argv uintptr) {
	var words [maxLineWords]cmdline.Word
	n := readLine(&words)
	seed()
	random[0], random[1] = randomBits(), randomBits()

	add(0) // argc
	if args, env, ok := moduleArgs(); ok {
		argc = addStrings(args)
		add(0)
		environ = used
		addStrings(env)
	} else {
		if Option("args") > 0 {
			Fatal("the boot loader has left no module with the arguments")
		}
		argc = addWords(words[:n], cmdline.Arg)
		if argc == 0 {
			add(uintptr(unsafe.Pointer(&noName)))
			argc = 1
		}
		add(0)
		environ = used
		addWords(words[:n], cmdline.Env)
	}
	add(0)
	for _, v := range [...]uintptr{atPageSize, arch.PageSize, atHWCap, arch.HWCap(), atRandom, uintptr(unsafe.Pointer(&random)), 0, 0} {
		add(v)
	}
	block[0] = argc
	return argc, uintptr(unsafe.Pointer(&block[1]))
}

// add appends v to the block.
//
//go:noinline
func add(v uintptr) {
	block[used] = v
	used++
}

// readLine copies the loader's command line, takes its options, and returns how many
// words it has.
func readLine(words *[maxLineWords]cmdline.Word) (n int) {
	size := 0
	if p := arch.Cmdline(); p != 0 {
		for ; ; size++ {
			if size == maxLine {
				Fatal("the command line is longer than 16 KiB")
			}
			c := *(*byte)(unsafe.Pointer(p + uintptr(size)))
			if c == 0 {
				break
			}
			line[size] = c
		}
	}
	cmdline.Parse(line[:size], func(w cmdline.Word) {
		if n == maxLineWords {
			Fatal("the command line has more than 1024 words")
		}
		words[n] = w
		n++
	})
	for _, w := range words[:n] {
		if w.Kind == cmdline.Option {
			setOption(line[w.At : w.At+w.N])
		}
	}
	return n
}

// addWords appends the addresses of the words of the command line that are of the given kind,
// and returns how many there are. A word ends before a blank or at the end of the line, so there is
// room for the 0 behind it.
func addWords(words []cmdline.Word, kind cmdline.Kind) (count uintptr) {
	for _, w := range words {
		if w.Kind == kind {
			line[w.At+w.N] = 0
			add(uintptr(unsafe.Pointer(&line[w.At])))
			count++
		}
	}
	return count
}

// moduleArgs copies arguments and environment from the loader's module over the command line, and
// returns where they lie now: strings, a 0 behind each. ok is false if there are none.
func moduleArgs() (args, env []byte, ok bool) {
	start, end := arch.Module()
	files := unsafe.Slice((*byte)(unsafe.Pointer(arch.Phys(start))), end-start)
	args, ok = archive.Find(files, cmdline.ArgsFile)
	if !ok {
		return nil, nil, false
	}
	env, _ = archive.Find(files, cmdline.EnvFile)
	if len(args)+len(env) > len(line) {
		Fatal("the loader's module has arguments of more than 128 KiB")
	}
	n := copy(line[:], args)
	return line[:n], line[n : n+copy(line[n:], env)], true
}

// addStrings appends the addresses of the strings in text, and returns how many there are.
func addStrings(text []byte) (count uintptr) {
	begin := 0
	for at, c := range text {
		if c != 0 {
			continue
		}
		if used == len(block)-blockTail {
			Fatal("the loader's module has more than 16384 arguments and variables")
		}
		add(uintptr(unsafe.Pointer(&text[begin])))
		begin = at + 1
		count++
	}
	return count
}

// options are the kernel's own, by name: numbers that the host gives on the
// command line as sched9.NAME=VALUE. -1: not given.
var options = [...]struct {
	name  string
	value int
}{
	{"record", -1}, // the recorder, with so many callers of a stack (record.go)
	{"audit", -1},  // audits, so many milliseconds apart; for the runtime
	{"slice", -1},  // the time slice, in microseconds
	{"input", -1},  // 1: there is console input (input.go)
	{"args", -1},   // 1: the arguments are in the loader's module
	{"merged", -1}, // 1: both outputs go to one place (console.go)
	{"coms", -1},   // 1: standard error goes to the second serial port, the report to the third
	{"wall", -1},   // seconds since 1970 when the image began, for a machine without a clock (clock.go)

	{"hunt", -1},      // the seed of the schedule (hunt.go)
	{"hunthow", -1},   // the number of the strategy, 0: the seed's
	{"huntdepth", -1}, // its depth, 0: the seed's
	{"huntlimit", -1}, // most milliseconds that goroutines may run
	{"huntruns", -1},  // so many seeds, one run after the other
	{"huntstep", -1},  // and the distance from one to the next
	{"huntlog", -1},   // 1: all switches are told
	{"hunthang", -1},  // most seconds until the end
	{"huntleaks", -1}, // 1: a goroutine that can never run again is a failure
}

// Option returns the value of an option, -1 if it was not given.
//
//go:noinline
func Option(name string) int {
	for i := range options {
		if options[i].name == name {
			return options[i].value
		}
	}
	return -1
}

// variable returns the value of a variable of the environment, name with its '=', "" if it is not
// there. The text lives for ever.
func variable(name string) string {
	for i := environ; block[i] != 0; i++ {
		p := block[i]
		n := 0
		for *(*byte)(unsafe.Pointer(p + uintptr(n))) != 0 {
			n++
		}
		if word := unsafe.String((*byte)(unsafe.Pointer(p)), n); n >= len(name) && word[:len(name)] == name {
			return word[len(name):]
		}
	}
	return ""
}

// Debug returns the value of a key in the environment's GODEBUG, "" if it is not there.
// The text lives for ever.
func Debug(key string) string {
	for word := variable("GODEBUG="); word != ""; {
		end := 0
		for end < len(word) && word[end] != ',' {
			end++
		}
		if item := word[:end]; len(item) > len(key) && item[:len(key)] == key && item[len(key)] == '=' {
			return item[len(key)+1:]
		}
		word = word[min(end+1, len(word)):]
	}
	return ""
}

// setOption takes an option, NAME=VALUE.
func setOption(o []byte) {
	if sched.Hunting && huntOption(o) {
		return
	}
	for i := range options {
		name := options[i].name
		if len(o) <= len(name)+1 || string(o[:len(name)]) != name || o[len(name)] != '=' {
			continue
		}
		v := 0
		for _, c := range o[len(name)+1:] {
			if c < '0' || c > '9' || v > 1_000_000_000 {
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

// Package cmdline is the command line that carries the program's arguments and
// environment into the guest. Host and guest share it: the host tool writes
// what the kernel reads.
//
//	sched9.OPTION=VALUE ... KEY=VALUE ... -- ARG0 ARG1 ...
//
// Words are separated by blanks. Words before "--" that hold a '=' are the
// environment, or, if they begin with "sched9." as they stand, options of the
// kernel; other words there (a boot loader's own, such as the image's
// name) are ignored. Everything after "--" is os.Args. In a word, %XX stands
// for the byte with that hexadecimal number, and a lone %- for nothing, so
// that an empty argument can be written.
package cmdline

// Prefix begins an option.
const Prefix = "sched9."

// Bounds. Boot loaders limit the length of a line: QEMU's for PVH overwrites its own data behind 4096 bytes. Longer
// arguments, or a guest with files, need a module beside the image: an archive with the files ArgsFile and EnvFile, in
// which each argument or variable is followed by a 0. The line then has only the options.
const (
	MaxLine  = 3 << 10
	MaxWords = 16 << 10  // arguments and variables
	MaxBytes = 128 << 10 // of them, with a 0 behind each

	ArgsFile = "proc/self/cmdline"
	EnvFile  = "proc/self/environ"
)

// Format writes a command line. Options are without Prefix, and plain text.
func Format(options, env, args []string) string {
	var line []byte
	for _, o := range options {
		line = append(append(append(line, Prefix...), o...), ' ')
	}
	for _, e := range env {
		at := len(line)
		line = append(quote(line, e), ' ')
		if hasPrefix(line[at:]) {
			// A variable of that name must not look like an option.
			line = append(line[:at], "%73"+string(line[at+1:])...)
		}
	}
	line = append(line, "--"...)
	for _, a := range args {
		line = quote(append(line, ' '), a)
	}
	return string(line)
}

// quote appends s, with bytes escaped that would end a word, or that a boot loader may treat
// specially: quotes, backslashes, commas, and bytes that are not plain ASCII. (This package may not
// import strings: the runtime imports it.)
func quote(line []byte, s string) []byte {
	if s == "" {
		return append(line, "%-"...)
	}
	const hex = "0123456789abcdef"
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '%', '"', '\'', '\\', ',':
			line = append(line, '%', hex[c>>4], hex[c&15])
		default:
			if c <= ' ' || c >= 0x7f || c == '-' && i == 0 {
				line = append(line, '%', hex[c>>4], hex[c&15])
			} else {
				line = append(line, c)
			}
		}
	}
	return line
}

// A Word is one parsed word of a line.
type Word struct {
	Kind Kind
	N    int // bytes of the word, decoded, now at the start of its place
	At   int // where in the line it begins
}

// Kind says what a word is.
type Kind int

const (
	Env Kind = iota
	Arg
	Option // without Prefix
)

// Parse splits line, decodes each word in place, and calls fn with each option,
// each word of the environment and each argument in order. It allocates nothing.
func Parse(line []byte, fn func(w Word)) {
	args := false
	for i := 0; i < len(line); {
		if line[i] == ' ' {
			i++
			continue
		}
		start := i
		for i < len(line) && line[i] != ' ' {
			i++
		}
		word := line[start:i]
		if !args && string(word) == "--" {
			args = true
			continue
		}
		option := !args && hasPrefix(word)
		n := decode(word)
		if option {
			fn(Word{Option, n - len(Prefix), start + len(Prefix)})
		} else if args {
			fn(Word{Arg, n, start})
		} else if has(word[:n], '=') {
			fn(Word{Env, n, start})
		}
	}
}

// decode replaces the escapes in w and returns how many bytes remain.
func decode(w []byte) int {
	n := 0
	for i := 0; i < len(w); i++ {
		c := w[i]
		if c == '%' && i+1 < len(w) && w[i+1] == '-' {
			i++
			continue
		}
		if c == '%' && i+2 < len(w) {
			if h, l := digit(w[i+1]), digit(w[i+2]); h >= 0 && l >= 0 {
				c = byte(h<<4 | l)
				i += 2
			}
		}
		w[n] = c
		n++
	}
	return n
}

// hasPrefix reports whether w begins with Prefix.
func hasPrefix(w []byte) bool {
	return len(w) >= len(Prefix) && string(w[:len(Prefix)]) == Prefix
}

// digit is the value of a hexadecimal digit, -1 if c is none.
func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// has reports whether c is in w.
func has(w []byte, c byte) bool {
	for _, b := range w {
		if b == c {
			return true
		}
	}
	return false
}

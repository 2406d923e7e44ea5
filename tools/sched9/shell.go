package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// shellProgram is what sched9 run -shell boots, in a checkout of sched9.
const shellProgram = "./scenarios/shell"

// editTerminal has terminal f pass on each key as it is pressed, ^C too, without showing it: the guest's shell edits its lines. ^\ ends the run as
// ever. It returns what tells the shell so, "" if f is no terminal, and what makes f as it was.
func editTerminal(f io.Reader) (env string, restore func(), err error) {
	file, ok := f.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return "", func() {}, nil
	}
	fd := int(file.Fd())
	was, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return "", nil, err
	}
	columns, rows, err := term.GetSize(fd)
	if err != nil || columns <= 0 || rows <= 0 {
		columns, rows = 80, 24
	}
	keys := *was
	keys.Iflag &^= unix.ICRNL | unix.INLCR | unix.IGNCR | unix.IXON
	keys.Lflag &^= unix.ECHO | unix.ICANON | unix.IEXTEN
	keys.Cc[unix.VINTR], keys.Cc[unix.VSUSP] = 0, 0
	keys.Cc[unix.VMIN], keys.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &keys); err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("SHELL_TERMINAL=%dx%d", columns, rows), func() { unix.IoctlSetTermios(fd, unix.TCSETS, was) }, nil
}

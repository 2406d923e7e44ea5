package guest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/u-root/u-root/pkg/cpio"

	"sched9/kernel/cmdline"
	"sched9/qemu"
)

// words are the guest's arguments, with the program's name.
func (g Guest) words() []string { return append([]string{g.Name}, g.Args...) }

// checkArgs says what is wrong with the guest's arguments and environment.
func (g Guest) checkArgs() error {
	size := 0
	for _, e := range g.Env {
		if i := strings.IndexByte(e, '='); i < 1 {
			return fmt.Errorf("environment %q is not of the form KEY=VALUE", e)
		}
	}
	for _, s := range slices.Concat(g.words(), g.Env) {
		if strings.ContainsRune(s, 0) {
			return errors.New("an argument holds a zero byte")
		}
		size += len(s) + 1
	}
	if n := len(g.Env) + len(g.Args) + 1; n > cmdline.MaxWords {
		return fmt.Errorf("%d arguments and variables are too many, %d are possible", n, cmdline.MaxWords)
	}
	if size > cmdline.MaxBytes {
		return fmt.Errorf("arguments and environment take %d bytes, %d are possible", size, cmdline.MaxBytes)
	}
	return nil
}

// arguments returns the guest's command line, and the module to load beside the image if there are
// files, or if the arguments do not fit into a line.
func (g Guest) arguments() (line string, module []byte, err error) {
	line = cmdline.Format(g.options(), g.Env, g.words())
	files := slices.Concat(g.Net.files(g.Files), g.Files)
	if len(line) <= cmdline.MaxLine && len(files) == 0 {
		return line, nil, nil
	}
	var text bytes.Buffer
	w := cpio.Newc.Writer(&text)
	own := []cpio.Record{
		cpio.Directory("proc", 0o555),
		cpio.Directory("proc/self", 0o555),
		cpio.StaticFile(cmdline.ArgsFile, ended(g.words()), 0o444),
		cpio.StaticFile(cmdline.EnvFile, ended(g.Env), 0o444),
	}
	err = errors.Join(cpio.WriteRecords(w, slices.Concat(own, files)), cpio.WriteTrailer(w))
	return cmdline.Format(append(g.options(), "args=1"), nil, nil), text.Bytes(), err
}

// ended joins strings, with a zero byte behind each.
func ended(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, "\x00") + "\x00"
}

// temporary is the names of files that are made for a run.
type temporary []string

// add makes a file of its own with data in it and returns its name.
func (t *temporary) add(what string, data []byte) (name string, err error) {
	f, err := t.create(what)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	return f.Name(), errors.Join(err, f.Close())
}

// create makes a file of its own.
func (t *temporary) create(what string) (*os.File, error) {
	f, err := os.CreateTemp("", qemu.Scratch(what))
	if err == nil {
		*t = append(*t, f.Name())
	}
	return f, err
}

// remove deletes the files. A process that has one open keeps it.
func (t *temporary) remove() {
	for _, name := range *t {
		os.Remove(name)
	}
	*t = nil
}

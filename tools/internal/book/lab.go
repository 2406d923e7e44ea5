package book

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sched9/trace"
	"sched9/trace/svg"
)

// What a lab's folder has for its picture: words that say of what it is, and the picture.
const (
	labWords   = "picture.txt"
	labPicture = "picture.svg"
)

// labDrawing reads picture.txt of a lab: a line `sched9 run ...`, and then the words of a block picture, without `of`.
func labDrawing(file string) (args []string, d drawing, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, d, err
	}
	command, words, _ := strings.Cut(string(text), "\n")
	args = strings.Fields(command)
	if len(args) < 3 || args[0] != "sched9" || args[1] != "run" {
		return nil, d, fmt.Errorf("%s: %q is not sched9 run ...", file, command)
	}
	if d, err = readDrawing("of it\n" + words); err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return args[2:], d, err
}

// Labs draws the picture of each lab of the tree at root: it boots the programs, by boot, as a Site does, and writes to/NN-name/picture.svg.
func Labs(root, to string, boot Boot) error {
	files, err := filepath.Glob(filepath.Join(root, "labs", "*", labWords))
	if err != nil {
		return err
	}
	var errs []error
	for _, file := range files {
		if err := drawLab(root, file, filepath.Join(to, filepath.Base(filepath.Dir(file)), labPicture), boot); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file, err))
		}
	}
	return errors.Join(errs...)
}

// drawLab draws one of them.
func drawLab(root, file, to string, boot Boot) error {
	args, d, err := labDrawing(file)
	if err != nil {
		return err
	}
	v, _, err := boot.view(root, args)
	if err != nil {
		return err
	}
	var b strings.Builder
	if _, _, err := d.draw(&b, v); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, []byte(b.String()), 0o666)
}

// draw draws it, and returns the stretch of time that is seen.
func (d drawing) draw(s *strings.Builder, v *trace.View) (from, to int64, err error) {
	at, err := d.at.find(v)
	if err != nil {
		return 0, 0, err
	}
	from, to = max(at-d.before.Nanoseconds(), v.Start), at+d.after.Nanoseconds()
	return from, to, svg.Draw(s, v, svg.Picture{Lanes: d.lanes, Kinds: d.kinds, From: from, To: to, Marks: d.marks})
}

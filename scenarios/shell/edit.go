package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// editor is a terminal whose lines are edited here: arrows, history, ^A, ^E, ^K, ^U, ^W. The terminal itself passes on each key as it is pressed.
type editor struct {
	term  *term.Terminal
	typed typed
	left  []byte // of the line that is being read

	lock   sync.Mutex
	ctx    context.Context // of the command that runs, or of the line that was entered
	cancel func()          // ends it; nil: a line is being typed
}

// typed is what was typed and is not read yet.
type typed chan byte

// Read reads a key.
func (t typed) Read(b []byte) (int, error) {
	c, ok := <-t
	if !ok {
		return 0, io.EOF
	}
	b[0] = c
	return 1, nil
}

// newEditor is one of that many columns and rows.
func newEditor(columns, rows int) *editor {
	e := &editor{typed: make(typed, 4096)}
	e.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{e.typed, os.Stdout}, "")
	e.term.SetSize(columns, rows) // it fails for none that is sensible
	go e.keys()
	return e
}

// keys passes on what is typed, ahead too: what there is no room for is lost, as in a terminal. ^C ends the command that runs, or forgets the line.
func (e *editor) keys() {
	const interrupt, forget = 3, "\x05\x15" // to the end of the line, and delete all before it
	var b [256]byte
	for {
		n, err := os.Stdin.Read(b[:])
		for _, c := range b[:n] {
			switch {
			case c != interrupt:
				if c == '\r' || c == '\n' {
					e.running()
				}
				e.pass(string([]byte{c}))
			case !e.interrupts():
				e.pass(forget)
			}
		}
		if err != nil {
			close(e.typed)
			return
		}
	}
}

// pass passes keys on, if there is room.
func (e *editor) pass(keys string) {
	for _, c := range []byte(keys) {
		select {
		case e.typed <- c:
		default:
		}
	}
}

// interrupts ends the command that runs, or is about to, and reports whether there is one.
func (e *editor) interrupts() bool {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.cancel == nil {
		return false
	}
	fmt.Println("^C")
	e.cancel()
	return true
}

// running returns the context of the commands of a line, from the moment that the line is entered until the next is read: ^C
// is for them from then on.
func (e *editor) running() context.Context {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.cancel == nil {
		e.ctx, e.cancel = context.WithCancel(context.Background())
	}
	return e.ctx
}

// over ends what running began.
func (e *editor) over() {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.cancel != nil {
		e.cancel()
		e.cancel = nil
	}
}

// prompt says what stands before the next line.
func (e *editor) prompt(text string) { e.term.SetPrompt(text) }

// Read reads lines; ^D on an empty one is the end.
func (e *editor) Read(b []byte) (int, error) {
	if len(e.left) == 0 {
		e.over()
		line, err := e.term.ReadLine()
		if err != nil {
			return 0, err
		}
		e.left = append([]byte(line), '\n')
	}
	n := copy(b, e.left)
	e.left = e.left[n:]
	return n, nil
}

// plain is any other input: a file, a pipe, or a terminal that edits lines itself.
type plain struct{ io.Reader }

func (plain) prompt(text string)       { fmt.Print(text) }
func (plain) running() context.Context { return context.Background() }

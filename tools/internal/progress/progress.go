// Package progress shows on a terminal what is being waited for, and leaves
// nothing behind. Where there is no terminal it shows nothing.
package progress

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/briandowns/spinner"
	"golang.org/x/term"
)

// Line is the one line of a terminal that shows progress. A nil *Line shows
// nothing. Its methods are safe for concurrent use.
type Line struct {
	mu   sync.Mutex
	spin *spinner.Spinner
}

// New returns the line for w, or nil if w is no terminal.
func New(w io.Writer) *Line {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return &Line{spin: spinner.New(spinner.CharSets[14], 100*time.Millisecond, spinner.WithWriterFile(f))}
}

// Say shows what is being waited for.
func (l *Line) Say(what string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spin.Lock()
	l.spin.Suffix = " " + what + " ..."
	l.spin.Unlock()
	l.spin.Start()
}

// Clear takes the line away, until Say is called again.
func (l *Line) Clear() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spin.Active() {
		l.spin.Stop()
	}
}

// Writer returns a writer to w that clears the line before it writes.
func (l *Line) Writer(w io.Writer) io.Writer {
	if l == nil {
		return w
	}
	return clearing{l, w}
}

// clearing is the writer of Writer.
type clearing struct {
	line *Line
	w    io.Writer
}

// Write clears the line and writes.
func (c clearing) Write(p []byte) (int, error) {
	c.line.Clear()
	return c.w.Write(p)
}

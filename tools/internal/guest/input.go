package guest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"sync"
)

// What the guest's console takes for more than a byte (kernel/typed).
const (
	endOfInput = 4  // at the beginning of a line, or twice
	literally  = 22 // the next byte means nothing
)

// A keyboard feeds the guest's console from a reader. It begins when the guest says that it reads,
// and adds what the console needs to know: which bytes have no special meaning, and where the end
// is.
//
// With a prompt it sends a line for each line of the guest's standard output that matches, as a
// user does who waits to be asked; the end, too.
type keyboard struct {
	from   *bufio.Reader
	prompt *regexp.Regexp // nil: all at once

	wanted chan struct{} // closed when the guest reads
	once   sync.Once
	over   chan struct{} // closed when the run has ended

	mu    sync.Mutex // guards the next four
	more  *sync.Cond // asked grew, or the run has ended
	asked int        // prompts that no line went out for
	done  bool
	line  []byte // output since the last newline

	out   []byte // what Read hands out next; the reader's own
	ended bool
}

// newKeyboard makes one of r.
func newKeyboard(r io.Reader, prompt *regexp.Regexp) *keyboard {
	k := &keyboard{from: bufio.NewReader(r), prompt: prompt, wanted: make(chan struct{}), over: make(chan struct{})}
	k.more = sync.NewCond(&k.mu)
	return k
}

// begin lets Read begin. close makes it end, if it does not wait for its source.
func (k *keyboard) begin() { k.once.Do(func() { close(k.wanted) }) }

// close: see begin.
func (k *keyboard) close() {
	close(k.over)
	k.mu.Lock()
	k.done = true
	k.more.Broadcast()
	k.mu.Unlock()
}

// Read returns bytes for the console, and io.EOF at the end.
func (k *keyboard) Read(p []byte) (int, error) {
	select {
	case <-k.wanted:
	case <-k.over:
		return 0, io.EOF
	}
	for len(k.out) == 0 {
		if k.ended || !k.permitted() {
			return 0, io.EOF
		}
		if err := k.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, k.out)
	k.out = k.out[n:]
	return n, nil
}

// permitted waits for a prompt, and reports false if the run ended first.
func (k *keyboard) permitted() bool {
	if k.prompt == nil {
		return true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.asked == 0 && !k.done {
		k.more.Wait()
	}
	k.asked--
	return !k.done
}

// fill puts the next input into out: a line, or what is available at once.
func (k *keyboard) fill() error {
	var raw []byte
	var err error
	if k.prompt != nil {
		raw, err = k.from.ReadBytes('\n')
	} else {
		if _, err = k.from.Peek(1); err == nil {
			raw = make([]byte, k.from.Buffered())
			k.from.Read(raw)
		}
	}
	for _, c := range raw {
		if c == endOfInput || c == literally {
			k.out = append(k.out, literally)
		}
		k.out = append(k.out, c)
	}
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, io.EOF):
		return err
	}
	if len(raw) > 0 && k.prompt != nil {
		return nil // a last line without a newline: its end is asked for
	}
	k.ended = true
	k.out = append(k.out, endOfInput, endOfInput)
	return nil
}

// watch returns a writer of the guest's standard output that passes all on to w
// (nil: nowhere) and counts prompts.
func (k *keyboard) watch(w io.Writer) io.Writer {
	if w == nil {
		w = io.Discard
	}
	if k.prompt == nil {
		return w
	}
	return writerFunc(func(p []byte) (int, error) {
		n, err := w.Write(p)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.line = append(k.line, p...)
		for {
			text, rest, whole := bytes.Cut(k.line, []byte("\n"))
			if !whole {
				if len(k.line) > maxLine {
					k.line = nil
				}
				return n, err
			}
			if k.prompt.Match(bytes.TrimSuffix(text, []byte("\r"))) {
				k.asked++
				k.more.Broadcast()
			}
			k.line = rest
		}
	})
}

// maxLine bounds a prompt: the beginning of a longer line is forgotten.
const maxLine = 64 << 10

// report returns a writer of the guest's report that keeps back the line by which
// the guest says that it reads, and passes the others on to w.
func (k *keyboard) report(w io.Writer) io.Writer {
	var line []byte
	return writerFunc(func(p []byte) (int, error) {
		line = append(line, p...)
		for {
			text, rest, whole := bytes.Cut(line, []byte("\n"))
			if !whole {
				return len(p), nil
			}
			if string(text) == "input" {
				k.begin()
			} else if _, err := w.Write(line[:len(text)+1]); err != nil {
				return 0, err
			}
			line = rest
		}
	})
}

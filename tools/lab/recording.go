package lab

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// recording is the file of a run's recording.
type recording struct {
	t    testing.TB
	name string
}

// unsafe are the characters of a test's name that a file's may not have.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// newRecording makes a file, which is removed at the end of the test unless it failed. With go test
// -artifacts it is one of the test's artifacts.
func newRecording(t testing.TB) recording {
	t.Helper()
	dir := ""
	if f := flag.Lookup("test.artifacts"); f != nil && f.Value.String() == "true" {
		dir = t.ArtifactDir()
	}
	file, err := os.CreateTemp(dir, unsafe.ReplaceAllString(filepath.Base(t.Name()), "_")+"-*.s9")
	if err != nil {
		t.Fatalf("lab: a recording cannot be made: %v", err)
	}
	file.Close()
	r := recording{t, file.Name()}
	t.Cleanup(r.done)
	return r
}

// done removes the file, or says how to look at it.
func (r recording) done() {
	if !r.t.Failed() {
		os.Remove(r.name)
		return
	}
	r.t.Logf("the recording is kept; to look at it: sched9 trace %s", r.name)
}

// maxRecording bounds a recording: some two million events. A scheduler that goes
// round in circles makes as many in seconds, and they would take all memory.
const maxRecording = 128 << 20

// errFull is why a run was ended that recorded too much.
var errFull = errors.New("the recording is as large as it may be: either the program does more than can be " +
	"looked at, or the scheduler goes round in circles")

// bounded is a writer that ends the run when it has taken enough.
type bounded struct {
	w    io.Writer
	left int
	full func(error)
}

// Write writes p, if there is still room for all of it.
func (b *bounded) Write(p []byte) (int, error) {
	if len(p) > b.left {
		b.left = 0
		b.full(errFull)
		return 0, errFull
	}
	b.left -= len(p)
	return b.w.Write(p)
}

package book

import (
	"compress/gzip"
	"encoding/base64"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// TestStepWords: what the page says of words, rules, events and programs is found in the tree.
func TestStepWords(t *testing.T) {
	text, err := stepWords(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"ps.head":"The ring. Any M advances head`, `"ps.tail":"The ring. Any M advances head`, `"ps.runnext":"runnext is a G that goes before`, `"rt.spinning":"nmspinning is the number of spinning Ms`,
		`"nms":"all Ms, sleeping ones included"`, `"ms.park":"park is the token`, `"R10":"a thief takes half`, `"PutRing":{"text":"{G} goes to the end of the ring`, `"submit":"a submitter against an M that stops spinning"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
}

// TestStepBreaks: an edit that does not fit, and one that breaks nothing, are errors.
func TestStepBreaks(t *testing.T) {
	s := stepper{root: root}
	if err := s.breaks("Sched.runqGrab", "nothing like that()", ""); err == nil {
		t.Error("code is replaced that is not there")
	}
	if err := s.breaks("Sched.gone", "a()", ""); err == nil {
		t.Error("a function is edited that is not there")
	}
	if err := s.breaks("Sched.runqGrab", "n -= n / 2", "n /= 2"); err != nil || !strings.Contains(s.source, "n /= 2") || filepath.Base(s.file) != "steal.go" {
		t.Errorf("%s is edited: %v", s.file, err)
	}
}

// TestPack: what a page unpacks is the program.
func TestPack(t *testing.T) {
	program := strings.Repeat("program", 1000)
	text, err := pack([]byte(program))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || string(got) != program {
		t.Errorf("%v, %d bytes of %d", err, len(got), len(program))
	}
}

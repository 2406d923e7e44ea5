package served

import (
	"os"
	"testing"
)

// TestServer makes requests, as many as the file beside it says.
func TestServer(t *testing.T) {
	b, err := os.ReadFile("testdata/requests")
	if err != nil {
		t.Fatal(err)
	}
	var s Server
	answers := make(chan int, len(b))
	for i := range b {
		s.Do(i, answers)
	}
	s.Wait()
	if len(answers) != len(b) {
		t.Errorf("%d answers to %d requests", len(answers), len(b))
	}
}

// TestFails does.
func TestFails(t *testing.T) { t.Error("as it should") }

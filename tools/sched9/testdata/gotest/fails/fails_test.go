// Package fails ends in each way in which a test can fail.
package fails

import (
	"os"
	"testing"
)

// TestFails does what HOW says.
func TestFails(t *testing.T) {
	switch os.Getenv("HOW") {
	case "error":
		t.Error("as it should")
	case "exit":
		os.Exit(0)
	case "forever":
		for {
		}
	}
}

package vetted_test

import (
	"fmt"
	"testing"
)

// TestVetted is not run, because vet objects to it.
func TestVetted(t *testing.T) {
	fmt.Printf("%d\n", "no number")
}

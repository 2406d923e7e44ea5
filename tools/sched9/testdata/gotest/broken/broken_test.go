// Package broken does not compile.
package broken

import "testing"

// TestX calls what there is not.
func TestX(t *testing.T) { nothing() }

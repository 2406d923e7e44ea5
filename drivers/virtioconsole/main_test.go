package virtioconsole

import (
	"os"
	"testing"
)

// The device is a goroutine here, which a busy host may keep waiting.
func TestMain(m *testing.M) {
	patience = 1 << 24
	os.Exit(m.Run())
}

// Package rand stands in images for github.com/u-root/uio/rand, by which messages of DHCP get their numbers: that one asks the operating system by
// golang.org/x/sys/unix. The numbers come from the runtime's generator, whose seed is the machine's.
package rand

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
)

// ReadContext fills b. It never waits, and never fails.
func ReadContext(_ context.Context, b []byte) (n int, err error) {
	var word [8]byte
	for n < len(b) {
		binary.LittleEndian.PutUint64(word[:], rand.Uint64())
		n += copy(b[n:], word[:])
	}
	return n, nil
}

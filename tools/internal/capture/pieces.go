package capture

import (
	"bytes"
	"io"
)

// pieceSize is how much a piece takes.
const pieceSize = 1 << 20

// Pieces keep what is written to them. A write never moves earlier data, so the writer is not held up
// however much there is: a recording grows while a guest fills its rings, and copying hundreds of MiB would
// take longer than the rings last. The zero value is empty; it is not safe for concurrent use.
type Pieces struct{ all [][]byte }

// Write keeps b. It never fails.
func (p *Pieces) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		if k := len(p.all); k == 0 || len(p.all[k-1]) == cap(p.all[k-1]) {
			p.all = append(p.all, make([]byte, 0, pieceSize))
		}
		last := &p.all[len(p.all)-1]
		room := min(len(b), cap(*last)-len(*last))
		*last = append(*last, b[:room]...)
		b = b[room:]
	}
	return n, nil
}

// Reader reads all that was written, from its beginning.
func (p *Pieces) Reader() io.Reader {
	var all []io.Reader
	for _, b := range p.all {
		all = append(all, bytes.NewReader(b))
	}
	return io.MultiReader(all...)
}

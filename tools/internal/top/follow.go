package top

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// Follow reads the recording called name into f as it grows, at every tick,
// until it has its end or ctx is done.
func Follow(ctx context.Context, name string, f *Feed, tick <-chan time.Time) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	var read int64
	for {
		n, err := io.Copy(f.Record(), file)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		read += n
		if _, ok := f.End(); ok {
			return nil
		}
		if st, err := file.Stat(); err == nil && st.Size() < read {
			return fmt.Errorf("%s was begun anew", name)
		}
		select {
		case <-tick:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
)

// Cache builds the image of each directory once, when it is first wanted. The zero
// value builds with the zero Options.
type Cache struct {
	Options // of all builds; Stderr means nothing

	mu   sync.Mutex
	each map[string]*built // by directory, as the go command is run there
}

// built is a directory's image, once it is there, or what is wrong with its program.
type built struct {
	mu    sync.Mutex // held while it is built
	done  bool
	image Image
	err   error
}

// Get returns the image of the program in dir; what the compiler says is in the error.
// A program that is at fault is not built again. A build that failed for another
// reason is tried again by the next who asks: it may have been cancelled.
func (c *Cache) Get(ctx context.Context, dir string) (Image, error) {
	src, _, err := Find([]string{local(dir)})
	if err != nil {
		return Image{}, err
	}
	b := c.entry(src.Dir)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done {
		return b.image, b.err
	}
	b.image, b.err = c.build(ctx, src)
	var bad *ProgramError
	b.done = b.err == nil || ctx.Err() == nil && errors.As(b.err, &bad)
	return b.image, b.err
}

// entry is what is kept for a directory.
func (c *Cache) entry(dir string) *built {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.each == nil {
		c.each = map[string]*built{}
	}
	if c.each[dir] == nil {
		c.each[dir] = new(built)
	}
	return c.each[dir]
}

// build makes the image; what the compiler says is in the error.
func (c *Cache) build(ctx context.Context, src Source) (Image, error) {
	var said bytes.Buffer
	o := c.Options
	o.Stderr = &said
	img, err := Build(ctx, src, o)
	var bad *ProgramError
	if errors.As(err, &bad) && said.Len() > 0 {
		err = fmt.Errorf("%w\n%s", err, strings.TrimSpace(said.String()))
	}
	return img, err
}

// local makes a directory's name one that is not mistaken for an import path.
func local(dir string) string {
	if dir == "" || filepath.IsAbs(dir) || dir == "." || dir == ".." || strings.HasPrefix(dir, "./") || strings.HasPrefix(dir, "../") {
		return dir
	}
	return "./" + dir
}

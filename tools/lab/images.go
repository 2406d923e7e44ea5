package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"sched9/tools/internal/image"
)

// images are those that were built, by directory.
type images struct {
	mu   sync.Mutex
	each map[string]*built
}

// built is a directory's image, once it is there.
type built struct {
	mu    sync.Mutex // held while it is built
	image *image.Image
}

// programs holds a test process's images: its tests boot one program over and
// over, and a build takes longer than a boot.
var programs images

// get returns the image of the program in dir, and builds it if nobody has. A
// build that fails is tried again by the next who asks: it may have been
// cancelled.
func (im *images) get(ctx context.Context, dir string) (image.Image, error) {
	src, _, err := image.Find([]string{local(dir)})
	if err != nil {
		return image.Image{}, err
	}
	key := strings.Join(append([]string{src.Dir}, src.Args...), "\n")
	im.mu.Lock()
	if im.each == nil {
		im.each = map[string]*built{}
	}
	b := im.each[key]
	if b == nil {
		b = new(built)
		im.each[key] = b
	}
	im.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.image != nil {
		return *b.image, nil
	}
	img, err := build(ctx, src)
	if err == nil {
		b.image = &img
	}
	return img, err
}

// build makes the image; what the compiler says is in the error.
func build(ctx context.Context, src image.Source) (image.Image, error) {
	var said bytes.Buffer
	img, err := image.Build(ctx, src, image.Options{Stderr: &said})
	var bad *image.ProgramError
	if errors.As(err, &bad) && said.Len() > 0 {
		err = fmt.Errorf("%w\n%s", err, strings.TrimSpace(said.String()))
	}
	return img, err
}

// local makes a directory's name one that is not taken for an import path.
func local(dir string) string {
	if dir == "" || filepath.IsAbs(dir) || strings.HasPrefix(dir, ".") {
		return dir
	}
	return "./" + dir
}

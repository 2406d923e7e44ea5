package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"sched9/tools/internal/image"
	"sched9/tools/internal/scenario"
)

// images builds each scenario once, when it is first wanted.
type images struct {
	arch string
	note func(string)

	mu   sync.Mutex
	each map[string]func() (image.Image, error)
}

// get returns the image of a scenario.
func (im *images) get(ctx context.Context, s scenario.Scenario) (image.Image, error) {
	im.mu.Lock()
	if im.each == nil {
		im.each = map[string]func() (image.Image, error){}
	}
	build, ok := im.each[s.Dir]
	if !ok {
		build = sync.OnceValues(func() (image.Image, error) { return im.build(ctx, s) })
		im.each[s.Dir] = build
	}
	im.mu.Unlock()
	return build()
}

// build makes the image of a scenario; what the compiler says is in the error.
func (im *images) build(ctx context.Context, s scenario.Scenario) (image.Image, error) {
	dir := s.Dir
	if !strings.HasPrefix(dir, "/") && !strings.HasPrefix(dir, ".") {
		dir = "./" + dir // a directory, not an import path
	}
	src, _, err := image.Find([]string{dir})
	if err != nil {
		return image.Image{}, err
	}
	var said bytes.Buffer
	img, err := image.Build(ctx, src, image.Options{Arch: im.arch, Note: im.note, Stderr: &said})
	var bad *image.ProgramError
	if errors.As(err, &bad) && said.Len() > 0 {
		return img, fmt.Errorf("%w\n%s", err, strings.TrimSpace(said.String()))
	}
	return img, err
}

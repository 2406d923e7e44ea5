//go:build linux

package main

import (
	"errors"
	"os"

	"github.com/u-root/u-root/pkg/boot/linux"
)

// load gives Linux the image, as it would another Linux: it gets Linux's own device tree, with the line in it.
func load(name, line string) error {
	image, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(linux.KexecLoad(image, nil, line, nil, nil), image.Close())
}

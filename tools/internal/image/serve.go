package image

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sched9/kernel/goruntime"
)

// serverFile is a file of package main that the overlay adds, so that the program has the server of its files. A
// program need not import anything for it.
const (
	serverFile = "zsched9_nine.go"
	serverText = "package main\n\nimport _ \"" + goruntime.OutsideRoot + "srv/nine\"\n"
)

// Serves reports whether an image has the server of its files.
func Serves(img []byte) bool {
	return bytes.Contains(img, []byte(goruntime.OutsideRoot+"srv/nine.Serve"))
}

// addServer adds serverFile to the program src, whose package is in dir, by way of the user's overlay. scratch is for
// what that takes.
func (u *userFlags) addServer(src Source, dir, scratch string) (Source, error) {
	o := overlayFile{}
	if u.overlay != "" {
		var err error
		if o, err = readOverlay(u.overlay); err != nil {
			return src, err
		}
	}
	cwd, err := os.Getwd()
	if err != nil {
		return src, err
	}
	replace := map[string]string{}
	for from, to := range o.Replace {
		replace[absolute(from, cwd)] = absolute(to, cwd)
	}
	text := filepath.Join(scratch, serverFile)
	replace[filepath.Join(dir, serverFile)] = text
	o.Replace = replace
	data, err := json.Marshal(o)
	u.overlay = filepath.Join(scratch, "server.json")
	err = errors.Join(err, goruntime.Write(text, []byte(serverText)), goruntime.Write(u.overlay, data))
	if strings.HasSuffix(src.Args[0], ".go") {
		src.Args = append(slices.Clone(src.Args), serverFile)
	}
	return src, err
}

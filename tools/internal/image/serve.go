package image

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sched9/kernel/goruntime"
	"sched9/tools/internal/toolchain"
)

// Files of package main that the overlay adds, so that the program has the server of its files, the host's folder, and
// a client of DHCP. A program need not import anything for it.
const (
	serverFile = "zsched9_nine.go"
	rootFile   = "zsched9_host.go"
	dhcpFile   = "zsched9_dhcp.go"
)

// importing is the text of such a file.
func importing(server string) []byte {
	return []byte("package main\n\nimport _ \"" + goruntime.OutsideRoot + "srv/" + server + "\"\n")
}

// Serves reports whether an image has the server of its files.
func Serves(img []byte) bool {
	return bytes.Contains(img, []byte(goruntime.OutsideRoot+"srv/nine.Serve"))
}

// HasRoot reports whether an image looks for the host's folder.
func HasRoot(img []byte) bool {
	return bytes.Contains(img, []byte(goruntime.OutsideRoot+"srv/host.newLine"))
}

// HasDHCP reports whether an image can ask for its card's address.
func HasDHCP(img []byte) bool {
	return bytes.Contains(img, []byte(goruntime.OutsideRoot+"srv/dhcp.newClient"))
}

// addServer adds a file that imports a server to the program src, whose package is in dir, by way of the user's overlay. scratch is for
// what that takes.
func (u *userFlags) addServer(src Source, file, server, dir, scratch string) (Source, error) {
	err := u.addFile(filepath.Join(dir, file), importing(server), scratch)
	if strings.HasSuffix(src.Args[0], ".go") {
		src.Args = append(slices.Clone(src.Args), file)
	}
	return src, err
}

// findPublic returns the directory of package sched9/srv for a build in dir, "" if the module there has none.
func (u userFlags) findPublic(ctx context.Context, t toolchain.Toolchain, dir, goarch string) string {
	args := append([]string{"list", "-e", "-f", "{{.Dir}}", u.tagArg()}, u.both...)
	if u.overlay != "" {
		args = append(args, "-overlay="+u.overlay)
	}
	out, err := t.Command(ctx, dir, goarch, append(args, publicImport)...).Output()
	if err != nil {
		return "" // what is wrong with the module the build tells
	}
	return strings.TrimSpace(string(out))
}

// addPublic has the package in dir, which is sched9/srv, be made of the packages that the image's servers are made of: they have other import paths
// there, and there must not be two tables of what is mounted.
func (u *userFlags) addPublic(dir, scratch string) error {
	sources, err := goruntime.FindSources(".")
	if err != nil {
		return err
	}
	text, err := sources.Public()
	if err != nil {
		return err
	}
	return u.addFile(filepath.Join(dir, goruntime.PublicFile), text, scratch)
}

// addFile has the user's overlay put text in the place of a file, which need not be there.
func (u *userFlags) addFile(name string, text []byte, scratch string) error {
	o := overlayFile{}
	if u.overlay != "" {
		var err error
		if o, err = readOverlay(u.overlay); err != nil {
			return err
		}
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for from, to := range o.Replace {
		replace[absolute(from, cwd)] = absolute(to, cwd)
	}
	to := filepath.Join(scratch, "added", filepath.Base(name))
	replace[name] = to
	o.Replace = replace
	data, err := json.Marshal(o)
	u.overlay = filepath.Join(scratch, "added.json")
	return errors.Join(err, goruntime.Write(to, text), goruntime.Write(u.overlay, data))
}

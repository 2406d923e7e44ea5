//go:build sched9

package host

import (
	"fmt"
	"os"
	_ "unsafe" // for go:linkname

	"sched9/drivers/virtio9p"
	"sched9/srv/mount"
	"sched9/srv/remote"
)

//go:linkname hostOpen runtime.sched9HostOpen
func hostOpen() *virtio9p.Device

//go:linkname hostWait runtime.sched9HostWait
func hostWait()

// Place is where the folder is.
const Place = "/n/host"

// init mounts the folder, if the machine has one.
func init() {
	dev := hostOpen()
	if dev == nil {
		return
	}
	l := newLine(dev, virtio9p.MessageSize, limit, hostWait)
	go l.run()
	root, err := remote.Attach(l)
	if err == nil {
		if err = os.MkdirAll(Place, 0o755); err == nil {
			err = mount.Mount(root, Place)
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "sched9: the host's folder is not at %s: %v\n", Place, err)
	}
}

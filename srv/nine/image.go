//go:build sched9

package nine

import (
	"fmt"
	"os"

	"sched9/srv/wire"
)

// init serves all files of the image to the host, if there is a wire to it (kernel/wire.go).
func init() {
	f, err := os.OpenFile("/dev/wire", os.O_RDWR, 0)
	if err != nil {
		return
	}
	go func() {
		err := wire.New(f, func(c *wire.Conn) {
			defer c.Close()
			Serve(c, "/")
		}).Run()
		fmt.Fprintln(os.Stderr, "sched9: files are no longer served by 9P:", err)
	}()
}

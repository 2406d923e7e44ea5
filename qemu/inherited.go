package qemu

import "os"

// inherited is QEMU's end of something between it and us.
type inherited struct {
	far *os.File // nil once QEMU has it
}

// handedOver closes our copy, after QEMU has inherited it or failed to start.
func (h *inherited) handedOver() {
	if h.far != nil {
		h.far.Close()
		h.far = nil
	}
}

//go:build full

package main

import (
	"strings"
	"testing"

	"sched9/tools/internal/peer"
)

// TestRaspberryLinux: the device tree that Debian's Linux has for the board will do; there the mini UART is the console.
func TestRaspberryLinux(t *testing.T) {
	tree, err := peer.Tree(t.Context(), "bcm2837-rpi-3-b.dtb", func(what string) { t.Log(what) })
	if err != nil {
		t.Fatal(err)
	}
	out := raspberry(t, helloARM64(t), tree)
	if !strings.Contains(out, "hello: cpus=4 ") || !strings.HasSuffix(out, "hello: done\n") {
		t.Errorf("%q", out)
	}
}

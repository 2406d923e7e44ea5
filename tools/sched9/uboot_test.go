//go:build full

package main

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// TestUBoot: U-Boot's booti starts an image for arm64 wherever it has been loaded to, with a command line.
func TestUBoot(t *testing.T) {
	image := helloARM64(t)
	for _, at := range []string{"0x48000000", "0x48003000"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			qemu := exec.CommandContext(t.Context(), "timeout", "120", "qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a57", "-m", "512M", "-smp", "3",
				"-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot", "-semihosting-config", "enable=on,target=gdb",
				"-bios", "/usr/lib/u-boot/qemu_arm64/u-boot.bin", "-device", "loader,file="+image+",addr="+at+",force-raw=on")
			in, err := qemu.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := qemu.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := qemu.Start(); err != nil {
				t.Fatal(err)
			}
			var all strings.Builder
			// A key stops U-Boot's own boot; its prompt is answered once.
			answers := []struct{ prompt, answer string }{
				{"stop autoboot", "\n"},
				{"\n=> ", fmt.Sprintf("setenv bootargs \"GREETING=x -- hello one\"; booti %s - ${fdtcontroladdr}\n", at)},
			}
			for b := make([]byte, 1<<10); ; {
				n, err := out.Read(b)
				all.Write(b[:n])
				if len(answers) > 0 && strings.Contains(all.String(), answers[0].prompt) {
					if _, err := io.WriteString(in, answers[0].answer); err != nil {
						t.Error(err)
					}
					answers = answers[1:]
				}
				if err != nil {
					break
				}
			}
			const clean = 0x63 // package poweroff's
			var ended *exec.ExitError
			if err := qemu.Wait(); !errors.As(err, &ended) || ended.ExitCode() != clean {
				t.Error(err)
			}
			for _, want := range []string{"hello: cpus=3 ", `hello: args=["one"]`, `hello: env GREETING="x" set=true`, "hello: done"} {
				if !strings.Contains(all.String(), want) {
					t.Errorf("%q is not in\n%s", want, all.String())
				}
			}
		})
	}
}

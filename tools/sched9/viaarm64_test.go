//go:build full

package main

import (
	"strings"
	"testing"
)

// TestViaARM64: by UEFI, a program for arm64 finds what it finds without it, whether the firmware passes a device tree or ACPI's tables alone.
func TestViaARM64(t *testing.T) {
	data := file(t, []byte("hello"))
	args := []string{"one two", "it's", `$x;"\{}`, "100%", "-", ""}
	for _, machine := range []string{"virt", "virt,acpi=on", "virt,acpi=on,gic-version=2", "virt,virtualization=on"} {
		t.Run(machine, func(t *testing.T) {
			t.Parallel()
			flags := []string{"run", "-arch", "arm64", "-via", "efi", "-machine", machine, "-smp", "3", "-timeout", "5m", "-env", "GREETING=a 'b'", "-files", data + "=/etc/motd", "./testdata/via"}
			stdout, stderr, status := sched9(t, append(flags, args...)...)
			want := `via: 3 processors, ["one two" "it's" "$x;\"\\{}" "100%" "-" ""], "a 'b'", "hello"` + "\n"
			if status != 7 || !strings.HasSuffix(stdout, want) {
				t.Errorf("status %d, %q, want 7 and at the end %q\n%s", status, stdout, want, stderr)
			}
		})
	}
}

package bochs

import (
	"strings"
	"testing"
)

// TestComplaint: the log of a Bochs that ended tells whether the guest turned the machine off.
func TestComplaint(t *testing.T) {
	const rest = "00000000000i[      ] lt_dlhandle is 0x1\n00100000000e[CPU0  ] write_virtual: no write access\n"
	for _, c := range []struct{ log, want string }{
		{rest + "00100000000p[ACPI  ] >>PANIC<< ACPI control: soft power off\n00100000000i[CPU0  ] state\n", ""},
		{rest + "00100000000p[CPU0  ] >>PANIC<< exception(): 3rd (13) exception with no resolution\n", "Bochs stops the machine: exception(): 3rd (13) exception with no resolution"},
		{rest, "Bochs ended without a reason"},
		{"", "Bochs ended without a reason"},
	} {
		got := ""
		if err := complaint([]byte(c.log)); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.log, got, c.want)
		}
	}
}

// TestLocate: without Bochs the error says what to install.
func TestLocate(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Locate(); err == nil || !strings.Contains(err.Error(), "install the packages bochs, bochsbios, vgabios and bochs-term") {
		t.Errorf("%v", err)
	}
	if err := Run(t.Context(), Machine{}); err == nil {
		t.Error("it ran")
	}
}

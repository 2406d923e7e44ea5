package lab

import (
	"cmp"
	"os"
	"time"

	"sched9/record"
	"sched9/tools/internal/guest"
)

// defaultTimeout bounds a run on the host if the test does not say better.
const defaultTimeout = time.Minute

// Option is something that [Boot] is told of the machine or of the program.
type Option func(*guest.Guest)

// VCPUs gives the machine n virtual processors, and so as many Ms, and as many
// Ps if GOMAXPROCS says no less. Without it there is one.
func VCPUs(n int) Option { return func(g *guest.Guest) { g.SMP = n } }

// Memory gives the machine memory, as in "1G". Without it there are 512M.
func Memory(size string) Option { return func(g *guest.Guest) { g.Mem = size } }

// Arch chooses the machine's architecture, "amd64" or "arm64". The default is the value of
// SCHED9_ARCH in the test's environment, or amd64.
func Arch(name string) Option { return func(g *guest.Guest) { g.Arch = name } }

// Machine chooses QEMU's machine: "q35", "pc" or "microvm", or for arm64 "virt".
// Without it, the first of them.
func Machine(name string) Option { return func(g *guest.Guest) { g.Machine = name } }

// Env adds to the program's environment, as in "GOMAXPROCS=2".
func Env(vars ...string) Option { return func(g *guest.Guest) { g.Env = append(g.Env, vars...) } }

// Args adds to the program's os.Args[1:].
func Args(args ...string) Option { return func(g *guest.Guest) { g.Args = append(g.Args, args...) } }

// ICount makes guest time count instructions: the same run every time, however
// busy the host is.
func ICount() Option { return func(g *guest.Guest) { g.ICount = true } }

// Timeout bounds the run on the host; the test's own deadline bounds it too.
// Without it, a minute.
func Timeout(d time.Duration) Option { return func(g *guest.Guest) { g.Timeout = d } }

// machine is the machine without options. Its accelerator exists on every host, so that an exercise
// is the same everywhere.
func machine(opts []Option) guest.Guest {
	g := guest.Guest{
		Arch:    cmp.Or(os.Getenv(guest.ArchVariable), "amd64"),
		SMP:     1,
		Mem:     "512M",
		Accel:   "tcg",
		Depth:   record.MaxStack, // who made a goroutine is on its stack
		Timeout: defaultTimeout,
	}
	for _, o := range opts {
		o(&g)
	}
	return g
}

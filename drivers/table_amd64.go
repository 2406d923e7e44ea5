package drivers

import (
	"sched9/drivers/cmos"
	"sched9/drivers/debugcon"
	"sched9/drivers/debugexit"
	"sched9/drivers/screen"
	"sched9/drivers/uart"
	"sched9/drivers/virtioblk"
	"sched9/drivers/virtioconsole"
	"sched9/drivers/virtiorng"
)

// table is what a PC may have. A plain PC has the serial port alone, and all
// output goes there; the host tool gives its machines the debug consoles too.
var table = [...]Dev{
	{Name: "uart16550", Role: Console, Attach: uart.Attach, Write: uart.Write, Sent: uart.Sent},
	{Name: "debugcon", Role: Errors, Attach: debugcon.AttachErrors, Write: debugcon.WriteErrors, Sent: debugcon.Sent},
	{Name: "debugcon", Role: Report, Attach: debugcon.AttachReport, Write: debugcon.WriteReport, Sent: debugcon.Sent},
	{Name: "uart16550", Role: PortErrors, Attach: uart.AttachErrors, Write: uart.WriteErrors, Sent: uart.SentErrors},
	{Name: "uart16550", Role: PortReport, Attach: uart.AttachReport, Write: uart.WriteReport, Sent: uart.SentReport},
	{Name: "screen", Role: Screen, Attach: screen.Attach, Write: screen.Write, Code: screen.Code},
	{Name: "isa-debug-exit", Role: Exit, Attach: debugexit.Attach, Exit: debugexit.Exit},
	{Name: "cmos", Role: Clock, Attach: cmos.Attach, Seconds: cmos.Seconds},
	{Name: "uart16550", Role: Input, Attach: uart.Present, Connect: uart.Connect, Receive: uart.Receive, Listen: uart.Listen},
	{Name: "virtio-console", Role: Ports, Attach: virtioconsole.Attach},
	{Name: "virtio-blk", Role: Disks, Attach: virtioblk.Attach, Unit: virtioblk.Unit},
	{Name: "virtio-rng", Role: Random, Attach: virtiorng.Attach, Source: virtiorng.Get},
}

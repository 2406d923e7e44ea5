package drivers

import (
	"sched9/drivers/firmwareclock"
	"sched9/drivers/miniuart"
	"sched9/drivers/pl011"
	"sched9/drivers/pl031"
	"sched9/drivers/poweroff"
	"sched9/drivers/serialcard"
	"sched9/drivers/virtioblk"
	"sched9/drivers/virtioconsole"
	"sched9/drivers/virtiorng"
)

// table is what a machine may have. One without the card has the serial port alone,
// and all output goes there; the host tool gives its machines the card.
var table = [...]Dev{
	{Name: "pl011", Role: Console, Attach: pl011.Attach, Write: pl011.Write, Sent: pl011.Sent},
	{Name: "mini UART", Role: Console, Attach: miniuart.Attach, Write: miniuart.Write, Sent: miniuart.Sent},
	{Name: "pci-serial", Role: Errors, Attach: serialcard.AttachErrors, Write: serialcard.WriteErrors, Sent: serialcard.SentErrors},
	{Name: "pci-serial", Role: Report, Attach: serialcard.AttachReport, Write: serialcard.WriteReport, Sent: serialcard.SentReport},
	{Name: "mini UART", Role: PortReport, Attach: miniuart.AttachReport, Write: miniuart.Write, Sent: miniuart.Sent},
	{Name: "power off", Role: Exit, Attach: poweroff.Attach, Exit: poweroff.Exit},
	{Name: "pl031", Role: Clock, Attach: pl031.Attach, Seconds: pl031.Seconds},
	{Name: "firmware's clock", Role: Clock, Attach: firmwareclock.Attach, Seconds: firmwareclock.Seconds},
	{Name: "pl011", Role: Input, Attach: pl011.Present, Connect: pl011.Connect, Receive: pl011.Receive, Listen: pl011.Listen},
	{Name: "mini UART", Role: Input, Attach: miniuart.Present, Connect: miniuart.Connect, Receive: miniuart.Receive, Listen: miniuart.Listen},
	{Name: "virtio-console", Role: Ports, Attach: virtioconsole.Attach},
	{Name: "virtio-blk", Role: Disks, Attach: virtioblk.Attach, Unit: virtioblk.Unit},
	{Name: "virtio-rng", Role: Random, Attach: virtiorng.Attach, Source: virtiorng.Get},
}

package qemu

import (
	"slices"
	"strings"
	"testing"
)

// monitorArgs, pipeArgs and endArgs are arguments that every PC has in common, portsArgs those for the ports of
// its virtio console.
const (
	monitorArgs = "-chardev socket,id=monitor,fd=3,server=on,wait=off -mon chardev=monitor,mode=control "
	pipeArgs    = "-add-fd set=4,fd=4 -add-fd set=5,fd=5 -add-fd set=6,fd=6 " +
		"-chardev file,id=stdout,path=/dev/fdset/4,append=on " +
		"-chardev file,id=stderr,path=/dev/fdset/5,append=on " +
		"-chardev file,id=report,path=/dev/fdset/6,append=on -serial chardev:stdout "
	debugArgs = "-device isa-debugcon,iobase=0xe9,readback=0xe9,chardev=stderr -device isa-debugcon,iobase=0xea,readback=0xea,chardev=report "
	portsArgs = "-chardev file,id=console,path=/dev/fdset/4,append=on -device virtserialport,bus=ports.0,nr=1,name=sched9.console,chardev=console " +
		"-chardev file,id=errors,path=/dev/fdset/5,append=on -device virtserialport,bus=ports.0,nr=2,name=sched9.errors,chardev=errors " + signalArgs
	signalArgs = "-chardev socket,id=signals,fd=7 -device virtserialport,bus=ports.0,nr=3,name=sched9.signals,chardev=signals "
	endArgs    = "-device isa-debug-exit,iobase=0xf4,iosize=4 -device pvpanic -kernel k.img"

	channelArgs = monitorArgs + pipeArgs + debugArgs + "-device virtio-serial-pci,id=ports,max_ports=4,ioeventfd=off " + portsArgs + endArgs
	microvmArgs = monitorArgs + pipeArgs + debugArgs + "-device virtio-serial-device,id=ports,max_ports=4,bus=virtio-mmio-bus.7 " + portsArgs + endArgs +
		" -global virtio-mmio.force-legacy=false"
)

func TestArgs(t *testing.T) {
	const common = "-no-user-config -nodefaults -display none -no-reboot -S "
	base := Config{Arch: "amd64", Machine: "q35", SMP: 4, Mem: "512M", Kernel: "k.img"}
	for _, tc := range []struct {
		name  string
		alter func(*Config)
		accel string
		want  string
	}{
		{"tcg", func(c *Config) {}, "tcg",
			common + "-machine q35 -accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M " + channelArgs},
		{"kvm", func(c *Config) { c.Machine = "pc" }, "kvm",
			common + "-machine pc -accel kvm -cpu host -smp 4 -m 512M " + channelArgs},
		{"firmware", func(c *Config) { c.Machine, c.firmware = "pc,firmware=qboot", "/rom" }, "tcg",
			common + "-machine pc -accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M -bios /rom " + channelArgs},
		{"processor", func(c *Config) { c.CPU = "qemu64" }, "kvm",
			common + "-machine q35 -accel kvm -cpu qemu64 -smp 4 -m 512M " + channelArgs},
		{"icount", func(c *Config) { c.ICount = true }, "tcg",
			common + "-machine q35 -accel tcg,thread=single -cpu max,-rdrand,-rdseed -smp 4 -m 512M " +
				"-icount shift=0,sleep=off -rtc base=2020-01-01,clock=vm -seed 1 " + channelArgs},
		{"microvm", func(c *Config) { c.Machine = "microvm" }, "tcg",
			common + "-machine microvm,isa-serial=on,rtc=on,pit=on,pic=on,auto-kernel-cmdline=off " +
				"-accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M " + microvmArgs},
		{"input", func(c *Config) { c.Input = strings.NewReader("") }, "tcg",
			common + "-machine q35 -accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M " +
				strings.Replace(channelArgs, "file,id=console,path=/dev/fdset/4,append=on", "stdio,id=console,signal=off", 1)},
		{"serial", func(c *Config) { c.Serial = true }, "tcg",
			common + "-machine q35 -accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M " +
				monitorArgs + pipeArgs + debugArgs + endArgs},
		{"serial input", func(c *Config) { c.Serial, c.Input = true, strings.NewReader("") }, "tcg",
			common + "-machine q35 -accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M " +
				monitorArgs + strings.Replace(pipeArgs, "file,id=stdout,path=/dev/fdset/4,append=on", "stdio,id=stdout,signal=off", 1) +
				debugArgs + endArgs},
		{"merged", func(c *Config) { c.Merged = true }, "tcg",
			common + "-machine q35 -accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M " +
				monitorArgs + strings.Replace(pipeArgs, "id=stderr,path=/dev/fdset/5", "id=stderr,path=/dev/fdset/4", 1) +
				debugArgs + "-device virtio-serial-pci,id=ports,max_ports=4,ioeventfd=off " +
				"-chardev file,id=console,path=/dev/fdset/4,append=on -device virtserialport,bus=ports.0,nr=1,name=sched9.console,chardev=console " +
				signalArgs + endArgs},
		{"wire", func(c *Config) { c.Wire = true }, "tcg",
			common + "-machine q35 -accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M " +
				strings.NewReplacer("max_ports=4", "max_ports=5", signalArgs, signalArgs+
					"-chardev socket,id=wire,fd=8 -device virtserialport,bus=ports.0,nr=4,name=sched9.wire,chardev=wire ").Replace(channelArgs)},
		{"disks", func(c *Config) { c.Disks = []Disk{{"a", false}, {"b", true}} }, "tcg",
			common + "-machine q35 -accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M " +
				strings.Replace(channelArgs, "-device isa-debug-exit",
					`-blockdev {"driver":"raw","node-name":"disk0","read-only":true,"file":{"driver":"file","filename":"a"}} -device virtio-blk-pci,drive=disk0 `+
						`-blockdev {"driver":"raw","node-name":"disk1","read-only":false,"file":{"driver":"file","filename":"b"}} -device virtio-blk-pci,drive=disk1 `+
						"-device isa-debug-exit", 1)},
		{"disk of a microvm", func(c *Config) { c.Machine, c.Disks = "microvm", []Disk{{"a,b", false}} }, "tcg",
			common + "-machine microvm,isa-serial=on,rtc=on,pit=on,pic=on,auto-kernel-cmdline=off " +
				"-accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M " +
				strings.Replace(microvmArgs, "-device isa-debug-exit",
					`-blockdev {"driver":"raw","node-name":"disk0","read-only":true,"file":{"driver":"file","filename":"a,b"}} `+
						"-device virtio-blk-device,drive=disk0,bus=virtio-mmio-bus.3 -device isa-debug-exit", 1)},
		{"random", func(c *Config) { c.Machine, c.Random = "pc", true }, "tcg",
			common + "-machine pc -accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M " +
				strings.Replace(channelArgs, "-device isa-debug-exit", "-object rng-builtin,id=random -device virtio-rng-pci,rng=random -device isa-debug-exit", 1)},
		{"random on microvm", func(c *Config) { c.Machine, c.Random = "microvm", true }, "tcg",
			common + "-machine microvm,isa-serial=on,rtc=on,pit=on,pic=on,auto-kernel-cmdline=off " +
				"-accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M " +
				strings.Replace(microvmArgs, "-device isa-debug-exit",
					"-object rng-builtin,id=random -device virtio-rng-device,rng=random,bus=virtio-mmio-bus.8 -device isa-debug-exit", 1)},
		{"virt", func(c *Config) { c.Arch, c.Machine = "arm64", "virt" }, "tcg", common + virt("virt,gic-version=3", "")},
		{"virt's properties", func(c *Config) {
			c.Arch, c.Machine, c.CPU = "arm64", "virt,gic-version=2,virtualization=on", "cortex-a57"
		}, "tcg",
			common + virt("virt,gic-version=2,virtualization=on", "")},
		{"board", func(c *Config) {
			c.Arch, c.Machine, c.Mem, c.Tree, c.Random = "arm64", "raspi3b", "1024M", "a.dtb", true
		}, "tcg",
			common + "-machine raspi3b -accel tcg,thread=multi -smp 4 -m 1024M " + monitorArgs + pipeArgs +
				"-serial chardev:report -semihosting-config enable=on,target=gdb -kernel k.img -dtb a.dtb"},
		{"disk of a virt", func(c *Config) { c.Arch, c.Machine, c.Disks = "arm64", "virt", []Disk{{"a", true}} }, "tcg",
			common + virt("virt,gic-version=3", `-blockdev {"driver":"raw","node-name":"disk0","read-only":false,"file":{"driver":"file","filename":"a"}} `+
				"-device virtio-blk-device,drive=disk0,bus=virtio-mmio-bus.0 ")},
		{"disc", func(c *Config) { c.Kernel, c.Disc = "", "a,b" }, "tcg",
			common + "-machine q35 -accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M " +
				strings.Replace(channelArgs, "-kernel k.img", "-drive if=ide,media=cdrom,format=raw,readonly=on,file=a,,b -boot d", 1)},
		{"stick", func(c *Config) { c.Kernel, c.Disc, c.Stick = "", "a,b", true }, "tcg",
			common + "-machine q35 -accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M " +
				strings.Replace(channelArgs, "-kernel k.img", "-drive if=none,id=stick,format=raw,readonly=on,file=a,,b "+
					"-device qemu-xhci,id=usb -device usb-storage,bus=usb.0,drive=stick,bootindex=0", 1)},
		{"extra comes last", func(c *Config) { c.Append, c.Extra = "a=1", []string{"-s"} }, "tcg",
			common + "-machine q35 -accel tcg,thread=multi -cpu max,-rdrand,-rdseed -smp 4 -m 512M " + channelArgs +
				" -append a=1 -s"},
	} {
		c := base
		tc.alter(&c)
		if got := strings.Join(args(c, tc.accel), " "); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, tc.want)
		}
	}
}

// virt are the arguments of a virt with the given properties and disks.
func virt(machine, disks string) string {
	return "-machine " + machine + " -accel tcg,thread=multi -cpu cortex-a57 -smp 4 -m 512M " +
		monitorArgs + pipeArgs + "-device pci-serial-2x,chardev1=stderr,chardev2=report " +
		"-device virtio-serial-device,id=ports,max_ports=4,bus=virtio-mmio-bus.4 " + portsArgs +
		disks + "-semihosting-config enable=on,target=gdb -kernel k.img -global virtio-mmio.force-legacy=false"
}

func TestArgsKeepSpacesAndCommas(t *testing.T) {
	got := args(Config{Kernel: "a b,c", Append: "x=1 y=2,3", Module: "files"}, "tcg")
	for _, want := range []string{"a b,c", "x=1 y=2,3"} {
		if !slices.Contains(got, want) {
			t.Errorf("no argument %q in %q", want, got)
		}
	}
	if n := len(got); got[n-2] != "-initrd" || got[n-1] != "files" {
		t.Errorf("no module in %q", got)
	}
}

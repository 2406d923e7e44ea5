package qemu

import (
	"reflect"
	"strings"
	"testing"
)

func TestNetArgs(t *testing.T) {
	web := []Forward{{Port: 8080, Guest: 80}, {UDP: true, Host: "0.0.0.0", Guest: 53}}
	for _, c := range []struct {
		net     Net
		machine string
		want    string
	}{
		{Net{User: true}, "q35", "-netdev user,id=net -device virtio-net-pci,romfile=,netdev=net"},
		{Net{User: true, Forward: web}, "pc",
			"-netdev user,id=net,hostfwd=tcp:127.0.0.1:8080-:80,hostfwd=udp:0.0.0.0:0-:53 -device virtio-net-pci,romfile=,netdev=net"},
		{Net{Tap: "tap0", Address: "52:54:00:00:00:01"}, "microvm",
			"-netdev tap,id=net,script=no,downscript=no,ifname=tap0 -device virtio-net-device,netdev=net,mac=52:54:00:00:00:01,bus=virtio-mmio-bus.9"},
		{Net{Listen: ":4000"}, "virt", "-netdev socket,id=net,listen=127.0.0.1:4000 -device virtio-net-device,netdev=net,bus=virtio-mmio-bus.6"},
		{Net{Connect: "10.1.2.3:4000"}, "q35", "-netdev socket,id=net,connect=10.1.2.3:4000 -device virtio-net-pci,romfile=,netdev=net"},
	} {
		if err := c.net.Check(); err != nil {
			t.Errorf("%+v: %v", c.net, err)
		}
		if got := strings.Join(c.net.args(c.machine), " "); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestNetCheck(t *testing.T) {
	for want, n := range map[string]Net{
		"one network":         {},
		"one network ":        {User: true, Tap: "tap0"},
		"user network":        {Tap: "tap0", Forward: []Forward{{Port: 1, Guest: 1}}},
		"no interface's name": {Tap: "tap0,script=/bin/sh"},
		"is not HOST:PORT":    {Listen: "localhost"},
		"no IPv4 address":     {Connect: "localhost:4000"},
		"no port 0":           {Listen: ":0"},
		"no port 65536":       {User: true, Forward: []Forward{{Port: 65536, Guest: 1}}},
		"has no port 0":       {User: true, Forward: []Forward{{Port: 1}}},
		"forwarded twice":     {User: true, Forward: []Forward{{Port: 1, Guest: 1}, {Host: "127.0.0.1", Port: 1, Guest: 2}}},
	} {
		if err := n.Check(); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%+v: %v, want %q", n, err, want)
		}
	}
	n := Net{User: true, Forward: []Forward{{Port: 1, Guest: 1}, {UDP: true, Port: 1, Guest: 1}, {Guest: 1}, {Guest: 1}}}
	if err := n.Check(); err != nil {
		t.Error(err)
	}
}

func TestReadForwards(t *testing.T) {
	got := readForwards("Hub -1 (net):\r\n" +
		"  Protocol[State]    FD  Source Address  Port   Dest. Address  Port RecvQ SendQ\r\n" +
		"  TCP[ESTABLISHED]   14       127.0.0.1 38445       10.0.2.15    80     0     0\r\n" +
		"  TCP[HOST_FORWARD]  13       127.0.0.1 38445       10.0.2.15    80     0     0\r\n" +
		"  UDP[HOST_FORWARD]  12         0.0.0.0  5353       10.0.2.15    53     0     0\r\n")
	want := []Forward{{Host: "127.0.0.1", Port: 38445, Guest: 80}, {UDP: true, Host: "0.0.0.0", Port: 5353, Guest: 53}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

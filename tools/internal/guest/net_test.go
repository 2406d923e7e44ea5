package guest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/u-root/u-root/pkg/cpio"

	"sched9/qemu"
)

func TestParseNet(t *testing.T) {
	for s, want := range map[string]string{
		"user":      "{true    [] } [10.0.2.15/24 fec0::15/64] [10.0.2.2 fec0::2] [10.0.2.3]",
		"user,dhcp": "{true    [] } [fec0::15/64] [fec0::2] [] dynamic",
		"tap=tap0,dhcp,dns=1.1.1.1,ip=fd00::2/64":                          "{false tap0   [] 52:54:42:ba:60:fe} [fd00::2/64] [] [1.1.1.1] dynamic",
		"socket=listen::4000,dhcp":                                         "{false  :4000  [] 52:54:09:c2:97:ac} [] [] [] dynamic",
		"tap=tap0,ip=10.0.0.2/24,gateway=10.0.0.1,dns=1.1.1.1,dns=8.8.8.8": "{false tap0   [] 52:54:0a:00:00:02} [10.0.0.2/24] [10.0.0.1] [1.1.1.1 8.8.8.8]",
		"socket=listen::4000,ip=10.0.0.2/8,ip=fd00::2/64":                  "{false  :4000  [] 52:54:0a:00:00:02} [10.0.0.2/8 fd00::2/64] [] []",
		"socket=connect:127.0.0.1:4000,ip=fd00::1:3/64":                    "{false   127.0.0.1:4000 [] 52:54:00:01:00:03} [fd00::1:3/64] [] []",
	} {
		n, err := ParseNet(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		got := fmt.Sprint(n.Net, n.Addresses, n.Gateways, n.Servers)
		if n.IsDynamic() {
			got += " dynamic"
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", s, got, want)
		}
	}
	for s, want := range map[string]string{
		"":                                    "none of user",
		"user,ip=1.2.3.4/8":                   "fixed",
		"tap":                                 "none of user",
		"tap=":                                "none of user",
		"tap=tap0":                            "needs an address",
		"tap=a b,ip=1.2.3.4/8":                "no interface's name",
		"socket=:4000,ip=1.2.3.4/8":           "none of user",
		"socket=listen:4000,ip=1.2.3.4/8":     "HOST:PORT",
		"socket=listen::0,ip=1.2.3.4/8":       "no port 0",
		"socket=connect::x,ip=1.2.3.4/8":      "no port x",
		"tap=tap0,dhcp=x":                     "not dhcp",
		"tap=tap0,dhcp,gateway=10.0.0.1":      "cannot be given others",
		"tap=tap0,ip=1.2.3.4":                 "no address of the form",
		"tap=tap0,ip=0.0.0.0/0":               "no address of the form",
		"tap=tap0,ip=1.2.3.4/8,gateway=x":     "no address of the form",
		"tap=tap0,ip=1.2.3.4/8,dns=fe80::1%a": "no address of the form",
		"tap=tap0,ip=1.2.3.4/8,mtu=9000":      "none of ip=",
	} {
		if n, err := ParseNet(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v, want %q", s, n, err, want)
		}
	}
}

func TestParseForward(t *testing.T) {
	for s, want := range map[string]qemu.Forward{
		"8080:80":             {Port: 8080, Guest: 80},
		"0:80/tcp":            {Guest: 80},
		"0.0.0.0:5353:53/udp": {UDP: true, Host: "0.0.0.0", Port: 5353, Guest: 53},
	} {
		if f, err := ParseForward(s); err != nil || f != want {
			t.Errorf("%s: %+v, %v", s, f, err)
		}
	}
	for _, s := range []string{"", "80", ":", "80:", "80:x", "1:2:3:4", "localhost:1:2", "80:0", "65536:80", "80:80/sctp", "-1:80", "80:65536"} {
		if f, err := ParseForward(s); err == nil {
			t.Errorf("%q is %+v", s, f)
		}
	}
}

// TestNetFiles: the guest gets the network's files, but for those that it is given by name.
func TestNetFiles(t *testing.T) {
	g := Guest{Name: "x", Net: UserNet()}
	_, archive, err := g.arguments()
	for _, want := range []string{"address 10.0.2.15/24\naddress fec0::15/64\ngateway 10.0.2.2\ngateway fec0::2\n", "nameserver 10.0.2.3\n"} {
		if err != nil || !strings.Contains(string(archive), want) {
			t.Errorf("%q is not in the archive, %v", want, err)
		}
	}
	g.Files = []cpio.Record{cpio.StaticFile("/etc/resolv.conf", "nameserver 9.9.9.9\n", 0o644)}
	if _, archive, err = g.arguments(); err != nil || strings.Contains(string(archive), "10.0.2.3") || !strings.Contains(string(archive), "9.9.9.9") {
		t.Errorf("the user's file is not there alone, %v", err)
	}
}

func TestCheckNet(t *testing.T) {
	for want, g := range map[string]Guest{
		"instructions are counted": {Net: UserNet(), ICount: true},
		"bochs":                    {Net: UserNet(), Via: ViaBochs},
		"one network":              {Net: new(Net)},
	} {
		if err := g.checkNet(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := (Guest{Net: UserNet()}).checkNet(); err != nil {
		t.Error(err)
	}
}

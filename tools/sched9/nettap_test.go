//go:build full

package main

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// tapEnv is set in the process that is in a network of its own.
const tapEnv = "SCHED9_TAP"

// TestNetTap: a guest on a tap interface asks a web server of this host for a page. All of that is in a network of its own, which this host does not see and
// for which one needs no rights.
func TestNetTap(t *testing.T) {
	if os.Getenv(tapEnv) == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestNetTap$", "-test.v", "-test.timeout", "30m")
		cmd.Env = append(os.Environ(), tapEnv+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	makeTap(t, "tap0", "10.9.0.1", "255.255.255.0")
	ln, err := net.Listen("tcp", "10.9.0.1:80")
	if err != nil {
		t.Fatal(err)
	}
	server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "four") })}
	defer server.Close()
	go server.Serve(ln)
	for _, arch := range archs() {
		stdout, stderr, status := sched9(t, "run", "-arch", arch, "-timeout", "3m", "-net", "tap=tap0,ip=10.9.0.2/24", "./testdata/fetch", "http://10.9.0.1")
		if status != 0 || !strings.Contains(stdout, "fetch: 200 OK 4 <nil>\n") {
			t.Errorf("%s: status %d\n%s%s", arch, status, stdout, stderr)
		}
	}
}

// makeTap makes a tap interface with an address, which stays while this process's network does.
func makeTap(t *testing.T, name, address, mask string) {
	t.Helper()
	tun, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer tun.Close()
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(s)
	for _, step := range []struct {
		fd   int
		call uint
		set  func(*unix.Ifreq) error
	}{
		{int(tun.Fd()), unix.TUNSETIFF, func(r *unix.Ifreq) error { r.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI); return nil }},
		{s, unix.SIOCSIFADDR, inet4(address)},
		{s, unix.SIOCSIFNETMASK, inet4(mask)},
		{s, unix.SIOCSIFFLAGS, func(r *unix.Ifreq) error { r.SetUint16(unix.IFF_UP); return nil }},
	} {
		r, err := unix.NewIfreq(name)
		if err == nil {
			err = step.set(r)
		}
		if err == nil {
			err = unix.IoctlIfreq(step.fd, step.call, r)
		}
		if err != nil {
			t.Fatalf("%#x: %v", step.call, err)
		}
	}
	if err := unix.IoctlSetInt(int(tun.Fd()), unix.TUNSETPERSIST, 1); err != nil {
		t.Fatal(err)
	}
}

// inet4 sets an address.
func inet4(a string) func(*unix.Ifreq) error {
	return func(r *unix.Ifreq) error { return r.SetInet4Addr(netip.MustParseAddr(a).AsSlice()) }
}

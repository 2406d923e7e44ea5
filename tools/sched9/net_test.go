package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"sched9/names"
)

// A server is a guest with a network card that serves.
type server struct {
	t      *testing.T
	cancel context.CancelFunc
	done   chan int // its exit status
	lines  chan string
	out    lockedBuffer
	url    string
}

// lockedBuffer is a buffer for several writers, that passes on what comes by lines.
type lockedBuffer struct {
	sync.Mutex
	bytes.Buffer
	rest  string
	lines chan<- string
}

// Write never waits.
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.Lock()
	defer b.Unlock()
	b.rest += string(p)
	for {
		line, rest, ok := strings.Cut(b.rest, "\n")
		if !ok {
			break
		}
		b.rest = rest
		select {
		case b.lines <- line:
		default:
		}
	}
	return b.Buffer.Write(p)
}

// serve boots a program with a card and waits for a line of its output, or of sched9's, that matches each of the patterns. It
// returns what their groups match.
func serve(t *testing.T, args []string, want ...string) (*server, []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &server{t: t, cancel: cancel, done: make(chan int, 1), lines: make(chan string, 1000)}
	s.out.lines = s.lines
	go func() {
		s.done <- execute(ctx, append([]string{"run", "-accel", "tcg", "-timeout", "3m"}, args...), &s.out, &s.out)
	}()
	t.Cleanup(s.stop)
	groups := make([]string, len(want))
	for found := 0; found < len(want); {
		select {
		case line := <-s.lines:
			for i, w := range want {
				if m := regexp.MustCompile(w).FindStringSubmatch(line); m != nil {
					groups[i] = m[len(m)-1]
					found++
				}
			}
		case status := <-s.done:
			s.done <- status
			t.Fatalf("%v: status %d before %q\n%s", args, status, want, s.text())
		}
	}
	return s, groups
}

// text is all that it has said.
func (s *server) text() string {
	s.out.Lock()
	defer s.out.Unlock()
	return s.out.String()
}

// stop ends it.
func (s *server) stop() {
	s.cancel()
	<-s.done
	s.done <- 0
}

// get asks for a page.
func (s *server) get(page string) string {
	s.t.Helper()
	c := http.Client{Timeout: time.Minute}
	r, err := c.Get(s.url + page)
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", page, err, s.text())
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %v %v\n%s", page, r.Status, err, body)
	}
	return string(body)
}

// TestNet: this host asks a guest's web server, through a network card on every type of machine, and sees the guest's
// scheduler.
func TestNet(t *testing.T) {
	machines := [][]string{{"-arch", "amd64"}}
	if full {
		machines = append(machines, []string{"-machine", "pc"}, []string{"-machine", "microvm"}, []string{"-arch", "arm64"},
			[]string{"-arch", "arm64", "-machine", "virt,gic-version=2"}, []string{"-via", "grub"})
	}
	for _, m := range machines {
		t.Run(strings.Join(m, " "), func(t *testing.T) {
			s, groups := serve(t, append(m, "-smp", "2", "-p", "0:80", "../../scenarios/web", ":80"),
				`^sched9: (127.0.0.1:\d+) leads to the guest's port 80$`, "^web: listens at")
			s.url = "http://" + groups[0]
			if page := s.get("/"); !strings.Contains(page, "The scheduler that serves this page") {
				t.Errorf("the page is %q", page)
			}
			s.get("/spin")
			var state struct {
				Goroutines []names.Goroutine
				Processors [][]string
				Status     string
			}
			if err := json.Unmarshal([]byte(s.get("/state")), &state); err != nil {
				t.Fatal(err)
			}
			spins := 0
			for _, g := range state.Goroutines {
				if g.Func == "main.spin" {
					spins++
				}
			}
			if spins != 1 || len(state.Processors) != 2 || !strings.Contains(state.Status, "gomaxprocs 2") {
				t.Errorf("%d loops of 1, %d processors, status %q\n%v", spins, len(state.Processors), state.Status, state.Goroutines)
			}
			s.profile("main.spin")
			s.get("/calm")
			if text := s.get("/sched/status"); !strings.Contains(text, "gomaxprocs 2") {
				t.Errorf("/sched/status is %q", text)
			}
			if vars := s.get("/debug/vars"); !strings.Contains(vars, `"loops": 0`) {
				t.Errorf("expvar says %q", vars)
			}
			if stacks := s.get("/debug/pprof/goroutine?debug=1"); !strings.Contains(stacks, "net/http.(*Server).Serve") {
				t.Errorf("pprof says %q", stacks)
			}
		})
	}
}

// profile asks for the CPU's profile, as go tool pprof http://HOST:PORT/debug/pprof/profile does, until a sample is in function. A busy
// host may leave the guest too little time for one.
func (s *server) profile(function string) {
	s.t.Helper()
	name := filepath.Join(s.t.TempDir(), "cpu.pprof")
	var top []byte
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); {
		err := os.WriteFile(name, []byte(s.get("/debug/pprof/profile?seconds=1")), 0o644)
		if err == nil {
			top, err = exec.Command("go", "tool", "pprof", "-top", name).CombinedOutput()
		}
		if err != nil {
			s.t.Fatalf("%v\n%s", err, top)
		}
		if strings.Contains(string(top), function) {
			return
		}
	}
	s.t.Errorf("no sample of the CPU is in %s:\n%s", function, top)
}

// archs are those that guests with a card are tried on.
func archs() []string {
	if full {
		return []string{"amd64", "arm64"}
	}
	return []string{"amd64"}
}

// TestNetOut: a guest gets its address of QEMU's server of DHCP, and asks a web server of this host.
func TestNetOut(t *testing.T) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "four") }))
	defer host.Close()
	_, port, _ := net.SplitHostPort(host.Listener.Addr().String())
	for _, arch := range archs() {
		stdout, stderr, status := sched9(t, "run", "-arch", arch, "-net", "user,dhcp", "./testdata/fetch", "http://10.0.2.2:"+port)
		if status != 0 || !strings.Contains(stderr, "network: 10.0.2.15/24 by DHCP from 10.0.2.2, gateway 10.0.2.2, for 24h0m0s\n") || !strings.Contains(stdout, "fetch: 200 OK 4 <nil>\n") {
			t.Errorf("%s: status %d\n%s%s", arch, status, stdout, stderr)
		}
	}
}

// TestNetCable: one guest asks another for a page, through a cable between their cards, by IPv4 and by IPv6, and for a name.
func TestNetCable(t *testing.T) {
	// Nobody else asks for this port of this process's own loopback address, nor gets it by chance.
	pid := os.Getpid()
	at := fmt.Sprintf("127.%d.%d.%d:29871", 64+pid>>16, pid>>8&255, pid&255)
	serve(t, []string{"-net", "socket=listen:" + at + ",ip=10.9.0.1/24,ip=fd00::1/64", "./testdata/fetch", "serve"}, "^fetch: serves$")
	for _, arch := range archs() {
		stdout, stderr, status := sched9(t, "run", "-arch", arch, "-timeout", "3m",
			"-net", "socket=connect:"+at+",ip=10.9.0.2/24,ip=fd00::2/64,dns=10.9.0.1", "./testdata/fetch", "http://10.9.0.1", "http://[fd00::1]", "none.invalid")
		if status != 0 || strings.Count(stdout, "fetch: 200 OK 4 <nil>\n") != 2 || !strings.Contains(stdout, "lookup none.invalid on 10.9.0.1:53: no such host\n") {
			t.Errorf("%s: status %d\n%s%s", arch, status, stdout, stderr)
		}
	}
}

// TestNetFlags: what cannot be is said before anything is built, with status 2.
func TestNetFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-net ether", "none of user, tap=NAME"},
		{"-net tap=tap0", "needs an address"},
		{"-net tap=tap0,dhcp,ip=10.0.0.2/24", "cannot be given others"},
		{"-p 80", "PORT:GUESTPORT"},
		{"-p 80:80:80:80", "PORT:GUESTPORT"},
		{"-net tap=tap0,ip=10.0.0.2/24 -p 80:80", "user network"},
		{"-p 80:80 -net tap=tap0,ip=10.0.0.2/24", "user network"},
		{"-p 80:80 -p 80:81", "forwarded twice"},
		{"-net user -icount", "instructions are counted"},
		{"-net user -via bochs", "bochs"},
	} {
		args := append(append([]string{"run"}, strings.Fields(c.args)...), "./testdata/none")
		if _, stderr, status := sched9(t, args...); status != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %q, want %q", c.args, status, stderr, c.want)
		}
	}
}

// TestNetOld: an image that cannot ask for an address is refused, and named.
func TestNetOld(t *testing.T) {
	_, stderr, status := sched9(t, "run", "-accel", "tcg", "-net", "user,dhcp", raw(t, nil))
	if status != 2 || !strings.Contains(stderr, "sched9 build -dhcp") {
		t.Errorf("status %d, %q", status, stderr)
	}
}

// TestNetTaken: a port that is taken is named, and the run ends.
func TestNetTaken(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	_, stderr, status := sched9(t, "run", "-accel", "tcg", "-p", port+":80", raw(t, nil))
	if status != 125 || !strings.Contains(stderr, port) {
		t.Errorf("status %d, %q", status, stderr)
	}
}

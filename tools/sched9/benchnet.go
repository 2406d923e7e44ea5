package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"sched9/qemu"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
	"sched9/tools/internal/peer"
	"sched9/tools/internal/progress"
)

// The plan of sched9 bench -net. Each guest is booted once in a round, sched9 and Linux in turn, so that what else the host does strikes
// both; of each figure the median of the rounds is shown.
const (
	netRounds = 3
	netFor    = 5 * time.Second // a load
	netSMP    = 2
	netLoops  = 2 * netSMP // endless loops beside which it is measured, too
	netBytes  = 32 << 20   // of one large answer
	netLimit  = 5 * time.Minute
)

// served is what one boot has brought: figures by what they are of.
type served map[string]float64

// network measures a web server on sched9 and on Linux.
func (b *bencher) network(ctx context.Context, line *progress.Line) error {
	src, _, err := image.Find([]string{"./scenarios/netbench"})
	if err != nil {
		return usageError{fmt.Errorf("%w: run sched9 bench in a checkout of sched9", err)}
	}
	img, err := image.Build(ctx, src, image.Options{Arch: b.arch, Note: line.Say, Stderr: line.Writer(b.err)})
	if err != nil {
		return err
	}
	kernel, version, err := peer.Kernel(ctx, b.arch, line.Say)
	if err != nil {
		return err
	}
	exe, err := peer.Program(ctx, src, b.arch, line.Say)
	if err != nil {
		return err
	}
	modules, err := peer.Modules(ctx, b.arch, version, line.Say)
	if err != nil {
		return err
	}
	alone, err := peer.Archive(exe, nil)
	if err != nil {
		return err
	}
	withCard, err := peer.Archive(exe, modules)
	if err != nil {
		return err
	}
	// boot runs one of the two with the program's arguments. With a card, started is called when it runs, with the port that leads to it.
	boot := func(linux bool, smp int, out io.Writer, started func(*qemu.VM), args ...string) error {
		var card *guest.Net
		if started != nil {
			card = guest.UserNet()
			card.Forward = []qemu.Forward{{Guest: 80}}
		}
		if linux {
			m := peer.Machine{
				Kernel: kernel, Archive: alone, Args: args, Arch: b.arch, SMP: smp, Mem: benchMem, ICount: started == nil,
				Timeout: netLimit, Stdout: out, Started: started,
			}
			if card != nil {
				m.Archive, m.Net = withCard, &card.Net
			}
			return m.Run(ctx)
		}
		o, err := guest.Run(ctx, guest.Guest{
			Name: img.Name, Image: img.Data, Args: args, Arch: b.arch, SMP: smp, Mem: benchMem, Accel: "tcg", ICount: started == nil,
			Timeout: netLimit, Stdout: out, Stderr: out, Net: card, Started: started,
		})
		if err == nil && o.Status != 0 {
			err = fmt.Errorf("sched9: status %d, %s", o.Status, o.Why)
		}
		return err
	}
	all := [2][]served{}
	for round := range netRounds {
		for side, name := range []string{"sched9", "Linux"} {
			s := served{}
			line.Say(fmt.Sprintf("round %d of %d: %s, over loopback", round+1, netRounds, name))
			if err := loopback(s, func(out io.Writer) error { return boot(side == 1, 1, out, nil) }); err != nil {
				return err
			}
			if err := load(ctx, s, func(out io.Writer, started func(*qemu.VM)) error {
				return boot(side == 1, netSMP, out, started, "-listen", ":80")
			}, func(what string) { line.Say(fmt.Sprintf("round %d of %d: %s, %s", round+1, netRounds, name, what)) }); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			all[side] = append(all[side], s)
		}
	}
	line.Clear()
	return showNet(b.out, img.Version, version, all)
}

// loopbackLine is what the program says of requests over loopback.
var loopbackLine = regexp.MustCompile(`netbench: loopback (\d+) clients (\d+) ns`)

// loopback boots with instructions counted and adds how many a request over loopback takes.
func loopback(s served, boot func(io.Writer) error) error {
	var out bytes.Buffer
	if err := boot(&out); err != nil {
		return fmt.Errorf("%w%s", err, tail(out.String()))
	}
	found := loopbackLine.FindAllStringSubmatch(out.String(), -1)
	if len(found) == 0 {
		return fmt.Errorf("nothing was measured%s", tail(out.String()))
	}
	for _, m := range found {
		n, _ := strconv.Atoi(m[2])
		s["loopback, "+m[1]+" clients: instructions"] = float64(n)
	}
	return nil
}

// lockedText is a buffer that tells when it holds some text.
type lockedText struct {
	sync.Mutex
	bytes.Buffer
	want string
	has  chan struct{} // closed then
}

// Write adds p.
func (t *lockedText) Write(p []byte) (int, error) {
	t.Lock()
	defer t.Unlock()
	n, err := t.Buffer.Write(p)
	if t.want != "" && strings.Contains(t.String(), t.want) {
		t.want = ""
		close(t.has)
	}
	return n, err
}

// load boots a server, and asks it in several ways, each of which say announces.
func load(ctx context.Context, s served, boot func(io.Writer, func(*qemu.VM)) error, say func(string)) error {
	out := &lockedText{want: "netbench: serves", has: make(chan struct{})}
	vms := make(chan *qemu.VM, 1)
	done := make(chan error, 1)
	go func() { done <- boot(out, func(vm *qemu.VM) { vms <- vm }) }()
	say("boots")
	select {
	case <-out.has:
	case err := <-done:
		return fmt.Errorf("it ended before it served: %w%s", err, tail(out.String()))
	}
	vm := <-vms
	defer func() {
		vm.Quit()
		<-done
	}()
	ports, err := vm.Forwards()
	if err != nil || len(ports) != 1 {
		return fmt.Errorf("its port is not known: %v, %w", ports, err)
	}
	url := "http://" + ports[0].From()
	attack := func(what string, clients int, keep bool) error {
		say(what)
		m, err := ask(ctx, ports[0].From(), clients, keep, netFor)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		s[what+": requests/s"] = m.Throughput
		for name, q := range map[string]float64{"median": .5, "99 %": .99, "99.9 %": .999} {
			s[what+": "+name+", ms"] = m.Latencies.Quantile(q).Seconds() * 1000
		}
		return nil
	}
	for _, clients := range []int{1, 64, 1024} {
		if err := attack(fmt.Sprintf("%d connections", clients), clients, true); err != nil {
			return err
		}
	}
	if err := attack("a connection for each request", 1, false); err != nil {
		return err
	}
	say("a large answer")
	from := time.Now()
	if err := fetch(ctx, fmt.Sprintf("%s/bytes/%d", url, netBytes), netBytes); err != nil {
		return err
	}
	s["one large answer: MB/s"] = netBytes / 1e6 / time.Since(from).Seconds()
	if err := fetch(ctx, fmt.Sprintf("%s/loops/%d", url, netLoops), 0); err != nil {
		return err
	}
	return attack(fmt.Sprintf("64 connections beside %d endless loops", netLoops), 64, true)
}

// ask has so many clients ask for a page for a while, each as soon as it has had its answer: on a connection that it keeps, and that it has
// used before, or on a new one each time. A request without a right answer is an error.
func ask(ctx context.Context, address string, clients int, keep bool, length time.Duration) (m vegeta.Metrics, err error) {
	var turn sync.Mutex
	t := &http.Transport{MaxIdleConnsPerHost: clients, DisableKeepAlives: !keep}
	// QEMU's user network has a queue for one connection that it has not accepted: where more come at once some wait for seconds. So
	// one is made when there has been an answer on the one before.
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		turn.Lock()
		defer turn.Unlock()
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil && keep {
			err = hello(c, address)
		}
		return c, err
	}
	defer t.CloseIdleConnections()
	client := vegeta.Client(&http.Client{Transport: t, Timeout: time.Minute})
	load := func(d time.Duration, add func(*vegeta.Result)) {
		a := vegeta.NewAttacker(vegeta.Workers(uint64(clients)), vegeta.MaxWorkers(uint64(clients)), client)
		for r := range a.Attack(vegeta.NewStaticTargeter(vegeta.Target{Method: http.MethodGet, URL: "http://" + address + "/"}), vegeta.Rate{}, d, "load") {
			add(r)
		}
	}
	load(length, func(*vegeta.Result) {})
	load(length, m.Add)
	m.Close()
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case len(m.Errors) > 0:
		err = fmt.Errorf("%.2f %% of %d requests had no right answer: %s", 100*(1-m.Success), m.Requests, m.Errors[0])
	}
	return m, err
}

// hello asks for a page on a new connection.
func hello(c net.Conn, address string) error {
	c.SetDeadline(time.Now().Add(time.Minute))
	defer c.SetDeadline(time.Time{})
	if _, err := fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", address); err != nil {
		return err
	}
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
	return err
}

// fetch gets a page of so many bytes.
func fetch(ctx context.Context, url string, size int64) error {
	ctx, cancel := context.WithTimeout(ctx, netLimit)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	n, err := io.Copy(io.Discard, r.Body)
	if err == nil && (n != size || r.StatusCode != http.StatusOK) {
		err = errors.New("the answer is not what it should be")
	}
	return err
}

// netOrder is the order of the table's rows: by what, then by the figure.
var netOrder = []string{"loopback, 1 ", "loopback, 8 ", "loopback, 64 ", "1 connections", "64 connections:", "1024 ", "a connection ", "one large ", "64 connections beside"}

// netFigures is the order of figures of a row.
var netFigures = []string{"instructions", "requests/s", "median, ms", "99 %, ms", "99.9 %, ms", "MB/s"}

// showNet prints the medians as a table for a document.
func showNet(w io.Writer, goVersion, linux string, all [2][]served) error {
	var keys []string
	for key := range all[0][0] {
		keys = append(keys, key)
	}
	rank := func(order []string, key string, match func(s, part string) bool) int {
		return slices.IndexFunc(order, func(part string) bool { return match(key, part) })
	}
	slices.SortFunc(keys, func(a, b string) int {
		if d := rank(netOrder, a, strings.HasPrefix) - rank(netOrder, b, strings.HasPrefix); d != 0 {
			return d
		}
		return rank(netFigures, a, strings.HasSuffix) - rank(netFigures, b, strings.HasSuffix)
	})
	fmt.Fprintf(w, "%s, %d vCPUs, beside Linux %s; medians of %d boots\n\n", goVersion, netSMP, linux, netRounds)
	tw := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintln(tw, "| what\t| sched9\t| Linux\t| ratio\t|")
	fmt.Fprintln(tw, "|---\t|---\t|---\t|---\t|")
	for _, key := range keys {
		ours, theirs := median(all[0], key), median(all[1], key)
		fmt.Fprintf(tw, "| %s\t| %s\t| %s\t| %.2f\t|\n", key, figure(ours), figure(theirs), ours/theirs)
	}
	return tw.Flush()
}

// median is that of a figure.
func median(all []served, key string) float64 {
	var each []float64
	for _, s := range all {
		each = append(each, s[key])
	}
	slices.Sort(each)
	return each[len(each)/2]
}

// figure writes a number with three digits or more.
func figure(f float64) string {
	if f >= 100 {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'g', 3, 64)
}

//go:build full

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// TestNetClients: clients that others have written ask a guest's web server: curl, a browser whose page is scenarios/web's, and Vegeta with as many
// connections as an ab -c 64 -k has, and without -k.
func TestNetClients(t *testing.T) {
	for _, arch := range archs() {
		t.Run(arch, func(t *testing.T) {
			s, groups := serve(t, []string{"-arch", arch, "-smp", "2", "-timeout", "20m", "-p", "0:80", "../../scenarios/web", ":80"},
				`^sched9: (127.0.0.1:\d+) leads to the guest's port 80$`, "^web: listens at")
			s.url = "http://" + groups[0]
			t.Run("curl", s.curl)
			t.Run("browser", s.browse)
			t.Run("load", func(t *testing.T) {
				for _, keep := range []bool{true, false} {
					const clients = 64
					m, err := ask(t.Context(), groups[0], clients, keep, 5*time.Second)
					if err != nil || m.Requests < clients || m.StatusCodes["200"] != int(m.Requests) || m.BytesIn.Mean < 1000 {
						t.Errorf("connections kept: %v: %d requests of %d clients, %v, %v bytes each, %v", keep, m.Requests, clients, m.StatusCodes, m.BytesIn.Mean, err)
					}
					t.Logf("connections kept: %v: %d requests", keep, m.Requests)
				}
			})
			if text := s.get("/sched/status"); !strings.Contains(text, "gomaxprocs 2") { // it is still well
				t.Errorf("/sched/status is %q", text)
			}
		})
	}
}

// curl asks by curl: what a page is, several on one connection, a redirection, the head alone, what is not there, and many at once.
func (s *server) curl(t *testing.T) {
	const at = "= %{http_code} %{num_connects}\n" // after each answer; an @ would lead to a file
	curl := func(args ...string) (string, int) {
		t.Helper()
		var out, errs bytes.Buffer
		c := exec.CommandContext(t.Context(), "curl", append([]string{"-q", "-sS", "--noproxy", "*", "--max-time", "120"}, args...)...)
		c.Stdout, c.Stderr = &out, &errs
		err := c.Run()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatalf("curl does not start (tools/setup.sh full installs it): %v", err)
		}
		if errs.Len() > 0 {
			t.Logf("curl %v: %s", args, errs.String())
		}
		return out.String(), c.ProcessState.ExitCode()
	}
	for _, c := range []struct {
		args   []string
		status int
		want   []string // of what it says, in this order
	}{
		{[]string{"-w", at, s.url + "/", s.url + "/sched/status"}, 0, []string{"The scheduler that serves this page", "= 200 1\n", "gomaxprocs 2", "= 200 0\n"}},
		{[]string{"-w", at, "-L", s.url + "/spin"}, 0, []string{"The scheduler that serves this page", "= 200 1\n"}},
		{[]string{s.url + "/debug/vars"}, 0, []string{`"loops": 1`}},
		{[]string{"-w", at, s.url + "/calm"}, 0, []string{"= 303 1\n"}},
		{[]string{s.url + "/debug/vars"}, 0, []string{`"loops": 0`}},
		{[]string{"-I", s.url + "/debug/pprof/"}, 0, []string{"HTTP/1.1 200 OK\r\n", "Content-Type: text/html"}},
		{[]string{"-f", s.url + "/none"}, 22, nil},
		{[]string{"-0", "-w", at, s.url + "/"}, 0, []string{"The scheduler that serves this page", "= 200 1\n"}}, // HTTP 1.0: the connection's end is the answer's
	} {
		said, status := curl(c.args...)
		rest, ok := said, status == c.status
		for _, w := range c.want {
			var found bool
			_, rest, found = strings.Cut(rest, w)
			ok = ok && found
		}
		if !ok {
			t.Errorf("curl %v: status %d, want %d and %q:\n%s", c.args, status, c.status, c.want, said)
		}
	}
	// Many at once, each into a file.
	const many = 64
	dir := t.TempDir()
	said, status := curl("--parallel", "--parallel-immediate", "--parallel-max", "16", "-w", at, "-o", dir+"/#1", fmt.Sprintf("%s/debug/vars?[1-%d]", s.url, many))
	if n := strings.Count(said, "= 200 "); status != 0 || n != many {
		t.Errorf("%d of %d at once had an answer, status %d", n, many, status)
	}
	for i := 1; i <= many; i++ {
		var vars struct{ Loops *int }
		text, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(i)))
		if err == nil {
			err = json.Unmarshal(text, &vars)
		}
		if err != nil || vars.Loops == nil {
			t.Errorf("answer %d: %v", i, err)
		}
	}
}

// browse looks at the page in a browser: it shows the guest's goroutines as they are, a loop that a link starts too, and complains of nothing.
func (s *server) browse(t *testing.T) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("the page is tried in a real browser, and there is none: apt-get install chromium")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	var wrong struct {
		sync.Mutex
		text []string
	}
	err = chromedp.Listen(ctx, func(ev any) {
		if e, ok := ev.(*runtime.EventExceptionThrown); ok {
			wrong.Lock()
			defer wrong.Unlock()
			wrong.text = append(wrong.text, e.ExceptionDetails.Text)
		}
	})
	if err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	visit := func(page string) {
		t.Helper()
		if err := chromedp.Do(ctx, chromedp.Navigate(page)); err != nil {
			t.Fatalf("%s: %v", page, err)
		}
	}
	eval := func(expr string) string {
		t.Helper()
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+expr+")"))
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		return text
	}
	// shows waits until a part of the page has a text, or has it no more: the page reads the guest's files once a second.
	shows := func(id, text string, yes bool) {
		t.Helper()
		_, err := chromedp.Run(ctx, chromedp.Poll[bool](fmt.Sprintf("document.getElementById(%q).innerText.includes(%q) === %v", id, text, yes),
			chromedp.WithPollingTimeout(3*time.Minute)))
		if err != nil {
			t.Fatalf("%s does not show %q (%v): %v; it shows %q", id, text, yes, err, eval(fmt.Sprintf("document.getElementById(%q).innerText", id)))
		}
	}
	visit(s.url)
	shows("gs", "net/http.(*conn).serve", true)
	shows("gs", "main.spin", false)
	shows("status", "gomaxprocs 2", true)
	if n := eval("document.querySelectorAll('#ms tr:has(td)').length"); n != "2" {
		t.Errorf("the page shows %s processors of 2", n)
	}
	for _, link := range []string{"Start", "end"} {
		visit(eval(fmt.Sprintf("[...document.querySelectorAll('a')].find(a => a.innerText === %q).href", link)))
		shows("gs", "net/http.(*conn).serve", true)
		shows("gs", "main.spin", link == "Start")
	}
	visit(s.url + "/debug/pprof/")
	if n := eval("document.querySelectorAll(\"a[href^='goroutine']\").length > 0"); n != "true" {
		t.Error("the page of pprof has no link to its goroutines")
	}
	wrong.Lock()
	defer wrong.Unlock()
	if len(wrong.text) > 0 {
		t.Errorf("the browser complains: %q", wrong.text)
	}
}

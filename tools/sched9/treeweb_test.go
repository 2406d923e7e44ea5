package main

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sched9/trace/tree"
)

// TestTreePage asks the server of top -http what its page asks, and what others might ask.
func TestTreePage(t *testing.T) {
	gone := false
	wrote := ""
	s := treeServer{
		host: "127.0.0.1:8080",
		look: func(fn func(guestFiles) error) error {
			if gone {
				return errors.New("the guest is gone")
			}
			return fn(recordedFiles{tree.Tree{
				"/proc/7/status": "7 wait 0 - 1000 2000 0 3000000 4 - 'chan receive' main.f -\n", "/proc/7/wait": "'chan receive' 5\n", "/sched/ctl": "gc\n",
			}})
		},
		write: func(name, line string) error {
			wrote = name + " " + line
			if line != "gc" {
				return errors.New("no such word")
			}
			return nil
		},
	}
	ask := func(method, target, host, header, body string) (int, string) {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		if r.Host = host; header != "" {
			r.Header.Set(header, "1")
		}
		w := httptest.NewRecorder()
		s.handler().ServeHTTP(w, r)
		text, _ := io.ReadAll(w.Result().Body)
		return w.Code, string(text)
	}
	for _, c := range []struct {
		method, target, host, header, body string
		code                               int
		want                               string
	}{
		{"GET", "/", s.host, "", "", 200, "<title>sched9: a guest's files</title>"},
		{"GET", "/", "localhost:8080", "", "", 200, "<title>"},
		{"GET", "/", "evil.example:8080", "", "", 403, "this is 127.0.0.1:8080"},
		{"GET", "/ps", "evil.example", "", "", 403, "this is"},
		{"GET", "/ps", s.host, "", "", 200, `"ID":"7","State":"wait"`},
		{"GET", "/ls?path=/", s.host, "", "", 200, `["proc/","sched/"]`},
		{"GET", "/ls?path=/proc/7/", s.host, "", "", 200, `["status","wait"]`},
		{"GET", "/ls?path=/none", s.host, "", "", 502, "does not tell of it"},
		{"GET", "/cat?path=/sched/ctl", s.host, "", "", 200, `"gc\n"`},
		{"GET", "/cat?path=/none", s.host, "", "", 502, "does not tell of it"},
		{"GET", "/else", s.host, "", "", 404, ""},
		{"GET", "/write?path=/sched/ctl", s.host, "X-Sched9", "gc", 405, ""},
		{"POST", "/write?path=/sched/ctl", s.host, "", "gc", 403, "only the page writes"},
		{"POST", "/write?path=/sched/ctl", s.host, "X-Sched9", "gc", 200, ""},
		{"POST", "/write?path=/sched/ctl", s.host, "X-Sched9", "faster", 502, "no such word"},
		{"POST", "/write?path=/sched/ctl", s.host, "X-Sched9", strings.Repeat("x", treeLimit+1), 502, "too large"},
	} {
		wrote = ""
		code, text := ask(c.method, c.target, c.host, c.header, c.body)
		if code != c.code || !strings.Contains(text, c.want) || (wrote != "") != (c.header != "" && c.method == "POST" && len(c.body) <= treeLimit) {
			t.Errorf("%s %s from %s: %d, %q, wrote %q", c.method, c.target, c.host, code, text, wrote)
		}
	}
	gone = true
	if code, text := ask("GET", "/ps", s.host, "", ""); code != http.StatusBadGateway || text != "the guest is gone\n" {
		t.Errorf("a guest that is gone: %d, %q", code, text)
	}
}

// TestTopHTTPWrong: what makes no sense is said before anything is served.
func TestTopHTTPWrong(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"top", "-http", "8080"}, "is not of the form :PORT or ADDRESS:PORT"},
		{[]string{"top", "-http", "/tmp/x"}, "is not of the form :PORT or ADDRESS:PORT"},
		{[]string{"top", "-http", ":0", "../../scenarios/hello"}, "-http boots nothing"},
		{[]string{"top", "-9p", ":1", "../../scenarios/hello"}, "-http shows"},
	} {
		if _, stderr, status := sched9(t, c.args...); status != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: status %d, %s", c.args, status, stderr)
		}
	}
}

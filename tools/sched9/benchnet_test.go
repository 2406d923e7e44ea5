package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestAsk: a load counts answers and keeps to its connections; one with wrong answers is an error.
func TestAsk(t *testing.T) {
	var answers atomic.Int64
	var wrong atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers.Add(1)
		if wrong.Load() {
			w.WriteHeader(http.StatusTeapot)
		}
		io.WriteString(w, "hello, world\n")
	}))
	defer s.Close()
	m, err := ask(t.Context(), s.Listener.Addr().String(), 4, true, 200*time.Millisecond)
	if err != nil || m.Requests == 0 || m.Requests > uint64(answers.Load()) || m.Throughput <= 0 || m.Latencies.Quantile(.999) <= 0 {
		t.Errorf("%v, %d of %d answers, %.0f requests/s", err, m.Requests, answers.Load(), m.Throughput)
	}
	wrong.Store(true)
	if _, err := ask(t.Context(), s.Listener.Addr().String(), 1, false, 200*time.Millisecond); err == nil || !strings.Contains(err.Error(), "418") {
		t.Errorf("wrong answers: %v", err)
	}
}

// TestShowNet: rows in the table's order, medians, and how ours is to theirs.
func TestShowNet(t *testing.T) {
	var all [2][]served
	for i := range 3 {
		for side := range all {
			all[side] = append(all[side], served{
				"64 connections beside 4 endless loops: median, ms": 2, "64 connections: 99.9 %, ms": 3, "64 connections: requests/s": float64((side+1)*1000 + i),
				"loopback, 1 clients: instructions": 250000, "1 connections: median, ms": .5,
			})
		}
	}
	var b strings.Builder
	if err := showNet(&b, "go1.26", "6.1", all); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "| ") {
			got = append(got, strings.Join(strings.Fields(line), " "))
		}
	}
	want := []string{
		"| what | sched9 | Linux | ratio |",
		"| loopback, 1 clients: instructions | 250000 | 250000 | 1.00 |",
		"| 1 connections: median, ms | 0.5 | 0.5 | 1.00 |",
		"| 64 connections: requests/s | 1001 | 2001 | 0.50 |",
		"| 64 connections: 99.9 %, ms | 3 | 3 | 1.00 |",
		"| 64 connections beside 4 endless loops: median, ms | 2 | 2 | 1.00 |",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

package qemu

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// fakeQMP is the far end of a monitor, played by the test.
type fakeQMP struct {
	net.Conn
	commands *json.Decoder
}

// fakeMonitor is a connected monitor and its far end.
func fakeMonitor(t *testing.T) (*monitor, fakeQMP) {
	t.Helper()
	m, err := newMonitor()
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.FileListener(m.far)
	m.handedOver()
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	conn, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(enough))
	far := fakeQMP{conn, json.NewDecoder(conn)}
	connected := make(chan error, 1)
	go func() { connected <- m.connect() }()
	far.say(t, `{"QMP":{"version":{"qemu":{"major":7}},"capabilities":[]}}`)
	far.command()
	far.say(t, `{"return":{}}`)
	if err := <-connected; err != nil {
		t.Fatal(err)
	}
	return m, far
}

// say sends a line.
func (f fakeQMP) say(t *testing.T, line string) {
	t.Helper()
	if _, err := fmt.Fprintln(f.Conn, line); err != nil {
		t.Fatal(err)
	}
}

// command is the name of the next command, or "" when there is none.
func (f fakeQMP) command() string {
	var c struct{ Execute string }
	if f.commands.Decode(&c) != nil {
		return ""
	}
	return c.Execute
}

func TestMonitorLimitsAndBacklog(t *testing.T) {
	m, far := fakeMonitor(t)
	if _, err := m.run("first", time.Millisecond); err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Fatalf("no answer: %v", err)
	}
	if _, err := m.run("second", time.Millisecond); err == nil || !strings.Contains(err.Error(), "busy") {
		t.Fatalf("busy: %v", err)
	}
	// The late reply is the first command's, the third gets its own.
	far.say(t, `{"return":1}`)
	go func() {
		for name := far.command(); name != ""; name = far.command() {
			if name == "third" {
				fmt.Fprintln(far, `{"return":3}`)
			}
		}
	}()
	if reply, err := m.run("third", enough/10); string(reply) != "3" || err != nil {
		t.Errorf("third: %s, %v", reply, err)
	}
}

func TestMonitorReportsQEMUsErrors(t *testing.T) {
	m, far := fakeMonitor(t)
	far.say(t, `{"error":{"class":"CommandNotFound","desc":"no such command"}}`)
	if _, err := m.run("bad", enough); err == nil || !strings.Contains(err.Error(), "no such command") {
		t.Errorf("error %v", err)
	}
}

func TestMonitorThatCloses(t *testing.T) {
	m, far := fakeMonitor(t)
	far.Close()
	for range 2 { // an empty reply, or a failed write
		if _, err := m.run("late", enough); !errors.Is(err, errEnded) {
			t.Errorf("error %v", err)
		}
	}
	m.close(time.After(enough))
	if _, err := m.run("later", enough); err == nil {
		t.Error("a closed monitor takes commands")
	}
}

func TestMonitorEventsAreBounded(t *testing.T) {
	m, far := fakeMonitor(t)
	for range 4 * maxEvents {
		far.say(t, `{"event":"RTC_CHANGE","data":{"offset":1}}`)
	}
	far.say(t, `{"event":"SHUTDOWN","data":{"guest":true,"reason":"guest-reset"}}`)
	far.Close()
	m.close(time.After(enough))
	got := m.seen()
	if len(got) != maxEvents+1 || got[0] != "RTC_CHANGE" || got[maxEvents] != "SHUTDOWN guest-reset" {
		t.Errorf("%d events, the last %q", len(got), got[len(got)-1])
	}
}

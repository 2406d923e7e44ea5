package qemu

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/digitalocean/go-qemu/qmp"
)

const (
	dialLimit    = 5 * time.Second // to a socket that this process listens on
	commandLimit = 5 * time.Second // for one command of the caller
	maxEvents    = 256             // kept; a guest that sets its clock in a loop makes endless many
)

var (
	errEnded = errors.New("QEMU has ended")
	errQuit  = errors.New("Quit was called")

	errUnheard = errors.New("the guest's output could not be written")

	errInterrupted = errors.New("the run was interrupted, and the guest asked what it does")
)

// monitor is the connection to QEMU's machine protocol (QMP).
//
// The library underneath blocks without limit, loses its place if its events
// are not read, and refuses replies above 64 KiB. So events are always read
// (collect), and a command runs in a goroutine of its own with a limit around
// it. All those goroutines end when QEMU does, because its end of the
// connection closes then.
type monitor struct {
	inherited // the listening end
	mon       *qmp.SocketMonitor
	turn      chan struct{} // capacity 1: filled while a command waits for its reply

	mu        sync.Mutex
	connected bool     // mu must be held
	events    []string // mu must be held

	collected chan struct{} // closed when the last event is in events
}

// newMonitor binds a socket in a scratch directory, dials it and removes the
// directory. The connection waits in the listening socket's queue for QEMU to
// inherit that socket and accept; if QEMU ends without accepting, the queue
// goes with it and connect reads end-of-file.
func newMonitor() (*monitor, error) {
	dir, err := newScratch()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path, err := socketPath(dir, "qmp")
	if err != nil {
		return nil, err
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("monitor: %w", err)
	}
	defer ln.Close()
	far, err := ln.File()
	if err != nil {
		return nil, fmt.Errorf("monitor: %w", err)
	}
	mon, err := qmp.NewSocketMonitor("unix", path, dialLimit)
	if err != nil {
		far.Close()
		return nil, fmt.Errorf("monitor: %w", err)
	}
	return &monitor{
		mon:       mon,
		inherited: inherited{far},
		turn:      make(chan struct{}, 1),
		collected: make(chan struct{}),
	}, nil
}

// connect greets QEMU and starts collecting events. It has no limit of its
// own: it returns when QEMU answers or ends, and supervise ends QEMU.
func (m *monitor) connect() error {
	if err := m.mon.Connect(); err != nil {
		return fmt.Errorf("QEMU's monitor did not answer: %w", plain(err))
	}
	events, err := m.mon.Events(nil) // the context is not looked at
	if err != nil {
		return fmt.Errorf("QEMU's monitor has no events: %w", err)
	}
	m.mu.Lock()
	m.connected = true
	m.mu.Unlock()
	go m.collect(events)
	return nil
}

// collect reads every event until the connection closes and keeps the first maxEvents, and of later
// ones those that say how the run ended.
func (m *monitor) collect(events <-chan qmp.Event) {
	defer close(m.collected)
	for e := range events {
		m.mu.Lock()
		if len(m.events) < maxEvents || e.Event == eventShutdown || e.Event == eventPanicked {
			m.events = append(m.events, describe(e))
		}
		m.mu.Unlock()
	}
}

// describe is an event's name, followed by its reason or action if it has one:
// "SHUTDOWN guest-reset".
func describe(e qmp.Event) string {
	for _, key := range []string{"reason", "action"} {
		if s, ok := e.Data[key].(string); ok {
			return e.Event + " " + s
		}
	}
	return e.Event
}

// run sends the command name and returns its reply ("return" of QMP), within
// limit. A command that exceeds the limit keeps the turn until its reply
// comes, so no later command takes that reply for its own.
func (m *monitor) run(name string, limit time.Duration) (json.RawMessage, error) {
	return m.send(name, nil, limit)
}

// send is run for a command with arguments, which must be such as JSON can have.
func (m *monitor) send(name string, arguments map[string]string, limit time.Duration) (json.RawMessage, error) {
	command, err := json.Marshal(struct {
		Execute   string            `json:"execute"`
		Arguments map[string]string `json:"arguments,omitempty"`
	}{name, arguments})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m.mu.Lock()
	connected := m.connected
	m.mu.Unlock()
	if !connected {
		return nil, fmt.Errorf("%s: QEMU's monitor is not connected", name)
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case m.turn <- struct{}{}:
	case <-t.C:
		return nil, fmt.Errorf("%s: QEMU's monitor is busy for %v", name, limit)
	}
	type answer struct {
		reply []byte
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		defer func() { <-m.turn }()
		raw, err := m.mon.Run(command)
		// raw is part of the library's read buffer, which its next read may reuse.
		answers <- answer{bytes.Clone(raw), err}
	}()
	select {
	case a := <-answers:
		if a.err != nil {
			return nil, fmt.Errorf("%s: %w", name, plain(a.err))
		}
		var r struct {
			Return json.RawMessage `json:"return"`
		}
		if err := json.Unmarshal(a.reply, &r); err != nil {
			return nil, fmt.Errorf("%s: QEMU's reply is not understood: %w", name, err)
		}
		return r.Return, nil
	case <-t.C:
		return nil, fmt.Errorf("%s: QEMU did not answer in %v", name, limit)
	}
}

// plain turns what the library returns when QEMU has closed the connection, a
// failed write or an empty reply, into errEnded: QEMU closes it only at its end.
// Other errors are QEMU's answers and stay.
func plain(err error) error {
	var empty *json.SyntaxError
	var broken *net.OpError
	if errors.As(err, &empty) || errors.As(err, &broken) {
		return errEnded
	}
	return err
}

// close waits for the last events, at most until limit fires, and closes the
// connection. It is called when QEMU is gone.
//
// The library's Disconnect would wait for ever on a monitor that was never
// connected. There the descriptor is left to the garbage collector, which
// closes it.
func (m *monitor) close(limit <-chan time.Time) {
	m.mu.Lock()
	connected := m.connected
	m.connected = false
	m.mu.Unlock()
	if !connected {
		return
	}
	select {
	case <-m.collected:
	case <-limit:
	}
	closed := make(chan struct{})
	go func() {
		m.mon.Disconnect()
		close(closed)
	}()
	select {
	case <-closed:
	case <-limit:
	}
}

// seen returns the events so far.
func (m *monitor) seen() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.events...)
}

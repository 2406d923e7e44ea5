package nine

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"sched9/srv/wire"
)

// Relay passes connections of the host's on to a guest.
type Relay struct {
	Address string // where it listens, as Address reads it

	l      net.Listener
	forget func()
	once   sync.Once
}

// Listen begins to listen at address, and notes that for Find. Connections wait for Run.
func Listen(address string) (*Relay, error) {
	network, at, err := Address(address)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen(network, at)
	if err != nil {
		return nil, fmt.Errorf("9p: %w", err)
	}
	r := &Relay{Address: l.Addr().String(), l: l}
	if r.forget, err = note(r.Address); err != nil {
		l.Close()
		return nil, fmt.Errorf("9p: %w", err)
	}
	return r, nil
}

// Close ends listening, and Run.
func (r *Relay) Close() {
	r.once.Do(func() {
		r.l.Close()
		r.forget()
	})
}

// Run passes connections on to the guest at the other end of the stream, until that ends or Close, and returns why. All
// connections end then.
func (r *Relay) Run(stream io.ReadWriter) error {
	w := wire.New(stream, nil)
	go func() {
		for {
			client, err := r.l.Accept()
			if err != nil {
				return // Close
			}
			go pass(w, client)
		}
	}()
	err := w.Run()
	r.Close()
	return err
}

// pass passes a connection on until either end closes it.
func pass(w *wire.Wire, client net.Conn) {
	defer client.Close()
	guest, err := w.Open()
	if err != nil {
		return
	}
	go func() {
		io.Copy(struct{ io.Writer }{guest}, client)
		guest.Close()
	}()
	io.Copy(client, struct{ io.Reader }{guest})
	guest.Close()
}

// IsGarbage reports whether the guest broke the rules of the wire.
func IsGarbage(err error) bool { return errors.Is(err, wire.ErrBroken) }

package qemu

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// maxComplaints bounds what is kept of QEMU's own error output.
const maxComplaints = 16 << 10

// process is a running QEMU.
type process struct {
	cmd        *exec.Cmd
	complaints head
	gone       chan struct{} // closed when QEMU has been waited for
}

// spawn starts QEMU with the given arguments and inherited files. stdin and stdout
// are QEMU's own; nil: it has none.
func spawn(path string, argv []string, files []*os.File, stdin, stdout *os.File) (*process, error) {
	p := &process{cmd: exec.Command(path, argv...), gone: make(chan struct{})}
	if stdin != nil {
		p.cmd.Stdin, p.cmd.Stdout = stdin, stdout
	}
	p.cmd.Stderr = &p.complaints
	p.cmd.ExtraFiles = files
	p.cmd.SysProcAttr = attributes()
	p.cmd.WaitDelay = time.Second // for the copy of stderr, should anything hold it open
	started := make(chan error)
	go p.keep(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("QEMU did not start: %w", err)
	}
	return p, nil
}

// keep starts QEMU and stays with it until it is gone.
//
// The kernel sends the parent-death signal when the starting THREAD ends, and
// the Go runtime may end any idle thread. So the goroutine that starts QEMU is
// locked to its thread and does not return before QEMU is gone: the thread
// ends earlier only if this whole process does.
func (p *process) keep(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	p.cmd.Wait() // the state is in ProcessState, the error only repeats it
	close(p.gone)
}

// kill ends QEMU by force. It names the process that we started, never a
// number that may have passed on to another: os.Process knows when it has
// been waited for.
func (p *process) kill() { p.cmd.Process.Kill() }

// waited reports whether QEMU is gone within limit.
func (p *process) waited(limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-p.gone:
		return true
	default:
	}
	select {
	case <-p.gone:
		return true
	case <-t.C:
		return false
	}
}

// state returns QEMU's exit status, or -1 and the signal that ended it.
// Call it only after gone is closed.
func (p *process) state() (status int, sig syscall.Signal) {
	ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return -1, ws.Signal()
	}
	return p.cmd.ProcessState.ExitCode(), 0
}

// head is a writer that keeps the first maxComplaints bytes: the first
// complaint is the cause. Safe for concurrent use.
type head struct {
	mu  sync.Mutex
	buf []byte // mu must be held
}

// Write keeps as much as fits and claims to have taken all of b, so that QEMU never gets a write
// error.
func (h *head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.buf = append(h.buf, b[:min(len(b), maxComplaints-len(h.buf))]...)
	return len(b), nil
}

// String is the kept text, without surrounding white space.
func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.TrimSpace(string(h.buf))
}

package qemu

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestMemory(t *testing.T) {
	m, err := NewMemory("64M")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if n := len(m.Bytes()); n != 64<<20 {
		t.Errorf("%d bytes", n)
	}
	if m.Bytes()[0] != 0 || m.Bytes()[64<<20-1] != 0 {
		t.Error("it is not zero")
	}
	for _, size := range []string{"", "8M", "much"} {
		if m, err := NewMemory(size); err == nil {
			m.Close()
			t.Errorf("%q: no error", size)
		}
	}
}

// A guest of another size than its memory is refused.
func TestMemorySize(t *testing.T) {
	m, err := NewMemory("64M")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	_, err = Start(context.Background(), Config{SMP: 1, Mem: "128M", Memory: m, Timeout: time.Second, Kernel: "x"})
	if err == nil || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("got %v", err)
	}
}

// What the guest writes is seen from outside.
func TestMemoryShared(t *testing.T) {
	m, err := NewMemory("64M")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	// mov dword [0x300000], 0x12345678; the rest ends the run.
	store := []byte{0xc7, 0x05, 0, 0, 0x30, 0, 0x78, 0x56, 0x34, 0x12}
	for _, machine := range Machines("amd64") {
		clear := append([]byte{0xc7, 0x05, 0, 0, 0x30, 0}, le32(0)...)
		c := config(t, clear, store, exit(0x10))
		c.Machine, c.Mem, c.Memory = machine, "64M", m
		run(t, c, Exited)
		if got := m.Bytes()[0x300000:][:4]; string(got) != "\x78\x56\x34\x12" {
			t.Errorf("%s: the guest wrote % x", machine, got)
		}
	}
}

package main

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// shootdown takes a page away again and again that all processors read: once it is away none can read it. A processor that kept its translation would.
func shootdown(m *machine) (string, error) {
	if len(m.work) < 2 {
		return "one processor", absent
	}
	const rounds = 30
	page, err := syscall.Mmap(-1, 0, syscall.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return "", err
	}
	word := (*atomic.Uint32)(unsafe.Pointer(&page[0]))
	var away, round, seen atomic.Int32
	var wrong atomic.Int32
	wrong.Store(-1)
	var took histogram
	// In each round a reader's reading fails once.
	reader := func(i int) {
		for r := int32(1); r <= rounds; r++ {
			for round.Load() < r {
			}
			if read(word, &away, r) {
				wrong.CompareAndSwap(-1, int32(i))
			}
			seen.Add(1)
		}
	}
	m.all(func(i int) {
		if i != 0 {
			reader(i)
			return
		}
		others := int32(len(m.work) - 1)
		for r := int32(1); r <= rounds; r++ {
			word.Store(uint32(r))
			round.Store(r)
			for end := now() + 200_000; now() < end; { // they read
			}
			t := now()
			e := syscall.Mprotect(page, syscall.PROT_NONE)
			took.add(now() - t)
			away.Store(r)
			for seen.Load() < r*others {
			}
			if e == nil {
				e = syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_WRITE)
			}
			if e != nil {
				err = e
			}
			m.doing(fmt.Sprintf("round %d", r))
		}
	})
	if err == nil {
		err = syscall.Munmap(page)
	}
	if i := wrong.Load(); err == nil && i >= 0 {
		err = fmt.Errorf("processor %d could read a page that was taken away", i)
	}
	return fmt.Sprintf("%d times for %d processors, after %s", rounds, len(m.work), took.String()), err
}

// read reads the word until it cannot, which is as it should be, or could after away had become r: then it returns true.
func read(word *atomic.Uint32, away *atomic.Int32, r int32) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	for {
		gone := away.Load() >= r // before the reading
		word.Load()
		if gone {
			return true
		}
	}
}

// memory has all processors write a pattern of addresses to a part of the memory, and each read what another has written.
func memory(m *machine) (string, error) {
	const most = 128 << 20
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return "", err
	}
	n := len(m.work)
	size := min(most, int(uint64(info.Freeram)*uint64(info.Unit)/4)) / n &^ 0xffff
	parts := make([][]byte, n)
	for i := range parts {
		var err error
		if parts[i], err = syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE); err != nil {
			return "", err
		}
	}
	words := func(i int) []uint64 { return unsafe.Slice((*uint64)(unsafe.Pointer(&parts[i][0])), size/8) }
	var bad atomic.Pointer[string]
	t := time.Now()
	m.all(func(i int) {
		for k := range words(i) {
			p := &words(i)[k]
			if *p != 0 {
				s := fmt.Sprintf("new memory has %#x in it", *p)
				bad.CompareAndSwap(nil, &s)
			}
			*p = uint64(uintptr(unsafe.Pointer(p))) * 0x9e3779b97f4a7c15
		}
	})
	m.doing("written")
	m.all(func(i int) {
		other := (i + 1) % n
		for k := range words(other) {
			p := &words(other)[k]
			if want := uint64(uintptr(unsafe.Pointer(p))) * 0x9e3779b97f4a7c15; *p != want {
				s := fmt.Sprintf("%#x was written and %#x read at %p", want, *p, p)
				bad.CompareAndSwap(nil, &s)
			}
		}
	})
	took := time.Since(t)
	for _, p := range parts {
		if err := syscall.Munmap(p); err != nil {
			return "", err
		}
	}
	if s := bad.Load(); s != nil {
		return "", fmt.Errorf("%s", *s)
	}
	return fmt.Sprintf("%d MiB written and read on %d processors, %d MiB a second", n*size>>20, n, int(float64(2*n*size>>20)/took.Seconds())), nil
}

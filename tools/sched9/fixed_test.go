package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sched9/arch/amd64/layout"
	"sched9/qemu"
)

// TestFixed boots an image over memory that the loader's map does not call RAM: it refuses to
// run. A few instructions before the stub change QEMU's map, of which the first range is
// low memory and the fourth one holds the image.
func TestFixed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "image")
	if _, stderr, status := sched9(t, "build", "-o", name, exitScenario); status != 0 {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	img, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		entry byte   // of the map
		start uint32 // where it shall begin
		want  string
	}{
		{0, 0x8000, ""},
		{0, 0x9000, "the loader's map has no RAM at 32 KiB, where there is the code that processors start with"},
		{3, 0x100000, ""},
		{3, 0x101000, "the loader's map has no RAM at 1024 KiB, where there is the image"},
	} {
		const at = layout.StubText + 0xc00 // behind the stub's words for the loader
		changed := slices.Clone(img)
		code := []byte{
			0x8b, 0x43, 40, // mov eax, [ebx+40]: the map
			0xc7, 0x40, c.entry * 24, 0, 0, 0, 0, // mov dword [eax+24*entry], start
			0xe9, 0, 0, 0, 0, // jmp stub
		}
		binary.LittleEndian.PutUint32(code[6:], c.start)
		from := at + len(code)
		binary.LittleEndian.PutUint32(code[len(code)-4:], uint32(layout.StubText-from))
		// The loader finds the entry in the note, behind three words and a name.
		binary.LittleEndian.PutUint32(changed[offset(t, img, elf.PT_NOTE)+16:], at)
		copy(changed[offset(t, img, elf.PT_LOAD)+at-layout.StubText:], code)
		if err := os.WriteFile(name, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		vm, err := qemu.Start(t.Context(), qemu.Config{
			Machine: "q35,firmware=seabios", // whose map it is
			SMP:     1, Mem: "64M", Accel: "tcg", Kernel: name, Append: "-- exit 7", Timeout: time.Minute, Stdout: &stdout, Stderr: &stderr,
		})
		if err != nil {
			t.Fatal(err)
		}
		res := vm.Wait()
		if ran := strings.HasPrefix(stdout.String(), "exit: ending"); res.Reason != qemu.Exited || ran != (c.want == "") || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("map entry %d from %#x: %+v\n%s%s", c.entry, c.start, res, stdout.String(), stderr.String())
		}
	}
}

// offset is where in an image its first segment of a type begins.
func offset(t *testing.T, img []byte, typ elf.ProgType) uint64 {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(img))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Progs {
		if p.Type == typ {
			return p.Off
		}
	}
	t.Fatalf("the image has no %v", typ)
	return 0
}

package boot

import "testing"

func TestProbe(t *testing.T) {
	img := Probe()
	if err := Check(img); err != nil {
		t.Fatal(err)
	}
	if len(img) > 64<<10 {
		t.Errorf("%d bytes, want at most 64 KiB", len(img))
	}
	checkEnvelope(t, img, PVH)
	m := load(t, img)
	checkTables(t, madeTables(t, m), append([]span{{0x400000, 0x401000, "r-x"}}, stubSpans...))
	wantListing(t, disassemble(t, m[3].data, 0x400000, 64), `
		mov ecx, -0x3fffff00
		xor eax, eax
		xor edx, edx
		wrmsr
		xorps xmm15, xmm15
		fxsave ptr [rsp+0xfffffc00]
		rdtsc
		mov edx, 0xf4
		mov eax, 0x2a
		out dx, eax
		cli
		hlt
		jmp 0x400024
	`)
	// The stub is that of programs, except for the address it jumps to.
	if got, want := string(m[0].data[:0xa00]), string(stubText(0x400000)[:0xa00]); got != want {
		t.Error("the stub is not that of a program")
	}
}

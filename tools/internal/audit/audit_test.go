package audit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sched9/tools/internal/toolchain"
)

// kernelCode is laid over GOROOT as a package of sched9's.
const kernelCode = `package bad

type T struct{ next *T }

var (
	Head  *T
	Bytes []byte
	Any   any
	Map   map[int]int
	Ch    chan int
	Count int
)

//go:noinline
func Alloc() *T { return new(T) }

//go:noinline
func Barrier(t *T) { Head = t }

//go:noinline
func Grow(b byte) { Bytes = append(Bytes, b) }

//go:noinline
func Box(n int) { Any = n }

//go:noinline
func Assign(n int) { Map[n] = n }

//go:noinline
func Send(n int) { Ch <- n }

//go:noinline
func Go() { go Fine(1) }

//go:noinline
func Fine(n int) int {
	if n == 0 || n >= len(Bytes) {
		return Count
	}
	Count += int(Bytes[n])
	return Fine(n-1) + 1
}
`

// user is a package of the standard library that may import kernelCode.
const user = `package ring

import "internal/runtime/s9/bad"

func Use() {
	bad.Barrier(bad.Alloc())
	bad.Grow(1)
	bad.Box(bad.Fine(1000))
	bad.Assign(1)
	bad.Go()
	bad.Send(1)
}
`

const program = `package main

import "container/ring"

func kernelCall()
func oldCall()
func interrupt()
func constant() int

func main() {
	ring.Use()
	kernelCall()
	oldCall()
	interrupt()
	constant()
}
`

// programAsm makes system calls in every way; the constant only looks like it.
const programAsm = `
TEXT ·kernelCall(SB), 4, $0-0
	SYSCALL
	RET
TEXT ·oldCall(SB), 4, $0-0
	SYSENTER
	RET
TEXT ·interrupt(SB), 4, $0-0
	INT $0x80
	RET
TEXT ·constant(SB), 4, $0-8
	MOVQ $0x050f340f80cd, AX
	MOVQ AX, ret+0(FP)
	RET
`

// programARM64 makes system calls in every way.
const programARM64 = `
TEXT ·kernelCall(SB), 4, $0-0
	SVC
	RET
TEXT ·oldCall(SB), 4, $0-0
	HVC $0
	RET
TEXT ·interrupt(SB), 4, $0-0
	SMC $0
	RET
TEXT ·constant(SB), 4, $0-8
	MOVD $0xd4000001d4000002, R0
	MOVD R0, ret+0(FP)
	RET
`

// link builds the above.
func link(t *testing.T, arch, asm string) []byte {
	t.Helper()
	dir := t.TempDir()
	tc, err := toolchain.Find(t.Context(), ".", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for name, text := range map[string]string{
		"go.mod":      "module example.com/bad\n\ngo 1.26\n",
		"main.go":     program,
		"main_x.s":    asm,
		"src/bad.go":  kernelCode,
		"src/ring.go": user,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	replace[filepath.Join(tc.Root, "src/internal/runtime/s9/bad/bad.go")] = filepath.Join(dir, "src/bad.go")
	replace[filepath.Join(tc.Root, "src/container/ring/use.go")] = filepath.Join(dir, "src/ring.go")
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := tc.Command(t.Context(), dir, arch, "build", "-buildvcs=false", "-overlay=overlay.json", "-o", "prog", ".")
	cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	exe, err := os.ReadFile(filepath.Join(dir, "prog"))
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// TestCheck links a program for Linux that breaks every rule.
func TestCheck(t *testing.T) {
	check(t, link(t, "amd64", programAsm), []rule{
		{"main.oldCall.abi0", "makes a system call itself (SYSENTER)"},
		{"main.interrupt.abi0", "makes a system call itself (INT 0x80)"},
		{"internal/runtime/syscall/linux.Syscall6", "makes a system call itself (SYSCALL)"},
	})
}

// TestCheckARM64 does so for arm64.
func TestCheckARM64(t *testing.T) {
	check(t, link(t, "arm64", programARM64), []rule{
		{"main.oldCall.abi0", "calls the firmware (HVC or SMC)"},
		{"main.interrupt.abi0", "calls the firmware (HVC or SMC)"},
		{"internal/runtime/syscall/linux.Syscall6.abi0", "makes a system call itself (SVC)"},
	})
}

// rule is what a function must be found to do.
type rule struct{ fn, what string }

// check compares what is found in exe with what must be: the given rules, and those that
// all architectures have.
func check(t *testing.T, exe []byte, rules []rule) {
	t.Helper()
	r, err := Check(exe)
	if err != nil {
		t.Fatal(err)
	}
	const bad = "internal/runtime/s9/bad."
	for _, want := range append(rules, []rule{
		{bad + "Alloc", "calls runtime."}, // newobject, or mallocgc of a size class
		{bad + "Barrier", "calls runtime.gcWriteBarrier"},
		{bad + "Grow", "calls runtime.growslice"},
		{bad + "Box", "calls runtime.convT64"},
		{bad + "Assign", "calls runtime.mapassign"},
		{bad + "Send", "calls runtime.chansend1"},
		{bad + "Go", "calls runtime.newproc"},
	}...) {
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return f.Func == want.fn && strings.HasPrefix(f.What, want.what)
		}) {
			t.Errorf("%s %s: not found in %v", want.fn, want.what, r.Findings)
		}
	}
	for _, f := range r.Findings {
		if f.Func == "main.kernelCall.abi0" || f.Func == bad+"Fine" || strings.HasPrefix(f.Func, "main.constant") {
			t.Errorf("wrongly found: %v", f)
		}
	}
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), "more") {
		t.Errorf("error %v", err)
	}
}

func TestCheckNoProgram(t *testing.T) {
	if _, err := Check([]byte("nothing")); err == nil {
		t.Error("no error")
	}
}

// TestLookUnknown has code that cannot be decoded: the rest of the function is not checked, and the
// report says so.
func TestLookUnknown(t *testing.T) {
	fn := function{"f", 0x1000, []byte{0x90, 0x06, 0x0f, 0x05}} // NOP; no instruction in 64-bit mode; SYSCALL
	if found, whole := look(fn, []function{fn}, false); whole || len(found) != 0 {
		t.Errorf("whole %v, found %v", whole, found)
	}
}

// TestAllowed: boot code may have write barriers, and nothing else; no other code may call it.
func TestAllowed(t *testing.T) {
	const boot = "internal/runtime/s9/kernel.boot"
	if !allowed(boot, "runtime.gcWriteBarrier2") || allowed(boot, "runtime.newobject") || allowed(boot+"X", "runtime.gcWriteBarrier2") {
		t.Error("the rules are wrong")
	}
	const other = "internal/runtime/s9/kernel.Syscall"
	for _, c := range []struct{ name, callee, want string }{
		{boot, "internal/runtime/s9/kernel.initMemory", ""},
		{"internal/runtime.Boot.abi0", "internal/runtime.bootKernel", ""},
		{other, other, ""},
		{other, "internal/runtime.Boot.abi0", "calls internal/runtime.Boot.abi0, which is for boot alone"},
		{other, "runtime.gcWriteBarrier2", "calls runtime.gcWriteBarrier2"},
		{other, "runtime.checkptrAlignment", "calls runtime.checkptrAlignment"},
	} {
		if got := judge(c.name, c.callee); got != c.want {
			t.Errorf("%s calls %s: %q, want %q", c.name, c.callee, got, c.want)
		}
	}
}

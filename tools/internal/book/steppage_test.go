//go:build full

package book

import (
	"context"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// TestStep uses the page as a reader does: the scheduler in it runs the usual order, goes on with another M where it is told to, and refuses an order that does not fit.
func TestStep(t *testing.T) {
	file := filepath.Join(t.TempDir(), "step.html")
	if err := Step(root, file); err != nil {
		t.Fatal(err)
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("the page is tested in a real browser, and there is none: apt-get install chromium")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	var mu sync.Mutex
	var wrong []string
	err = chromedp.Listen(ctx, func(ev any) {
		mu.Lock()
		defer mu.Unlock()
		if e, ok := ev.(*runtime.EventExceptionThrown); ok {
			what := e.ExceptionDetails.Text
			if o := e.ExceptionDetails.Exception; o != nil {
				what += " " + o.Description
			}
			wrong = append(wrong, what)
		}
	})
	if err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	do := func(a chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(ctx, a); err != nil {
			t.Fatal(err)
		}
	}
	eval := func(expr string) string {
		t.Helper()
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+expr+")"))
		if err != nil {
			t.Fatalf("%s: %v; %q", expr, err, wrong)
		}
		return text
	}
	do(chromedp.EmulateViewport(1250, 900))
	do(chromedp.Navigate("file://" + file + "#ring/-"))
	const wait = "new Promise(r => { const end = Date.now() + 120000, look = () => window.stepperReady ? r(true) : Date.now() > end ? r(false) : setTimeout(look, 50); look(); })"
	if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](wait, chromedp.EvalAwaitPromise)); err != nil || !ok {
		t.Fatalf("the page does not become ready: %v, %q", err, wrong)
	}
	want := func(expr, is string) {
		t.Helper()
		if got := eval(expr); got != is {
			t.Errorf("%s is %q, not %q", expr, got, is)
		}
	}
	want("byId('schedule').value", "ring/-")
	want("byId('bad').textContent", "")
	want("stepper.trail.Rows.length > 100 && document.querySelectorAll('#rows tbody tr').length === stepper.trail.Rows.length", "true")
	want("document.querySelectorAll('#state .box').length", "5") // two Ps, the global queue, Ms, goroutines
	// Where half the ring goes to the global queue, it is drawn there, and said.
	eval("(show(stepper.trail.Rows.findIndex((r) => r.Text.includes('Overflow'))), 0)")
	want("/The ring of P0 was full: half of it, 2 Gs, and G\\d go to the global queue/.test(byId('say').textContent)", "true")
	want("/R6: /.test(byId('say').textContent)", "true")
	want("document.querySelectorAll('#state .box')[2].querySelectorAll('.slot').length", "3")
	// Another M goes on where the reader says so.
	eval("(show(0), [...Array(50)].forEach(() => byId('choice').querySelector('button') || byId('forth').click()), 0)")
	at := eval("stepper.at")
	eval("(byId('choice').querySelector('button').click(), 0)")
	want("/^ring\\/\\d+>1$/.test(byId('schedule').value)", "true")
	want("stepper.at", eval(at+" + 1"))
	want("stepper.trail.Rows[stepper.at].M", "1")
	want("decodeURIComponent(location.hash)", "#"+eval("byId('schedule').value"))
	// An order that does not fit is said to be none.
	eval("(run('ring/1>9'), 0)")
	want("byId('bad').textContent.includes('does not fit the run')", "true")
	eval("(byId('search').click(), 0)")
	want("byId('found').textContent", "200 orders tried: no rule is broken")
	mu.Lock()
	defer mu.Unlock()
	if len(wrong) > 0 {
		t.Errorf("the page complains: %q", wrong)
	}
}

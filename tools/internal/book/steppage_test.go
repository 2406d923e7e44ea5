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

// tab is a tab of a real browser.
type tab struct {
	*testing.T
	ctx context.Context

	mu    sync.Mutex
	wrong []string // what the page complained of
}

// newTab starts a browser.
func newTab(t *testing.T) *tab {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("the page is tested in a real browser, and there is none: apt-get install chromium")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{T: t, ctx: ctx}
	err = chromedp.Listen(ctx, func(ev any) {
		if e, ok := ev.(*runtime.EventExceptionThrown); ok {
			b.mu.Lock()
			defer b.mu.Unlock()
			what := e.ExceptionDetails.Text
			if o := e.ExceptionDetails.Exception; o != nil {
				what += " " + o.Description
			}
			b.wrong = append(b.wrong, what)
		}
	})
	if err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	return b
}

// quiet fails if the page has complained.
func (b *tab) quiet() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.wrong) > 0 {
		b.Errorf("the page complains: %q", b.wrong)
	}
}

// open opens a page with a schedule, and waits until it is shown.
func (b *tab) open(file, schedule string) {
	b.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Navigate("file://"+file+"#"+schedule)); err != nil {
		b.Fatal(err)
	}
	const wait = "new Promise(r => { const end = Date.now() + 120000, look = () => window.stepperReady ? r(true) : Date.now() > end ? r(false) : setTimeout(look, 50); look(); })"
	if ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](wait, chromedp.EvalAwaitPromise)); err != nil || !ok {
		b.quiet()
		b.Fatalf("the page does not become ready: %v", err)
	}
}

// eval is an expression's value as text.
func (b *tab) eval(expr string) string {
	b.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expr+")"))
	if err != nil {
		b.quiet()
		b.Fatalf("%s: %v", expr, err)
	}
	return text
}

// want fails if an expression has another value.
func (b *tab) want(expr, is string) {
	b.Helper()
	if got := b.eval(expr); got != is {
		b.Errorf("%s is %q, not %q", expr, got, is)
	}
}

// TestStep uses the page as a reader does: the scheduler in it runs the usual order, goes on with another M where it is told to, and refuses an order
// that does not fit.
func TestStep(t *testing.T) {
	file := filepath.Join(t.TempDir(), "step.html")
	if err := Step(root, file); err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.open(file, "ring/-")
	b.want("byId('schedule').value", "ring/-")
	b.want("byId('bad').textContent", "")
	b.want("stepper.at", "0")
	b.want("byId('about').textContent.startsWith('ring: the ring fills, overflows, and is stolen from. Rules: R1 ')", "true")
	b.want("stepper.trail.Rows.length > 100 && document.querySelectorAll('#rows tbody tr').length === stepper.trail.Rows.length", "true")
	b.want("document.querySelectorAll('#state .box').length", "5") // two Ps, the global queue, Ms, goroutines
	// Where half the ring goes to the global queue, it is drawn there, and said.
	b.eval("(show(stepper.trail.Rows.findIndex((r) => r.Text.includes('Overflow'))), 0)")
	b.want("/The ring of P0 was full: half of it, 2 Gs, and G\\d go to the global queue/.test(byId('say').textContent)", "true")
	b.want("/R6: /.test(byId('say').textContent)", "true")
	b.want("document.querySelectorAll('#state .box')[2].querySelectorAll('.slot').length", "3")
	// Of a word each rule is said that its comment names.
	b.eval("(show(stepper.trail.Rows.findIndex((r) => r.Text.startsWith('ps[0].tail Load'))), 0)")
	b.want("/R2: .*R3: /s.test(byId('say').textContent)", "true")
	// Another M goes on where the reader says so.
	b.eval("(show(0), [...Array(50)].forEach(() => byId('choice').querySelector('button') || byId('forth').click()), 0)")
	at := b.eval("stepper.at")
	b.eval("(byId('choice').querySelector('button').click(), 0)")
	b.want("/^ring\\/\\d+>1$/.test(byId('schedule').value)", "true")
	b.want("stepper.at", b.eval(at+" + 1"))
	b.want("stepper.trail.Rows[stepper.at].M", "1")
	b.want("decodeURIComponent(location.hash)", "#"+b.eval("byId('schedule').value"))
	// An order that does not fit is said to be none.
	b.eval("(run('ring/1>9'), 0)")
	b.want("byId('bad').textContent.includes('does not fit the run')", "true")
	b.eval("(byId('search').click(), 0)")
	b.want("byId('found').textContent", "200 orders tried: no rule is broken")
	b.quiet()
}

// TestStepLost: in a scheduler without its second look the explorer finds a lost wake-up, and the page shows it: a G is ready, and an M sleeps.
func TestStepLost(t *testing.T) {
	s := stepper{root: root}
	if err := s.breaks("Sched.findLast", "if s.checkRunqsNoP(m, worker) {", "if false && s.checkRunqsNoP(m, worker) {"); err != nil {
		t.Fatal(err)
	}
	schedule, err := s.counterexample("submit")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "step.html")
	if err := s.write(file); err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.open(file, schedule)
	b.want("byId('schedule').value", schedule)
	b.want("byId('bad').firstChild.textContent", "Broken: a G waits while a P is idle and an M is free")
	// It opens where it breaks, with what went wrong in sight: of the two only the list of steps is scrolled.
	b.want("stepper.at === stepper.trail.Rows.length - 1 && byId('rows').scrollTop > 0", "true")
	b.want("scrollY", "0")
	b.want("byId('state').textContent.includes('idle')", "true")
	b.want("/G\\d ready/.test(byId('state').textContent)", "true")
	b.quiet()
	t.Log(schedule, b.eval("byId('bad').firstChild.textContent"))
}

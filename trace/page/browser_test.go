package page

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"sched9/trace"
)

// browser is a tab of a real browser, and what it complained of.
type browser struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	wrong    []string // errors of the console, exceptions
	requests []string // what was fetched, beside the page
}

// newBrowser starts a browser that has a window of the given size.
func newBrowser(t *testing.T, width, height int64) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("the page is tested in a real browser, and there is none: apt-get install chromium")
	}
	// As root, as in a container, Chromium refuses to start with its sandbox.
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{T: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.event); err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	b.do(chromedp.EmulateViewport(width, height))
	return b
}

// event notes what a page should not do.
func (b *browser) event(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		d := e.ExceptionDetails
		if d.Exception != nil {
			b.wrong = append(b.wrong, d.Text+" "+d.Exception.Description)
		} else {
			b.wrong = append(b.wrong, d.Text)
		}
	case *runtime.EventConsoleAPICalled:
		var args []string
		for _, a := range e.Args {
			args = append(args, string(a.Value)+a.Description)
		}
		b.wrong = append(b.wrong, fmt.Sprintf("console.%s %s", e.Type, strings.Join(args, " ")))
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "about:") {
			b.requests = append(b.requests, u)
		}
	}
}

// quiet fails the test if the page complained, or fetched anything but itself.
func (b *browser) quiet() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.wrong {
		b.Errorf("the page says: %s", w)
	}
	if len(b.requests) != 1 || !strings.HasPrefix(b.requests[0], "file://") {
		b.Errorf("the page fetched %q, and not itself alone", b.requests)
	}
	b.wrong = nil
}

// do does something in the tab.
func (b *browser) do(a chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, a); err != nil {
		b.Fatal(err)
	}
}

// open writes v with marks as a page to a file, opens it, and waits until it is shown.
func (b *browser) open(v *trace.View, marks ...Mark) {
	b.Helper()
	name := filepath.Join(b.TempDir(), "page.html")
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	if err := Write(f, v, marks...); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	b.mu.Lock()
	b.requests = nil
	b.mu.Unlock()
	b.do(chromedp.Navigate("file://" + name))
	if !b.until("window.sched9 && sched9.ready") {
		b.quiet()
		b.Fatal("the page does not become ready")
	}
}

// until waits until an expression is true, two minutes at most. It is evaluated in
// the page that is there now: chromedp.Poll names the page by a number that it has
// heard of, which may still be that of the page before.
func (b *browser) until(expr string) bool {
	b.Helper()
	const wait = "new Promise(r => { const end = Date.now() + 120000, look = () => (%s) ? r(true) : Date.now() > end ? r(false) : setTimeout(look, 10); look(); })"
	ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](fmt.Sprintf(wait, expr), chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expr, err)
	}
	return ok
}

// js evaluates an expression after the page has drawn what was asked of it.
func js[T any](b *browser, expr string) T {
	b.Helper()
	const drawn = "new Promise(r => requestAnimationFrame(() => setTimeout(r)))"
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](fmt.Sprintf("%s.then(() => (%s))", drawn, expr), chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expr, err)
	}
	return v
}

// text is what an element shows.
func (b *browser) text(id string) string {
	b.Helper()
	return js[string](b, fmt.Sprintf("document.getElementById(%q).innerText", id))
}

// click clicks an element that is found by a selector.
func (b *browser) click(selector string) {
	b.Helper()
	p := js[[]float64](b, fmt.Sprintf("(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector(%q).getBoundingClientRect())", selector))
	b.do(chromedp.MouseClickXY(p[0], p[1]))
}

// mouse sends a mouse event.
func (b *browser) mouse(kind input.DispatchMouseEventType, x, y float64, opts ...chromedp.MouseOption) {
	b.Helper()
	b.do(chromedp.MouseEvent(kind, x, y, opts...))
}

// drag presses the button at one point and lets it go at another.
func (b *browser) drag(x0, y0, x1, y1 float64, opts ...chromedp.MouseOption) {
	b.Helper()
	opts = append(opts, func(p *input.DispatchMouseEventParams) {
		p.Button, p.Buttons, p.ClickCount = input.MouseButtonLeft, 1, 1
	})
	b.mouse(chromedp.MousePressed, x0, y0, opts...)
	for k := 1; k <= 4; k++ {
		f := float64(k) / 4
		b.mouse(chromedp.MouseMoved, x0+(x1-x0)*f, y0+(y1-y0)*f, opts...)
	}
	b.mouse(chromedp.MouseReleased, x1, y1, opts...)
}

// press presses a key as a person does: what comes of it is the page's decision.
func (b *browser) press(key string) {
	b.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		p := input.DispatchKeyEventParams{Type: kind, Key: key}
		if kind == input.DispatchKeyEventTypeKeyDown {
			p.Text = key
		}
		if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, p); err != nil {
			b.Fatal(err)
		}
	}
}

// keys types.
func (b *browser) keys(s string) {
	b.Helper()
	b.do(chromedp.KeyEvent(s))
}

// scheme makes the system's colours light or dark.
func (b *browser) scheme(name string) {
	b.Helper()
	p := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, p); err != nil {
		b.Fatal(err)
	}
}

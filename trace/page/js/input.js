// Input: mouse and keys on the timeline.

class Input {
  // page is the Page.
  constructor(page) {
    this.page = page;
    this.view = page.view;
    this.drag = null;
    const el = page.over;
    el.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    el.addEventListener("pointerdown", (e) => this.down(e));
    el.addEventListener("pointermove", (e) => this.move(e));
    el.addEventListener("pointerup", (e) => this.up(e));
    el.addEventListener("pointercancel", () => (this.drag = null));
    el.addEventListener("pointerleave", () => page.hover(null));
    el.addEventListener("dblclick", () => page.zoomToChosen());
    document.addEventListener("keydown", (e) => this.key(e));
  }

  // wheel zooms around the pointer; sideways, or with shift, it moves, and with
  // alt it scrolls the rows.
  wheel(e) {
    e.preventDefault();
    const lines = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 300 : 1;
    const dx = (e.deltaX || (e.shiftKey ? e.deltaY : 0)) * lines;
    const dy = e.shiftKey ? 0 : e.deltaY * lines;
    if (e.altKey) this.page.scroll(dy);
    else if (Math.abs(dx) > Math.abs(dy)) this.view.pan(dx / this.view.width);
    else if (dy) this.view.by(1.0018 ** Math.max(-400, Math.min(400, dy)), this.view.t(e.offsetX - gutter));
  }

  // down begins to pan, or with shift to mark a range.
  down(e) {
    if (e.button !== 0) return;
    this.page.over.setPointerCapture(e.pointerId);
    this.drag = { x: e.offsetX, y: e.offsetY, from: this.view.from, scroll: this.view.scroll, moved: false, mark: e.shiftKey };
    document.activeElement?.blur();
  }

  // move pans or marks, or shows what is under the pointer.
  move(e) {
    const d = this.drag;
    if (!d) {
      this.page.hover({ x: e.offsetX, y: e.offsetY });
      return;
    }
    if (!d.moved && Math.hypot(e.offsetX - d.x, e.offsetY - d.y) < 4) return;
    d.moved = true;
    const view = this.view;
    if (d.mark) {
      const [a, b] = [view.t(d.x - gutter), view.t(e.offsetX - gutter)];
      this.page.mark([Math.max(0, Math.min(a, b)), Math.min(view.trace.length, Math.max(a, b))]);
      return;
    }
    this.page.hover(null);
    view.scroll = d.scroll;
    this.page.scroll(d.y - e.offsetY);
    const size = view.to - view.from;
    const from = d.from - (e.offsetX - d.x) * (size / view.width);
    view.zoom(from, from + size);
  }

  // up ends a drag; what did not move is a click.
  up(e) {
    const d = this.drag;
    this.drag = null;
    if (!d) return;
    if (!d.moved) this.page.click(e.offsetX, e.offsetY);
    else if (d.mark) this.page.marked();
  }

  // key does what the keys do. The help lists them.
  key(e) {
    const page = this.page;
    if (e.ctrlKey || e.metaKey || e.altKey || byId("help").open) return; // Escape closes the help by itself
    if (e.target.tagName === "INPUT" && e.target.type !== "checkbox") {
      if (e.key === "Escape") {
        page.clearSearch();
        e.target.blur();
      }
      return;
    }
    const keys = {
      ArrowLeft: () => this.view.pan(-0.15), ArrowRight: () => this.view.pan(0.15),
      ArrowUp: () => page.scroll(-40), ArrowDown: () => page.scroll(40),
      "+": () => this.view.by(0.6), "=": () => this.view.by(0.6), "-": () => this.view.by(1 / 0.6),
      0: () => this.view.all(), "/": () => page.focusSearch(), "?": () => page.help(), Escape: () => page.escape(),
      Enter: () => page.zoomToChosen(), n: () => page.next(1), p: () => page.next(-1), s: () => page.face(),
    };
    const act = keys[e.key];
    if (!act || (e.target.tagName === "BUTTON" && e.key === "Enter")) return;
    e.preventDefault();
    act();
  }
}

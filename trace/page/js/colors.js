// Colours: of the theme, from the style sheet, and of goroutines, from their
// numbers, so that a goroutine has the same colour in every picture of it.

class Colors {
  constructor(trace) {
    this.trace = trace;
    this.read();
  }

  // read takes the theme's colours from the style sheet, as they are now.
  read() {
    const style = getComputedStyle(document.documentElement);
    this.theme = {};
    for (const name of ["ground", "lane", "line", "ink", "soft", "accent", "spin", "halt", "sched", "call", "stw", "mark", "queue", "shade", "edge", "ready", ...waitKinds.map((k) => "wait-" + k.name)]) {
      this.theme[name] = style.getPropertyValue("--" + name).trim();
    }
    this.dark = style.getPropertyValue("--dark").trim() === "1";
    this.font = style.getPropertyValue("--font").trim();
    this.full = [];
    this.dim = [];
    this.patterns = null;
  }

  // make is a goroutine's colour. Turning the hue by the golden angle keeps
  // neighbours apart; the runtime's own goroutines are nearly grey.
  make(g, dim) {
    const id = this.trace.gs.id[g];
    const system = this.trace.gs.system[g];
    const hue = (id * 137.508 + 110) % 360;
    const light = (this.dark ? [0.68, 0.75, 0.61] : [0.76, 0.83, 0.7])[id % 3];
    const chroma = system ? 0.025 : 0.125;
    return dim ? `oklch(${this.dark ? 0.4 : 0.89} ${chroma / 2.6} ${hue})` : `oklch(${light} ${chroma} ${hue})`;
  }

  // of is a goroutine's colour, or the dimmed one when another is looked at.
  of(g, dim = false) {
    const list = dim ? this.dim : this.full;
    return (list[g] ??= g < 0 ? this.theme.sched : this.make(g, dim));
  }

  // state is the fill for what an M does: muted, and told apart by pattern too.
  state(ctx, doing) {
    this.patterns ??= this.makePatterns(ctx);
    return this.patterns[doing];
  }

  // makePatterns draws the fills of states by their numbers: scheduling,
  // running, spinning, halted, in a call.
  makePatterns(ctx) {
    const tile = (size, draw) => {
      const c = document.createElement("canvas");
      c.width = c.height = size;
      const x = c.getContext("2d");
      draw(x, size);
      return ctx.createPattern(c, "repeat");
    };
    const t = this.theme;
    const spin = tile(8, (x, n) => {
      x.fillStyle = t.lane;
      x.fillRect(0, 0, n, n);
      x.strokeStyle = t.spin;
      x.lineWidth = 2.5;
      for (const d of [-n, 0, n]) {
        x.beginPath();
        x.moveTo(d - 1, n + 1);
        x.lineTo(d + n + 1, -1);
        x.stroke();
      }
    });
    const halt = tile(6, (x, n) => {
      x.fillStyle = t.lane;
      x.fillRect(0, 0, n, n);
      x.fillStyle = t.halt;
      x.fillRect(2, 2, 1.5, 1.5);
    });
    const call = tile(6, (x, n) => {
      x.fillStyle = t.lane;
      x.fillRect(0, 0, n, n);
      x.fillStyle = t.call;
      x.fillRect(0, 0, n, 2.5);
    });
    return [t.sched, t.sched, spin, halt, call];
  }
}

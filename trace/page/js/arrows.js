// Arrows: from where a goroutine was made ready to where it then ran.

class Arrows {
  constructor(trace, view, colors) {
    this.trace = trace;
    this.view = view;
    this.colors = colors;
    this.shown = []; // what was drawn, for the pointer
  }

  // pick returns the wake-ups to draw: all of those in view if they are few, or
  // those of the goroutine that is looked at.
  pick() {
    const { trace, view } = this;
    const w = trace.wakes;
    const few = view.width / 24;
    const from = after(null, w.at, view.from);
    const to = after(null, w.at, view.to);
    const list = [];
    if (to - from <= few) {
      for (let i = from; i < to; i++) list.push(i);
      // And those that were made ready before, and run in view.
      for (const lane of trace.ms) {
        const a = after(lane.runs, trace.runs.start, view.from);
        const b = after(lane.runs, trace.runs.start, view.to);
        if (b - a > few) continue;
        for (let k = a; k < b; k++) {
          const i = trace.runs.wake[lane.runs[k]];
          if (i >= 0 && w.at[i] <= view.from) list.push(i);
        }
      }
      return list;
    }
    if (view.g < 0) return list;
    for (const mine of [trace.wakesOf.of(view.g), trace.wakesBy.of(view.g + 1)]) {
      const a = after(mine, w.at, view.from);
      const b = after(mine, w.at, view.to);
      if (b - a > few) continue;
      for (let k = a; k < b; k++) list.push(mine[k]);
    }
    return list;
  }

  // draw draws them over the rows.
  draw(ctx, rows, drawn) {
    const { trace, view, colors } = this;
    const r = trace.runs;
    this.shown = [];
    if (!view.show.arrows) return;
    const rowAt = (m, p, g) => rowOf(rows, "m", m) ?? rowOf(rows, "p", p) ?? rowOf(rows, "g", g);
    for (const i of this.pick()) {
      const run = trace.wakes.run[i];
      if (run < 0) continue;
      const by = trace.runAt(trace.ms[trace.wakes.m[i]], trace.wakes.at[i]);
      const a = rowAt(trace.wakes.m[i], by < 0 ? -1 : r.p[by], trace.wakes.by[i]);
      const b = rowAt(r.m[run], r.p[run], r.g[run]);
      if (!a || !b) continue;
      // From edge to edge, so that the names in the rows stay readable.
      const y0 = a.y < b.y ? a.y + a.h - 3 : a.y + 3;
      const y1 = a.y < b.y ? b.y + 3 : a === b ? y0 : b.y + b.h - 3;
      const x0 = view.x(trace.wakes.at[i]);
      const x1 = view.x(r.start[run]);
      if (x1 - x0 < 2 && a === b) continue;
      const c = view.chosen;
      const mine = (c?.kind === "wake" && c.id === i) || (c?.kind === "run" && c.id === run);
      const curve = this.curve(x0, y0, x1, y1, a === b);
      this.one(ctx, curve, mine || view.g < 0 || this.of(i), mine);
      this.shown.push({ id: i, curve });
      drawn.arrows++;
    }
    ctx.globalAlpha = 1;
  }

  // of reports whether the goroutine that is looked at wakes or is woken.
  of(i) {
    return this.trace.wakes.g[i] === this.view.g || this.trace.wakes.by[i] === this.view.g;
  }

  // curve is the way of an arrow, as a Bézier's eight numbers: level where it
  // ends, and over the row if it stays on one.
  curve(x0, y0, x1, y1, same) {
    const pull = Math.min(90, Math.max(10, (x1 - x0) * 0.45));
    if (same) return [x0, y0, x0 + pull * 0.4, y0 - 16, x1 - pull * 0.4, y0 - 16, x1, y1];
    return [x0, y0, x0 + pull, y0, x1 - pull, y1, x1, y1];
  }

  // one draws an arrow.
  one(ctx, c, lit, mine) {
    const t = this.colors.theme;
    ctx.fillStyle = mine ? t.accent : t.ink;
    const path = () => {
      ctx.beginPath();
      ctx.moveTo(c[0], c[1]);
      ctx.bezierCurveTo(c[2], c[3], c[4], c[5], c[6], c[7]);
    };
    if (mine) {
      // A rim in the ground's colour, so that it is seen over any run.
      ctx.strokeStyle = t.ground;
      ctx.lineWidth = 5;
      path();
      ctx.stroke();
    }
    ctx.globalAlpha = mine ? 1 : lit ? 0.62 : 0.15;
    ctx.strokeStyle = ctx.fillStyle;
    ctx.lineWidth = mine ? 2.4 : 1.1;
    path();
    ctx.stroke();
    ctx.beginPath();
    ctx.arc(c[0], c[1], mine ? 3.4 : 2, 0, 7);
    ctx.fill();
    const turn = Math.atan2(c[7] - c[5], c[6] - c[4]);
    const size = mine ? 10 : 7;
    ctx.beginPath();
    ctx.moveTo(c[6], c[7]);
    for (const d of [2.7, -2.7]) ctx.lineTo(c[6] + size * Math.cos(turn + d), c[7] + size * Math.sin(turn + d));
    ctx.fill();
  }

  // at returns the wake-up whose arrow is near a point, -1 if there is none.
  at(x, y) {
    let best = -1;
    let near = 5;
    for (const { id, curve: c } of this.shown) {
      for (let k = 0; k <= 24; k++) {
        const s = k / 24;
        const u = 1 - s;
        const along = (a) => u * u * u * c[a] + 3 * u * u * s * c[a + 2] + 3 * u * s * s * c[a + 4] + s * s * s * c[a + 6];
        const d = Math.hypot(along(0) - x, along(1) - y);
        if (d < near) [best, near] = [id, d];
      }
    }
    return best;
  }
}

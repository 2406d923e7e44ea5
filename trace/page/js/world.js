// The world: its stops and the collector's phases, as a row of their own and as
// bands over all lanes.

class World {
  constructor(trace, view, colors) {
    this.trace = trace;
    this.view = view;
    this.colors = colors;
  }

  // each calls draw(kind, i, a, b) for what is in view, in pixels.
  each(draw) {
    const { trace, view } = this;
    for (const [kind, list] of [["phase", trace.phases], ["stop", trace.stops]]) {
      const to = after(null, list.start, view.to);
      for (let i = 0; i < to; i++) {
        if (list.end[i] >= view.from) draw(kind, i, Math.max(-4, view.x(list.start[i])), Math.min(view.width + 4, view.x(list.end[i])));
      }
    }
  }

  // bands draws over the lanes: the collector's marking as a tint, the stopped
  // world as a darker one.
  bands(ctx, top, bottom, drawn) {
    const t = this.colors.theme;
    this.each((kind, i, a, b) => {
      const held = kind === "stop" ? this.trace.stops.held[i] : -1;
      ctx.fillStyle = kind === "stop" ? t.stw : t.mark;
      ctx.globalAlpha = kind === "stop" ? 0.16 : 0.1;
      ctx.fillRect(a, top, Math.max(0.7, b - a), bottom - top);
      if (held >= 0) {
        const h = Math.max(a, this.view.x(held));
        ctx.globalAlpha = 0.22;
        ctx.fillRect(h, top, Math.max(0.7, b - h), bottom - top);
      }
      drawn.bands++;
    });
    ctx.globalAlpha = 1;
  }

  // row draws them on their row, with their names.
  row(ctx, row) {
    const t = this.colors.theme;
    ctx.fillStyle = t.lane;
    ctx.fillRect(0, row.y, this.view.width, row.h);
    this.each((kind, i, a, b) => {
      const stop = kind === "stop";
      const top = stop ? row.y : row.y + 3;
      ctx.fillStyle = stop ? t.stw : t.mark;
      ctx.globalAlpha = stop ? 0.9 : 0.55;
      ctx.fillRect(a, top, Math.max(1, b - a), row.y + row.h - top);
      ctx.globalAlpha = 1;
      const name = stop ? "stop: " + this.trace.string(this.trace.stops.reason[i]) : "GC " + this.trace.string(this.trace.phases.name[i]);
      ctx.fillStyle = "#14181c";
      if (ctx.measureText(name).width < b - Math.max(0, a) - 8) ctx.fillText(name, Math.max(0, a) + 4, row.y + row.h / 2 + 1);
    });
  }
}

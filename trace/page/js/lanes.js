// Lanes: which goroutines ran on every M and P, and what the Ms did besides.

class Lanes {
  constructor(trace, view, colors) {
    this.trace = trace;
    this.view = view;
    this.colors = colors;
    this.widths = new Map();
    this.mBins = trace.ms.map((lane) => runBins(trace, lane, lane.spans));
    this.pBins = trace.ps.map((lane) => runBins(trace, lane, null));
  }

  // draw draws a row of an M or a P, and counts in drawn.
  draw(ctx, row, drawn) {
    const { trace, view, colors } = this;
    const lane = row.kind === "m" ? trace.ms[row.id] : trace.ps[row.id];
    const bins = (row.kind === "m" ? this.mBins : this.pBins)[row.id];
    drawn.lanes++;
    ctx.fillStyle = colors.theme.lane;
    ctx.fillRect(0, row.y, view.width, row.h);
    const from = Math.max(0, after(lane.runs, trace.runs.start, view.from) - 1);
    const to = after(lane.runs, trace.runs.start, view.to);
    const spans = lane.spans ?? [];
    const spanFrom = Math.max(0, after(spans, trace.spans.start, view.from) - 1);
    const spanTo = after(spans, trace.spans.start, view.to);
    const most = view.width * 1.5;
    if (to - from > most || spanTo - spanFrom > most) {
      this.binned(ctx, row, bins, lane, drawn);
    } else {
      if (lane.spans) this.states(ctx, row, spans.subarray(spanFrom, spanTo), drawn);
      this.runs(ctx, row, lane.runs.subarray(from, to), drawn);
    }
    if (view.g >= 0) this.chosen(ctx, row, drawn);
  }

  // states draws what an M does between runs.
  states(ctx, row, spans, drawn) {
    const { trace, view, colors } = this;
    const s = trace.spans;
    for (const i of spans) {
      const a = Math.max(0, view.x(s.start[i]));
      const b = Math.min(view.width, view.x(s.end[i]));
      if (b < 0 || b - a < 0.4) continue;
      ctx.fillStyle = colors.state(ctx, s.doing[i]);
      const inset = s.doing[i] === 0 && row.h > 12 ? Math.round(row.h * 0.36) : 0;
      ctx.fillRect(a, row.y + inset, b - a, row.h - 2 * inset);
      drawn.states++;
    }
  }

  // runs draws runs one by one; of those that share a pixel the first.
  runs(ctx, row, list, drawn) {
    const { trace, view, colors } = this;
    const r = trace.runs;
    const dimmed = view.g >= 0;
    let taken = -1;
    for (const i of list) {
      const a = Math.max(-2, view.x(r.start[i]));
      const b = Math.min(view.width + 2, view.x(r.end[i]));
      if (b < 0) continue;
      if (b - a < 1) {
        if (Math.floor(a) === taken) continue;
        taken = Math.floor(a);
      }
      const dim = dimmed && r.g[i] !== view.g;
      ctx.fillStyle = colors.of(r.g[i], dim);
      ctx.fillRect(a, row.y, Math.max(1, b - a > 5 ? b - a - 0.8 : b - a), row.h);
      drawn.runs++;
      if (b - a > 22 && row.h >= 14) this.label(ctx, row, Math.max(0, a), b, r.g[i], dim, drawn);
    }
  }

  // label writes a goroutine's name into a..b, or its number, or nothing.
  label(ctx, row, a, b, g, dim, drawn) {
    const room = b - a - 8;
    const fits = [this.trace.name(g), this.trace.short(g)].find((s) => this.wide(ctx, s) <= room);
    if (!fits) return;
    ctx.fillStyle = dim ? this.colors.theme.soft : "#14181c";
    ctx.fillText(fits, a + 4, row.y + row.h / 2 + 0.5);
    drawn.labels++;
  }

  // wide is how wide a text is.
  wide(ctx, s) {
    let w = this.widths.get(s);
    if (w === undefined) {
      if (this.widths.size > 5000) this.widths.clear();
      w = ctx.measureText(s).width;
      this.widths.set(s, w);
    }
    return w;
  }

  // binned draws bins: the higher the colour, the more of the time a goroutine ran; above it, on an
  // M, scheduling, spinning and system calls, and in the rest it was halted.
  binned(ctx, row, bins, lane, drawn) {
    const { trace, view, colors } = this;
    const t = colors.theme;
    if (lane.spans?.length) {
      const a = Math.max(0, view.x(trace.spans.start[lane.spans[0]]));
      ctx.fillStyle = colors.state(ctx, 3);
      ctx.fillRect(a, row.y, view.width - a, row.h);
    }
    const dim = view.g >= 0;
    bins.each(view.from, view.to, view.perPixel, (tile, i, from, to) => {
      const a = Math.round(view.x(from));
      const w = Math.round(view.x(to)) - a;
      let y = row.y + row.h;
      const stack = (share, fill) => {
        if (share <= 0) return;
        const h = Math.min(y - row.y, Math.max(1, share * row.h));
        ctx.fillStyle = fill;
        ctx.fillRect(a, y - h, w, h);
        y -= h;
      };
      stack(tile.busy[i], tile.g[i] < 0 ? t.sched : colors.of(tile.g[i], dim));
      stack(tile.sched[i], t.sched);
      stack(tile.spin[i], t.spin);
      stack(tile.call[i], t.call);
      drawn.bins++;
    });
  }

  // mine sorts the runs of goroutine g by M and by P; those of the last one that
  // was asked for are kept.
  mine(g) {
    if (this.sorted?.g !== g) {
      const { m, p } = this.trace.runs;
      this.sorted = { g, m: [], p: [] };
      for (const run of this.trace.runsOf.of(g)) {
        (this.sorted.m[m[run]] ??= []).push(run);
        if (p[run] >= 0) (this.sorted.p[p[run]] ??= []).push(run);
      }
    }
    return this.sorted;
  }

  // chosen draws the runs of the goroutine that is looked at once more, so that
  // they are seen however short they are.
  chosen(ctx, row, drawn) {
    const { trace, view, colors } = this;
    const r = trace.runs;
    const list = this.mine(view.g)[row.kind][row.id] ?? [];
    ctx.fillStyle = colors.of(view.g);
    let taken = -1;
    for (let k = Math.max(0, after(list, r.start, view.from) - 1); k < list.length; k++) {
      const i = list[k];
      if (r.start[i] > view.to) break;
      const a = view.x(r.start[i]);
      const b = view.x(r.end[i]);
      if (b < 0 || b - a > 3) continue;
      if (Math.floor(a) === taken) continue;
      taken = Math.floor(a);
      ctx.fillRect(a, row.y - 1, Math.max(1.5, b - a), row.h + 2);
      drawn.chosen++;
    }
  }
}

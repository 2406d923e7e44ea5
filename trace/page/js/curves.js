// Curves: how long the queues are, as steps under the lanes.

class Curves {
  constructor(trace, view, colors) {
    this.trace = trace;
    this.view = view;
    this.colors = colors;
    this.bins = trace.queues.map((q) => queueBins(trace, q));
    this.globalBins = queueBins(trace, trace.global);
    this.measure();
  }

  // measure finds the lengths that fill the rows, for what is in view. Each queue
  // has a scale of its own: beside one of 200 Gs a shared scale would show one of
  // two as empty. The number left of the row says how high it is.
  measure() {
    const { trace } = this;
    const round = (n) => Math.max(2, step(n));
    this.most = trace.queues.map((q, i) => round(this.longest(q, this.bins[i])));
    this.globalMost = round(this.longest(trace.global, this.globalBins));
  }

  // longest is a queue's greatest length in view.
  longest(q, bins) {
    const { view } = this;
    const from = Math.max(0, after(null, q.at, view.from) - 1);
    const to = after(null, q.at, view.to);
    let most = 0;
    if (to - from > view.width * 1.5) {
      bins.each(view.from, view.to, view.perPixel, (tile, i) => (most = Math.max(most, tile.most[i])));
    } else {
      for (let i = from; i < to; i++) most = Math.max(most, q.len[i]);
    }
    return most;
  }

  // scale is the length that fills a row.
  scale(row) {
    return row.kind === "global" ? this.globalMost : this.most[row.id];
  }

  // draw draws the row of a queue.
  draw(ctx, row, drawn) {
    const { trace, view, colors } = this;
    const global = row.kind === "global";
    const q = global ? trace.global : trace.queues[row.id];
    const scale = this.scale(row);
    const y = (len) => row.y + row.h - (len / scale) * (row.h - 1.5);
    drawn.curves++;
    ctx.fillStyle = colors.theme.lane;
    ctx.globalAlpha = 0.55;
    ctx.fillRect(0, row.y, view.width, row.h);
    ctx.globalAlpha = 1;
    const from = Math.max(0, after(null, q.at, view.from) - 1);
    const to = after(null, q.at, view.to);
    if (to - from > view.width * 1.5) {
      this.binned(ctx, row, global ? this.globalBins : this.bins[row.id], y);
    } else {
      this.steps(ctx, row, q, from, to, y);
    }
  }

  // steps draws the curve change by change.
  steps(ctx, row, q, from, to, y) {
    const { view, colors } = this;
    const line = new Path2D();
    let last = y(from < q.at.length && q.at[from] <= view.from ? q.len[from] : 0);
    line.moveTo(0, last);
    for (let i = from; i < to; i++) {
      const x = Math.max(0, view.x(q.at[i]));
      line.lineTo(x, last);
      last = y(q.len[i]);
      line.lineTo(x, last);
    }
    line.lineTo(view.width, last);
    const area = new Path2D(line);
    area.lineTo(view.width, row.y + row.h);
    area.lineTo(0, row.y + row.h);
    ctx.fillStyle = colors.theme.queue;
    ctx.globalAlpha = 0.22;
    ctx.fill(area);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colors.theme.queue;
    ctx.lineWidth = 1.2;
    ctx.stroke(line);
  }

  // binned draws between the least and the most of each bin.
  binned(ctx, row, bins, y) {
    const { view, colors } = this;
    ctx.fillStyle = colors.theme.queue;
    bins.each(view.from, view.to, view.perPixel, (tile, i, from, to) => {
      const a = Math.round(view.x(from));
      const w = Math.round(view.x(to)) - a;
      const low = y(tile.least[i]);
      const high = y(tile.most[i]);
      ctx.globalAlpha = 0.22;
      ctx.fillRect(a, low, w, row.y + row.h - low);
      ctx.globalAlpha = 0.75;
      ctx.fillRect(a, high, w, Math.max(tile.most[i] ? 1 : 0.4, low - high));
    });
    ctx.globalAlpha = 1;
  }
}

// What is under a point of the picture: a thing that can be chosen, as
// {kind, id}, or null. With at, a time, where there is no thing of its own.

class Hit {
  constructor(trace, view, arrows, marks) {
    this.trace = trace;
    this.view = view;
    this.arrows = arrows;
    this.marks = marks;
  }

  // row is the row at a height.
  row(rows, y) {
    return rows.find((r) => y >= r.y - 1 && y <= r.y + r.h + 1);
  }

  // at returns the thing at a point of the lanes.
  at(rows, x, y) {
    const mark = this.marks.at(x, y);
    if (mark >= 0) return { kind: "mark", id: mark };
    const wake = this.arrows.at(x, y);
    if (wake >= 0) return { kind: "wake", id: wake };
    const row = this.row(rows, y);
    if (!row || x < 0 || x > this.view.width) return null;
    const t = this.view.t(x);
    switch (row.kind) {
      case "m":
        return this.run(this.trace.ms[row.id], t) ?? this.span(row.id, t);
      case "p":
        return this.run(this.trace.ps[row.id], t) ?? { kind: "free", id: row.id, at: t };
      case "queue":
        return { kind: "queue", id: row.id, at: t };
      case "global":
        return { kind: "queue", id: -1, at: t };
      case "world":
        return this.world(t);
      case "g":
        return this.run({ runs: this.trace.runsOf.of(row.id) }, t) ?? { kind: "state", id: row.id, at: t };
    }
    return null;
  }

  // run is the run at time t, or one that is nearer than two pixels.
  run(lane, t) {
    const r = this.trace.runs;
    const reach = 2 * this.view.perPixel;
    const i = after(lane.runs, r.start, t) - 1;
    let best = null;
    let near = reach;
    for (const k of [i, i + 1]) {
      const run = lane.runs[k];
      if (run === undefined) continue;
      const d = Math.max(r.start[run] - t, t - r.end[run], 0);
      if (d === 0) return { kind: "run", id: run };
      // A neighbour counts only if it is too small to be pointed at.
      if (d < near && r.end[run] - r.start[run] < reach) [best, near] = [{ kind: "run", id: run }, d];
    }
    return best;
  }

  // span is what an M does at time t.
  span(m, t) {
    const i = this.trace.spanAt(m, t);
    return i < 0 ? null : { kind: "span", id: i };
  }

  // world is the stop of the world at time t, or the phase of the collector.
  world(t) {
    const reach = 2 * this.view.perPixel;
    for (const [kind, list] of [["stop", this.trace.stops], ["phase", this.trace.phases]]) {
      const i = after(null, list.start, t + reach) - 1;
      if (i >= 0 && list.end[i] >= t - reach) return { kind, id: i };
    }
    return null;
  }
}

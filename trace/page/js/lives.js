// Lives: what every goroutine did from its creation to its end: it ran, was ready, waited, or was
// in a system call whose P had been taken. That follows from its runs and its wake-ups.

const lifeNames = ["running", "ready", "waiting", "in a call"];
const [lifeRunning, lifeReady, lifeWaiting, lifeCalling] = [0, 1, 2, 3];

// waitKinds are the kinds of reasons to wait, each with a colour (colors.js) and
// with what the runtime's words for its reasons look like. The last has the rest.
const waitKinds = [
  { name: "lock", text: "locks, conditions, wait groups", like: /^sync\.|semacquire/ },
  { name: "chan", text: "channels, select", like: /^chan |^select/ },
  { name: "time", text: "sleep", like: /sleep|timer/i },
  { name: "io", text: "a device", like: /^IO |device/ },
  { name: "other", text: "anything else, as the collector's own goroutines do", like: /^/ },
];

class Lives {
  constructor(trace) {
    this.trace = trace;
    this.kinds = new Map();
  }

  // kind is the index in waitKinds of a reason's number.
  kind(reason) {
    let k = this.kinds.get(reason);
    if (k === undefined) {
      const text = this.trace.string(reason);
      k = waitKinds.findIndex((w) => w.like.test(text));
      this.kinds.set(reason, k);
    }
    return k;
  }

  // from and to are goroutine g's life.
  from(g) {
    return this.trace.gs.made[g];
  }
  to(g) {
    const ended = this.trace.gs.ended[g];
    return ended < 0 ? this.trace.length : ended;
  }

  // among are those of a list that live between two times, in its order.
  among(list, from, to) {
    return from <= 0 && to >= this.trace.length ? list : list.filter((g) => this.from(g) <= to && this.to(g) >= from);
  }

  // each calls see(state, a, b, run) for what g did between two times, in order:
  // run is the run itself, or the one before, -1 if there was none.
  each(g, from, to, see) {
    const { runs: r, kinds: k } = this.trace;
    const list = this.trace.runsOf.of(g);
    const end = this.to(g);
    const show = (state, a, b, run) => b > a && b >= from && a <= to && see(state, a, b, run);
    // between is what lies between the run before and the next one, or the end.
    const between = (run, a, ready, b) => {
      const left = run < 0 ? k.Block : r.left[run];
      if (left === k.Yield || left === k.Preempt) ready = a;
      ready = Math.max(a, Math.min(ready, b));
      show(left === k.Retake ? lifeCalling : lifeWaiting, a, ready, run);
      show(lifeReady, ready, b, run);
    };
    let i = Math.max(0, after(list, r.start, from) - 1);
    for (; i < list.length && (i === 0 || r.end[list[i - 1]] <= to); i++) {
      const run = list[i];
      const before = i > 0 ? list[i - 1] : -1;
      between(before, before < 0 ? this.from(g) : r.end[before], r.start[run] - r.wait[run], r.start[run]);
      show(lifeRunning, r.start[run], r.end[run], run);
    }
    if (i < list.length) return;
    const last = list.length ? list[list.length - 1] : -1;
    if (last >= 0 && (r.left[last] === k.Exit || r.end[last] >= end)) return;
    between(last, last < 0 ? this.from(g) : r.end[last], this.trace.readied(g), end);
  }

  // at is what g did at time t: {state, from, to, run, next}, or null while it did
  // not exist. next is the run behind it, -1 if there is none.
  at(g, t) {
    let found = null;
    this.each(g, t, t, (state, from, to, run) => (found ??= { state, from, to, run }));
    if (!found) return null;
    const list = this.trace.runsOf.of(g);
    found.next = list[after(list, this.trace.runs.start, found.to - 0.5)] ?? -1;
    return found;
  }

  // why is why g waits in such a piece of its life, "" if that is not known.
  why(run) {
    const r = this.trace.runs;
    return run >= 0 && r.left[run] === this.trace.kinds.Block ? this.trace.string(r.reason[run]) || "for a reason that is not known" : "";
  }
}

// lifeBins are bins of a goroutine's life: the share of each state, and the kind of
// what it waited for last.
function lifeBins(lives, g) {
  return new Bins((from, width) => {
    const tile = { shares: lifeNames.map(() => new Float32Array(tileBins)), kind: new Uint8Array(tileBins) };
    lives.each(g, from, from + width * tileBins, (state, a, b, run) => {
      const kind = state === lifeWaiting ? lives.kind(run < 0 ? 0 : lives.trace.runs.reason[run]) : -1;
      spread(a, b, from, width, (i, d) => {
        tile.shares[state][i] += d / width;
        if (kind >= 0) tile.kind[i] = kind;
      });
    });
    return tile;
  });
}

// LifeLanes draws a row for every goroutine. Only those in view are there at all
// (layout.js), so there may be any number of them.
class LifeLanes {
  constructor(trace, view, colors, lives, wide) {
    this.trace = trace;
    this.view = view;
    this.colors = colors;
    this.lives = lives;
    this.wide = wide; // how wide a text is
    this.bins = new Map();
  }

  // head says which of the goroutines have rows.
  head(ctx, row, shown, listed) {
    const all = this.trace.gCount;
    const why = [listed < all ? "found by the search" : "", shown < listed ? "alive in the time that is seen" : ""].filter(Boolean).join(" and ");
    ctx.fillStyle = this.colors.theme.soft;
    ctx.fillText(shown < all ? `${many(shown)} of ${count(all, "goroutine")}: those ${why}` : `${count(all, "goroutine")}, in the order of the list`, 4, row.y + row.h / 2);
  }

  // draw draws the row of a goroutine.
  draw(ctx, row, drawn) {
    const { trace, view, colors, lives } = this;
    const g = row.id;
    drawn.lives++;
    const a = Math.max(0, view.x(lives.from(g)));
    const b = Math.min(view.width, view.x(lives.to(g)));
    if (b <= 0 || a >= view.width) return;
    ctx.fillStyle = colors.theme.lane;
    ctx.fillRect(a, row.y, Math.max(1, b - a), row.h);
    const list = trace.runsOf.of(g);
    const many = after(list, trace.runs.start, view.to) - after(list, trace.runs.start, view.from);
    if (many > view.width) this.binned(ctx, row);
    else this.states(ctx, row, drawn);
    if (g === view.g) {
      ctx.strokeStyle = colors.theme.ink;
      ctx.lineWidth = 1;
      ctx.strokeRect(a + 0.5, row.y - 0.5, Math.max(1, b - a - 1), row.h + 1);
    }
  }

  // states draws the life piece by piece; of runs that share a pixel the first,
  // and what is shorter than a pixel only if it ran.
  states(ctx, row, drawn) {
    const { trace, view, colors, lives } = this;
    const g = row.id;
    let taken = -1;
    lives.each(g, view.from, view.to, (state, from, to, run) => {
      const a = Math.max(-2, view.x(from));
      const b = Math.min(view.width + 2, view.x(to));
      if (state === lifeRunning) {
        if (b - a < 1) {
          if (Math.floor(a) === taken) return;
          taken = Math.floor(a);
        }
        ctx.fillStyle = colors.of(g);
        ctx.fillRect(a, row.y, Math.max(1, b - a), row.h);
        drawn.pieces++;
        return;
      }
      if (b - a < 0.4) return;
      this.fill(ctx, state, run < 0 ? 0 : trace.runs.reason[run], a, row.y, b - a, row.h);
      drawn.pieces++;
      const text = state === lifeReady ? "ready" : state === lifeCalling ? "in a call" : lives.why(run);
      if (text && b - a > 30 && this.wide(ctx, text) <= b - Math.max(0, a) - 8) {
        ctx.fillStyle = colors.theme.ink;
        ctx.fillText(text, Math.max(0, a) + 4, row.y + row.h / 2 + 0.5);
        drawn.whys++;
      }
    });
  }

  // fill fills a rectangle with the colour of a state in which a goroutine does not
  // run.
  fill(ctx, state, reason, x, y, w, h) {
    const { colors, lives } = this;
    ctx.fillStyle = state === lifeCalling ? colors.state(ctx, 4) : state === lifeReady ? colors.theme.ready : colors.theme["wait-" + waitKinds[lives.kind(reason)].name];
    ctx.fillRect(x, y, w, h);
  }

  // binned draws bins: the shares of the states above each other, running lowest.
  binned(ctx, row) {
    const { view, colors, lives } = this;
    const g = row.id;
    let bins = this.bins.get(g);
    if (!bins) {
      if (this.bins.size > 200) this.bins.clear();
      this.bins.set(g, (bins = lifeBins(lives, g)));
    }
    const fills = [colors.of(g), colors.theme.ready, null, colors.state(ctx, 4)];
    bins.each(view.from, view.to, view.perPixel, (tile, i, from, to) => {
      const a = Math.round(view.x(from));
      const w = Math.round(view.x(to)) - a;
      let y = row.y + row.h;
      for (const state of [lifeRunning, lifeReady, lifeCalling, lifeWaiting]) {
        const h = Math.min(y - row.y, tile.shares[state][i] * row.h);
        if (h <= 0) continue;
        ctx.fillStyle = fills[state] ?? colors.theme["wait-" + waitKinds[tile.kind[i]].name];
        ctx.fillRect(a, y - h, w, h);
        y -= h;
      }
    });
  }
}

// state explains what a goroutine does at a time in which it does not run.
Explain.prototype.state = function ({ id, at }) {
  const { trace } = this;
  const x = this.lives.at(id, at);
  if (!x) return this.g({ id });
  if (x.state === lifeRunning) return this.run({ id: x.run });
  const r = trace.runs;
  const open = x.next < 0 && x.to >= this.lives.to(id);
  const facts = [["for", long(x.to - x.from) + (open ? ", to the end" : "")], ["from", this.time(x.from)]];
  const parts = [];
  if (x.state === lifeWaiting) {
    facts.unshift(["waits for", this.lives.why(x.run) || "its first turn"]);
    if (x.run >= 0) parts.push(this.left(x.run));
  } else if (x.state === lifeCalling) {
    parts.push(this.left(x.run));
  } else {
    const waited = trace.about.Finer.waited;
    parts.push({ head: "", text: [waited.text], rules: waited.rules });
  }
  if (x.next >= 0) parts.push(this.ready(x.next));
  else if (x.state === lifeWaiting) parts.push({ head: "Ready", text: ["Nobody made it ready before the recording's end."], rules: [] });
  const link = (text, run) => ({ text, go: run >= 0 ? { kind: "run", id: run } : null });
  return {
    title: trace.name(id), g: id, what: lifeNames[x.state], facts, parts,
    links: [link("◂ run before", x.run), link("next run ▸", x.next)],
    stack: x.run < 0 ? trace.gs.stack[id] : r.stack[x.run], stackHead: x.run < 0 ? "The go statement" : x.state === lifeWaiting ? "Where it waits" : "Where it left its code",
    range: [x.from, x.to],
  };
};

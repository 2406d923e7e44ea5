// Explain makes what the panel shows of something that was chosen: a title, facts,
// paragraphs with the rules that they follow from, links, a stack.
//
// A chosen thing is {kind, id}: a run, a wake (an arrow), a span (what an M does
// between runs), an event, a mark, a stop, a phase, a g (goroutine), a goroutine's state at a
// time, a queue or a free P at a time, or a range of time.

class Explain {
  constructor(trace, view, words, lives) {
    this.trace = trace;
    this.view = view;
    this.words = words;
    this.lives = lives;
  }

  // of returns {title, g, facts, parts, links, stack} of a chosen thing; parts is
  // a list of {head, text, rules}.
  of(c) {
    return this[c.kind](c);
  }

  // time is a moment of the guest's clock.
  time(t) {
    return moment(this.trace.begin + t, 1);
  }

  // part is a paragraph about event i by a note.
  part(head, note, i) {
    const rules = [];
    return { head, text: this.words.fill(note, i, rules), rules };
  }

  // run explains a run: how its goroutine became ready, where it was found, and
  // why it left.
  run({ id }) {
    const { trace, words } = this;
    const r = trace.runs;
    const g = r.g[id];
    const mine = trace.runsOf.of(g);
    const nth = after(mine, r.start, r.start[id]);
    const parts = [this.ready(id)];
    const rules = [];
    const found = words.how(id, rules);
    if (r.from[id] & 1) found.push(...words.fill(trace.about.Finer.inherit, trace.runEvent[id], rules));
    parts.push({ head: "Found", text: found, rules });
    const tie = trace.tieAt(g, r.end[id]);
    if (tie >= 0) parts.push(this.tied(tie));
    parts.push(this.left(id));
    const woke = this.woken(id);
    const woken = woke.map((w) => this.toRun(w));
    if (woke.length > 2) woken.forEach((w) => (w.text = trace.short(w.g)));
    if (woke.length) parts.push({ head: "Woke", text: this.list(woken), rules: [] });
    const wake = r.wake[id];
    const waker = wake < 0 ? -1 : trace.runAt(trace.ms[trace.wakes.m[wake]], trace.wakes.at[wake]);
    const link = (text, run) => ({ text, go: run >= 0 && run !== undefined ? { kind: "run", id: run } : null });
    return {
      title: trace.name(g), g, what: `run ${many(nth)} of ${many(mine.length)}`,
      facts: [["ran", long(r.end[id] - r.start[id])], ["waited for a P", long(r.wait[id])], ["on", `M${r.m[id]}` + (r.p[id] < 0 ? "" : `, P${r.p[id]}`)], ["from", this.time(r.start[id])]],
      parts,
      links: [
        link("◂ run before", trace.neighbour(id, -1)), link("next run ▸", trace.neighbour(id, 1)),
        link("waker", waker), link("woken", woke.length ? trace.wakes.run[woke[0]] : -1),
      ],
      stack: r.stack[id], stackHead: "Where it left its code",
      range: [r.start[id], r.end[id]],
    };
  }

  // tied tells of a tie of a goroutine to an M.
  tied(tie) {
    const t = this.trace.ties;
    const note = this.trace.about.Finer.tiedTo;
    return { head: "Tied", text: [`Tied to M${t.m[tie]} from ${this.time(t.start[tie])}, for ${long(t.end[tie] - t.start[tie])}. `, note.text], rules: note.rules };
  }

  // ready tells how the goroutine of a run became runnable.
  ready(id) {
    const { trace, words } = this;
    const r = trace.runs;
    const wake = r.wake[id];
    const finer = trace.about.Finer;
    if (wake < 0) {
      const before = trace.neighbour(id, -1);
      const why = before < 0 ? "The recording does not tell." : r.left[before] === trace.kinds.Retake ? `It came back from its system call ${long(r.wait[id])} before.` : `It stayed runnable when it left the CPU ${long(r.wait[id])} before.`;
      return { head: "Ready", text: [why], rules: before < 0 ? [] : finer.waited.rules };
    }
    const i = this.wakeEvent(wake);
    const rules = [];
    const note = trace.wakes.isNew[wake] ? finer.wakeNew : trace.wakes.by[wake] < 0 ? finer.wakeNobody : finer.wake;
    return { head: "Ready", text: [...words.fill(note, i, rules), ` It ran ${long(r.wait[id])} later.`], rules };
  }

  // wakeEvent is the event of a wake-up.
  wakeEvent(wake) {
    const { trace } = this;
    const e = trace.events;
    for (let i = after(null, e.at, trace.wakes.at[wake]) - 1; i >= 0 && e.at[i] === trace.wakes.at[wake]; i--) {
      if (e.g[i] === trace.wakes.g[wake] && (e.kind[i] === trace.kinds.Create || e.kind[i] === trace.kinds.Unblock)) return i;
    }
    return -1;
  }

  // left tells why a run ended.
  left(id) {
    const { trace, words } = this;
    const i = words.leaving(id);
    if (i < 0) return { head: "Left", text: ["It still ran at the recording's end."], rules: [] };
    const rules = [];
    if (trace.runs.left[id] === trace.kinds.Retake) return { head: "Left", text: words.lost(id, rules), rules };
    const text = words.fill(trace.about.Events[trace.runs.left[id]], i, rules);
    if (trace.runs.left[id] === trace.kinds.Preempt) {
      rules.length = 0; // the causes name theirs
      for (const cause of words.causes(id)) text.push(" ", ...words.fill(trace.about.Finer[cause], i, rules));
    }
    return { head: "Left", text, rules };
  }

  // woken are the wake-ups that the goroutine of a run did in it.
  woken(id) {
    const { trace } = this;
    const r = trace.runs;
    const list = trace.wakesBy.of(r.g[id] + 1);
    const out = [];
    for (let k = after(list, trace.wakes.at, r.start[id] - 1); k < list.length && trace.wakes.at[list[k]] <= r.end[id]; k++) out.push(list[k]);
    return out;
  }

  // toRun is a link to what a wake-up led to.
  toRun(wake) {
    const w = this.trace.wakes;
    return { text: this.trace.name(w.g[wake]), g: w.g[wake], go: w.run[wake] < 0 ? { kind: "g", id: w.g[wake] } : { kind: "run", id: w.run[wake] } };
  }

  // list puts commas between things, and cuts a long list short.
  list(things) {
    const out = [];
    for (const t of things.slice(0, 8)) out.push(out.length ? ", " : "", t);
    if (things.length > 8) out.push(` and ${count(things.length - 8, "other")}`);
    return out;
  }

  // wake explains an arrow.
  wake({ id }) {
    const { trace, words } = this;
    const w = trace.wakes;
    const run = w.run[id];
    const by = trace.runAt(trace.ms[w.m[id]], w.at[id]);
    const part = this.part("Ready", w.isNew[id] ? trace.about.Finer.wakeNew : w.by[id] < 0 ? trace.about.Finer.wakeNobody : trace.about.Finer.wake, this.wakeEvent(id));
    const parts = [part];
    if (run >= 0) {
      const rules = [];
      parts.push({ head: "Found", text: words.how(run, rules), rules });
    }
    parts.push(this.part("", trace.about.Finer.waited, -1));
    return {
      title: trace.name(w.g[id]), g: w.g[id], what: w.isNew[id] ? "was made" : "was made ready",
      facts: [["until it ran", run < 0 ? "it did not" : long(trace.runs.start[run] - w.at[id])], ["at", this.time(w.at[id])], ["by", w.by[id] < 0 ? "nobody" : trace.name(w.by[id])], ["on", "M" + w.m[id]]],
      parts,
      links: [{ text: "waker", go: by < 0 ? null : { kind: "run", id: by } }, { text: "woken", go: run < 0 ? null : { kind: "run", id: run } }],
      stack: w.stack[id], stackHead: w.by[id] < 0 ? "" : "Where the waker stood",
      range: [w.at[id], run < 0 ? w.at[id] : trace.runs.start[run]],
    };
  }

  // span explains what an M does while it runs nothing, with the scheduler's
  // events in that time.
  span({ id }) {
    const { trace } = this;
    const s = trace.spans;
    const name = stateNames[s.doing[id]];
    const m = s.m[id];
    const e = trace.events;
    const rules = [...trace.about.States[s.doing[id]].rules];
    const text = [trace.about.States[s.doing[id]].text.replaceAll("{M}", "M" + m)];
    const inside = [];
    const first = after(null, e.at, s.start[id] - 1);
    for (let i = first; i < Math.min(e.at.length, first + 100000) && e.at[i] <= s.end[id] && inside.length < 40; i++) if (e.m[i] === m) inside.push(i);
    const parts = [{ head: "", text, rules }];
    for (const i of inside.slice(0, 12)) parts.push({ ...this.part("", trace.about.Events[e.kind[i]], i), head: trace.about.Names[e.kind[i]], note: "+" + long(e.at[i] - s.start[id]), go: { kind: "event", id: i } });
    if (inside.length > 12) parts.push({ head: "", text: [`and ${inside.length < 40 ? inside.length - 12 : "more"} events: see the list below.`], rules: [] });
    return { title: `M${m} ${name}`, g: -1, what: `vCPU ${m}`, facts: [["for", long(s.end[id] - s.start[id])], ["from", this.time(s.start[id])]], parts, links: [], stack: 0, range: [s.start[id], s.end[id]] };
  }

  // event explains a raw event.
  event({ id }) {
    const { trace, words } = this;
    const e = trace.events;
    const kind = e.kind[id];
    const by = words.doer(id);
    const start = words.runOf(id);
    return {
      title: trace.about.Names[kind], g: e.g[id], what: `event ${many(id + 1)} of ${many(e.at.length)}`,
      facts: [["at", this.time(e.at[id])], ["on", `M${e.m[id]}` + (e.p[id] < 0 ? "" : `, P${e.p[id]}`)], ["goroutine", e.g[id] < 0 ? "none" : trace.name(e.g[id])], ["says", words.args(id) || "nothing more"]],
      parts: [this.part("", trace.about.Events[kind], id)],
      links: [
        { text: "◂ event before", go: id > 0 ? { kind: "event", id: id - 1 } : null }, { text: "next event ▸", go: id + 1 < e.at.length ? { kind: "event", id: id + 1 } : null },
        { text: "its run", go: start >= 0 ? { kind: "run", id: start } : by < 0 ? null : { kind: "run", id: by } },
      ],
      stack: e.stack[id], stackHead: "Code", range: [e.at[id], e.at[id]],
    };
  }

  // mark explains a moment that is marked.
  mark({ id }) {
    const { trace } = this;
    const all = trace.about.Marks;
    const m = all[id];
    const r = trace.runs;
    const why = m.Forced ? "It was made to leave: a preemption. " : m.Moved ? "Another than the one that had waited for the longest time was chosen. " : "";
    const to = (i) => (i >= 0 && i < all.length ? { kind: "mark", id: i } : null);
    const run = (i) => (i >= 0 ? { kind: "run", id: i } : null);
    return {
      title: m.Left, g: -1, what: `moment ${many(id + 1)} of ${many(all.length)}`, facts: [["at", this.time(m.At)]],
      parts: [{ head: "Then", text: [m.Right], rules: [] }, ...(why ? [{ head: "Why", text: [why], rules: [] }] : [])],
      links: [
        { text: "◂ moment before", go: to(id - 1) }, { text: "next moment ▸", go: to(id + 1) }, { text: "the run that ended", go: run(m.Before) },
        { text: "the run that began", go: run(m.After) },
      ],
      stack: m.Before >= 0 ? r.stack[m.Before] : 0, stackHead: "Where it left its code", range: [m.Before >= 0 ? r.start[m.Before] : m.At, m.After >= 0 ? r.end[m.After] : m.At],
    };
  }

  // stop explains a stop of the world.
  stop({ id }) {
    const { trace } = this;
    const s = trace.stops;
    const wait = s.held[id] < 0 ? -1 : s.held[id] - s.start[id];
    const finer = trace.about.Finer;
    const parts = [this.part("Stopping", finer.stw, -1), this.part("Stopped", finer.held, -1)];
    return {
      title: "stop: " + trace.string(s.reason[id]), g: -1, what: "the world",
      facts: [["until it stood", wait < 0 ? "unknown" : long(wait)], ["stood still", wait < 0 ? "unknown" : long(s.end[id] - s.held[id])], ["by", s.by[id] < 0 ? "the scheduler" : trace.name(s.by[id])], ["from", this.time(s.start[id])]],
      parts, links: [], stack: 0, range: [s.start[id], s.end[id]],
    };
  }

  // phase explains a phase of the collector.
  phase({ id }) {
    const p = this.trace.phases;
    const name = this.trace.string(p.name[id]);
    return {
      title: "collector: " + name, g: -1, what: "the world", facts: [["for", long(p.end[id] - p.start[id])], ["from", this.time(p.start[id])]],
      parts: [this.part("", this.trace.about.Finer[name === "mark" ? "mark" : "term"], -1)], links: [], stack: 0, range: [p.start[id], p.end[id]],
    };
  }

  // queue explains a queue at a time; id -1 is the global one.
  queue({ id, at }) {
    const q = id < 0 ? this.trace.global : this.trace.queues[id];
    return {
      title: id < 0 ? "global queue" : `queue of P${id}`, g: -1, what: "", facts: [["holds", this.words.gs(this.trace.queueAt(q, at))], ["at", this.time(at)], ["at most", this.words.gs(q.most)]],
      parts: [this.part("", this.trace.about.Finer[id < 0 ? "globq" : "queue"], -1)], links: [], stack: 0, range: [at, at],
    };
  }

  // free explains a P on which no goroutine runs.
  free({ id, at }) {
    const o = this.trace.owns;
    let owner = -1;
    for (let i = 0; i < o.p.length && o.start[i] <= at; i++) if (o.p[i] === id && o.end[i] >= at) owner = o.m[i];
    const parts = [owner < 0 ? this.part("", this.trace.about.Finer.noP, -1) : { head: "", text: [`M${owner} has it, and looks for a goroutine to run.`], rules: ["P1"] }];
    return { title: `P${id}, nobody runs`, g: -1, what: "", facts: [["owner", owner < 0 ? "none" : "M" + owner], ["at", this.time(at)]], parts, links: [], stack: 0, range: [at, at] };
  }

  // g explains a goroutine.
  g({ id }) {
    const { trace } = this;
    const g = trace.gs;
    const runs = trace.runsOf.of(id);
    const made = g.parent[id] < 0 ? ["Nobody of the program made it: it was there at the start."] : ["Made by ", this.words.goroutine(g.parent[id]), ` at ${this.time(g.made[id])}.`];
    if (g.site[id]) made.push(` The go statement is in ${trace.string(g.site[id])}.`);
    made.push(g.ended[id] < 0 ? " It did not end." : ` It ended at ${this.time(g.ended[id])}.`);
    if (g.system[id]) made.push(" It is one of the runtime's own.");
    const blocks = blocksOf(trace, runs);
    const parts = [{ head: "Life", text: made, rules: ["U1"] }];
    if (g.calls[id]) {
      const lost = g.calling[id] ? ` For ${long(g.calling[id])} in all it was in calls whose P had been taken.` : "";
      parts.push({ head: "Calls", text: [`It was in a system call ${this.words.times(g.calls[id])}.${lost}`], rules: lost ? ["M4", "S1"] : ["M4"] });
    }
    const ties = trace.tiesOf.of(id);
    for (const tie of ties.subarray(0, 5)) parts.push(this.tied(tie));
    if (ties.length > 5) parts.push({ head: "", text: [`and ${count(ties.length - 5, "time")} more`], rules: [] });
    if (blocks.length) parts.push({ head: "Waits", text: [blocks.map(([why, n]) => `${many(n)} × ${why}`).join(", ")], rules: ["G4"] });
    const link = (text, run) => ({ text, go: run === undefined ? null : { kind: "run", id: run } });
    return {
      title: trace.name(id), g: id, what: count(runs.length, "run"), facts: [["running", long(g.running[id])], ["ready", long(g.ready[id])], ["waiting", long(g.waiting[id])], ...(g.calling[id] ? [["in calls", long(g.calling[id])]] : []), ["woke others", count(trace.wakesBy.of(id + 1).length, "time")]],
      parts, links: [link("first run", runs[0]), link("last run", runs[runs.length - 1])],
      stack: g.stack[id], stackHead: "The go statement", range: [g.made[id], g.ended[id] < 0 ? trace.length : g.ended[id]],
    };
  }
}

// blocksOf counts why the runs of a list ended in waiting, the most frequent
// first.
function blocksOf(trace, runs) {
  const counts = new Map();
  for (const i of runs) {
    if (trace.runs.left[i] === trace.kinds.Block) counts.set(trace.runs.reason[i], (counts.get(trace.runs.reason[i]) ?? 0) + 1);
  }
  return [...counts].map(([why, n]) => [trace.string(why), n]).sort((a, b) => b[1] - a[1]);
}

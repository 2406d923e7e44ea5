// Page puts the parts together: what changes the view asks for a frame, and a
// frame draws everything once.

class Page {
  constructor(trace) {
    this.trace = trace;
    this.view = new View(trace, () => this.changed());
    this.colors = new Colors(trace);
    this.canvas = byId("lanes");
    this.over = byId("over");
    this.lanes = new Lanes(trace, this.view, this.colors);
    this.curves = new Curves(trace, this.view, this.colors);
    this.arrows = new Arrows(trace, this.view, this.colors);
    this.world = new World(trace, this.view, this.colors);
    this.minimap = new Minimap(byId("minimap"), trace, this.view, this.colors, this.lanes.mBins);
    this.marks = new Marks(trace, this.view, this.colors);
    this.hit = new Hit(trace, this.view, this.arrows, this.marks);
    this.words = new Words(trace);
    this.lives = new Lives(trace);
    this.lifeLanes = new LifeLanes(trace, this.view, this.colors, this.lives, (ctx, s) => this.lanes.wide(ctx, s));
    this.explain = new Explain(trace, this.view, this.words, this.lives);
    const choose = (c, go) => this.choose(c, go);
    this.panel = new Panel(byId("explain"), trace, this.colors, this.explain, choose);
    this.gs = new Gs(byId("ghead"), byId("gbody"), trace, this.colors, gColumns.slice(0, 3), choose);
    this.gs.changed = () => this.changed(); // the goroutines' rows are in the list's order
    this.events = new Events(byId("enote"), byId("ebody"), trace, this.view, this.words, choose);
    this.report = new Report(byId("report"), trace, this.colors, choose);
    this.input = new Input(this);
    this.frame = 0;
    this.frames = [];
    this.at = null; // the pointer
    this.sought = -1; // the goroutine whose row is to come into view
    this.drawn = {};
    this.controls();
    this.head();
    this.gs.set(statistics(trace, 0, trace.length));
    this.panel.show(null);
    new ResizeObserver(() => this.resize()).observe(this.over);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.resize());
    this.resize();
    this.view.all();
    this.follow(location.hash);
    addEventListener("hashchange", () => this.follow(location.hash));
  }

  // follow shows the stretch that a link to the page names: #FROM-TO, in nanoseconds since the first event.
  follow(hash) {
    const m = /^#(\d+)-(\d+)$/.exec(hash);
    if (m && Number(m[1]) < Number(m[2])) this.view.zoom(Number(m[1]), Number(m[2]));
  }

  // controls gives the buttons their work.
  controls() {
    for (const name of Object.keys(this.view.show)) {
      byId("show-" + name).onchange = (e) => {
        this.view.show[name] = e.target.checked;
        this.changed();
      };
    }
    for (const tab of ["gs", "events"]) byId("tab-" + tab).onclick = () => this.tab(tab);
    byId("face-timeline").onclick = () => this.face("timeline");
    byId("face-report").onclick = () => this.face("report");
    byId("zoom-in").onclick = () => this.view.by(0.5);
    byId("zoom-out").onclick = () => this.view.by(2);
    byId("zoom-all").onclick = () => this.view.all();
    byId("help-open").onclick = () => this.help();
    byId("help").onclick = () => byId("help").close();
    const search = byId("search");
    search.oninput = () => {
      this.tab("gs");
      this.gs.search(search.value);
    };
    search.onkeydown = (e) => {
      if (e.key !== "Enter" || !this.gs.order.length) return;
      this.choose({ kind: "g", id: this.gs.order[0] }, false);
      this.next(1);
      search.blur();
    };
    this.splitter();
  }

  // splitter lets the panel be made wider or narrower.
  splitter() {
    const el = byId("split");
    el.onpointerdown = (e) => el.setPointerCapture(e.pointerId);
    el.onpointermove = (e) => {
      if (!(e.buttons & 1)) return;
      const width = Math.min(innerWidth * 0.7, Math.max(260, innerWidth - e.clientX));
      document.documentElement.style.setProperty("--panel", width + "px");
    };
  }

  // head says what was recorded, and what is missing of it.
  head() {
    const a = this.trace.about;
    byId("program").textContent = a.Program || "recording";
    document.title = `${a.Program || "recording"} · sched9`;
    const facts = [count(a.SMP, "vCPU"), count(this.trace.pCount, "P"), a.Version && "go" + a.Version.replace(/^go/, ""), a.Machine, long(this.trace.length), count(this.trace.events.at.length, "event"), a.Whole ? (a.Why || "exit " + a.Status) : ""];
    byId("facts").textContent = facts.filter(Boolean).join(" · ");
    const lost = (a.Lost ?? []).reduce((x, y) => x + y, 0);
    const warn = [lost ? `${count(lost, "record")} were lost, so some of this may look as it was not` : "", a.Whole ? "" : "The recording is cut off"].filter(Boolean).join(". ");
    byId("warn").textContent = warn;
    byId("warn").hidden = !warn;
  }

  // resize takes the sizes and the colours as they are now.
  resize() {
    this.colors.read();
    this.ctx = fit(this.canvas);
    this.overCtx = fit(this.over);
    this.view.width = Math.max(1, this.over.clientWidth - gutter);
    this.minimap.resize();
    this.changed();
  }

  // changed asks for a frame.
  changed() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  // draw draws everything.
  draw() {
    const begin = performance.now();
    const { ctx, view, colors } = this;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    this.layout = layout(this.trace, view.show, height, this.lives.among(this.gs.order, view.from, view.to));
    this.reveal();
    view.scroll = Math.max(0, Math.min(view.scroll, this.layout.height - height));
    const drawn = (this.drawn = { lanes: 0, curves: 0, runs: 0, labels: 0, states: 0, bins: 0, chosen: 0, arrows: 0, bands: 0, marks: 0, lives: 0, pieces: 0, whys: 0 });
    ctx.fillStyle = colors.theme.ground;
    ctx.fillRect(0, 0, width, height);
    const rows = (this.rows = inView(this.layout, view.scroll, height));
    ctx.save();
    ctx.beginPath();
    ctx.rect(gutter, 0, width - gutter, height);
    ctx.clip();
    ctx.translate(gutter, 0);
    ctx.font = "11px " + colors.font;
    this.curves.measure();
    for (const row of rows) {
      if (row.kind === "m" || row.kind === "p") this.lanes.draw(ctx, row, drawn);
      else if (row.kind === "g") this.lifeLanes.draw(ctx, row, drawn);
      else if (row.kind === "head") this.lifeLanes.head(ctx, row, this.layout.order.length, this.gs.order.length);
      else if (row.kind === "world") this.world.row(ctx, row);
      else this.curves.draw(ctx, row, drawn);
    }
    const bottom = this.layout.height - view.scroll;
    this.world.bands(ctx, axisHeight, bottom, drawn);
    ctx.fillStyle = colors.theme.ground;
    ctx.fillRect(0, 0, width, axisHeight);
    drawAxis(ctx, view, colors, bottom);
    this.arrows.draw(ctx, rows, drawn);
    this.marks.draw(ctx, bottom, drawn);
    ctx.restore();
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, axisHeight, gutter, height);
    ctx.clip();
    drawNames(ctx, rows, this.trace, this.curves, colors, view.g);
    ctx.restore();
    this.minimap.draw();
    this.drawOver();
    this.listSoon();
    this.frames.push(performance.now() - begin);
    if (this.frames.length > 600) this.frames.shift();
  }

  // listSoon updates the list of events when the view has come to rest.
  listSoon() {
    clearTimeout(this.listing);
    if (byId("events").hidden) return;
    this.listing = setTimeout(() => this.events.update(), 80);
  }

  // drawOver draws what changes without the lanes: the marked range, the chosen
  // thing's frame, the pointer's line and its words.
  drawOver() {
    const { overCtx: ctx, view, colors } = this;
    const width = this.over.clientWidth;
    const height = this.over.clientHeight;
    ctx.clearRect(0, 0, width, height);
    ctx.save();
    ctx.beginPath();
    ctx.rect(gutter, 0, width - gutter, height);
    ctx.clip();
    ctx.translate(gutter, 0);
    if (view.range) {
      const [a, b] = view.range.map((t) => view.x(t));
      ctx.fillStyle = colors.theme.accent;
      ctx.globalAlpha = 0.16;
      ctx.fillRect(a, 0, b - a, height);
      ctx.globalAlpha = 1;
      ctx.fillRect(a - 0.5, 0, 1, height);
      ctx.fillRect(b - 0.5, 0, 1, height);
      ctx.font = "600 12px " + colors.font;
      ctx.fillText(long(view.range[1] - view.range[0]), Math.max(4, a + 5), height - 10);
    }
    this.frameOf(ctx, view.chosen, colors.theme.ink, 2);
    if (this.at && this.at.x >= gutter) {
      this.frameOf(ctx, this.under, colors.theme.accent, 1.5);
      const x = this.at.x - gutter;
      ctx.fillStyle = colors.theme.accent;
      ctx.globalAlpha = 0.5;
      ctx.fillRect(x, 0, 1, height);
      ctx.globalAlpha = 1;
      const text = moment(this.trace.begin + view.t(x), view.perPixel);
      ctx.font = "600 11px " + colors.font;
      const w = ctx.measureText(text).width + 10;
      const left = Math.min(x + 4, view.width - w);
      ctx.fillRect(left, 1, w, 17);
      ctx.fillStyle = colors.theme.ground;
      ctx.fillText(text, left + 5, 10);
    }
    ctx.restore();
  }

  // frameOf draws a frame around a run or a state, on each row that shows it.
  frameOf(ctx, c, color, width) {
    if (!c || !this.rows) return;
    const { trace, view } = this;
    const at = (row, list, i) => {
      if (!row) return;
      const a = Math.max(-5, view.x(list.start[i]));
      const b = Math.min(view.width + 5, view.x(list.end[i]));
      ctx.strokeStyle = color;
      ctx.lineWidth = width;
      ctx.strokeRect(a - 1, row.y - 1, Math.max(2, b - a + 1), row.h + 2);
    };
    if (c.kind === "run") {
      at(rowOf(this.rows, "m", trace.runs.m[c.id]), trace.runs, c.id);
      at(rowOf(this.rows, "p", trace.runs.p[c.id]), trace.runs, c.id);
      at(rowOf(this.rows, "g", trace.runs.g[c.id]), trace.runs, c.id);
    } else if (c.kind === "state") {
      const x = this.lives.at(c.id, c.at);
      if (x) at(rowOf(this.rows, "g", c.id), { start: [x.from], end: [x.to] }, 0);
    } else if (c.kind === "span") {
      at(rowOf(this.rows, "m", trace.spans.m[c.id]), trace.spans, c.id);
    } else if (c.kind === "event") {
      const row = rowOf(this.rows, "m", trace.events.m[c.id]);
      const x = view.x(trace.events.at[c.id]);
      ctx.fillStyle = color;
      if (row) ctx.fillRect(x - 1, row.y - 4, 2, row.h + 8);
    }
  }

  // hover notes where the pointer is, and says in a few words what is there.
  hover(at) {
    this.at = at;
    this.under = at && this.rows ? this.hit.at(this.rows, at.x - gutter, at.y) : null;
    const tip = byId("tip");
    tip.hidden = !this.under;
    if (this.under) {
      const x = this.explain.of(this.under);
      const first = (head) => x.parts.find((p) => p.head === head)?.text.map((t) => t.text ?? t).join("");
      const lines = [x.facts.slice(0, 3).map(([k, v]) => `${k} ${v}`).join(" · "), first("Found") ?? first(""), first("Left")];
      tip.replaceChildren(make("b", "", x.title), ...lines.filter(Boolean).map((l) => make("p", "", l)));
      const box = this.over.getBoundingClientRect();
      const left = at.x + 16 + tip.offsetWidth > box.width ? at.x - tip.offsetWidth - 12 : at.x + 16;
      const top = at.y + 18 + tip.offsetHeight > box.height ? at.y - tip.offsetHeight - 10 : at.y + 18;
      tip.style.left = Math.max(0, left) + "px";
      tip.style.top = Math.max(0, top) + "px";
    }
    this.drawOver();
  }

  // click chooses what is at a point, or nothing.
  click(x, y) {
    this.choose(this.hit.at(this.rows, x - gutter, y), false);
  }

  // choose explains something, and with go brings it into view. null takes the
  // choice back.
  choose(c, go) {
    const { view } = this;
    view.chosen = c;
    const x = c ? this.explain.of(c) : null;
    view.g = x ? x.g : -1;
    this.panel.show(c);
    this.gs.mark(view.g);
    this.report.gs.mark(view.g);
    this.events.reveal(c?.kind === "event" ? c.id : -1);
    if (go) {
      this.face("timeline");
      if (c.kind !== "g") view.into(x.range[0], x.range[1]);
    }
    this.sought = c?.kind === "g" ? c.id : -1;
    this.changed();
  }

  // reveal scrolls to the row of the goroutine that was chosen. If it does not live in
  // the time that is seen it has none, until it does.
  reveal() {
    const i = this.sought < 0 ? -1 : this.layout.order.indexOf(this.sought);
    if (i < 0) return;
    this.sought = -1;
    const y = this.layout.gs + i * lifeStep - this.view.scroll;
    const height = this.canvas.clientHeight;
    if (y < axisHeight || y + lifeHeight > height) this.view.scroll += y - height * 0.7;
  }

  // zoomToChosen shows the marked range, or the chosen thing, as large as fits.
  zoomToChosen() {
    const { view } = this;
    const range = view.range ?? (view.chosen ? this.explain.of(view.chosen).range : null);
    if (!range) return;
    const room = Math.max(200, (range[1] - range[0]) * (view.range ? 0 : 0.6));
    view.zoom(range[0] - room / 2, range[1] + room / 2);
  }

  // next chooses the run before or after the chosen one, of the same goroutine;
  // or the first in view of the goroutine that was chosen.
  next(step) {
    const { view, trace } = this;
    if (view.g < 0) return;
    let run;
    if (view.chosen?.kind === "run") {
      run = trace.neighbour(view.chosen.id, step);
    } else {
      const list = trace.runsOf.of(view.g);
      run = list[Math.min(list.length - 1, after(list, trace.runs.start, view.from))];
    }
    if (run !== undefined && run >= 0) this.choose({ kind: "run", id: run }, true);
  }

  // mark marks a range of time; marked explains it when it is complete.
  mark(range) {
    this.view.range = range;
    this.drawOver();
  }
  marked() {
    const [from, to] = this.view.range;
    this.choose({ kind: "range", from, to }, false);
    this.numbers();
  }

  // numbers makes the statistics, if they are looked at.
  numbers() {
    if (byId("report").hidden) return;
    const [from, to] = this.view.range ?? [0, this.trace.length];
    this.report.show(statistics(this.trace, from, to));
  }

  // face shows the timeline or the statistics, or the other one.
  face(name = byId("report").hidden ? "report" : "timeline") {
    const report = name === "report";
    const was = !byId("report").hidden;
    byId("report").hidden = !report;
    byId("timeline").hidden = report;
    byId("face-timeline").classList.toggle("on", !report);
    byId("face-report").classList.toggle("on", report);
    if (report && !was) this.numbers();
  }

  // tab shows the list of goroutines or of events.
  tab(name) {
    for (const t of ["gs", "events"]) {
      byId(t).hidden = t !== name;
      byId("tab-" + t).classList.toggle("on", t === name);
    }
    if (name === "events") this.events.update();
    this.gs.rows.refresh();
  }

  // scroll moves the rows up and down.
  scroll(dy) {
    this.view.scroll += dy;
    this.changed();
  }

  // focusSearch goes to the search, clearSearch lists all goroutines again, help
  // tells the keys, escape takes back what was chosen, marked and searched.
  focusSearch() {
    byId("search").select();
  }
  clearSearch() {
    if (byId("search").value) {
      byId("search").value = "";
      this.gs.search("");
    }
    if (this.report.filter.value) this.report.search("");
  }
  help() {
    byId("help").showModal();
  }
  escape() {
    this.clearSearch();
    if (this.view.range) {
      this.view.range = null;
      this.numbers();
    }
    this.choose(null, false);
  }
}

// byId is the element with an id.
function byId(id) {
  return document.getElementById(id);
}

// handle is what tests see of a page.
function handle(page) {
  const { trace, view } = page;
  return {
    ready: true,
    words: Object.keys(Words.table),
    counts: () => ({
      ms: trace.mCount, ps: trace.pCount, gs: trace.gCount, runs: trace.runs.count, wakes: trace.wakes.count, events: trace.events.at.length,
      spans: trace.spans.m.length, stops: trace.stops.start.length, phases: trace.phases.start.length, drawn: page.drawn, listed: page.gs.order.length, rows: page.layout.order.length, eventsListed: page.events.list.length,
    }),
    range: () => [view.from, view.to],
    zoom: (from, to) => view.zoom(from, to),
    all: () => view.all(),
    // scales are the lengths that fill the rows of the queues, the global one last.
    scales: () => [...page.curves.most, page.curves.globalMost],
    choose: (c, go = true) => page.choose(c, go),
    chosen: () => view.chosen,
    // life is what a goroutine did, as lists of state, begin, end.
    life: (g, from = 0, to = trace.length) => {
      const out = [];
      page.lives.each(g, from, to, (state, a, b, run) => out.push([lifeNames[state], a, b, state === lifeWaiting ? page.lives.why(run) : ""]));
      return out;
    },
    // lane is where time t is on the row of goroutine g, on the screen; null if the
    // row is out of view.
    lane: (g, t) => {
      const row = rowOf(page.rows, "g", g);
      const box = page.over.getBoundingClientRect();
      return row ? [box.left + gutter + view.x(t), box.top + row.y + row.h / 2] : null;
    },
    // where is the middle of a run on the lane of its M, or of its P, on the
    // screen.
    where: (run, kind = "m") => {
      const row = rowOf(page.rows, kind, kind === "m" ? trace.runs.m[run] : trace.runs.p[run]);
      const box = page.over.getBoundingClientRect();
      return [box.left + gutter + view.x((trace.runs.start[run] + trace.runs.end[run]) / 2), box.top + row.y + row.h / 2];
    },
    run: (i) => ({ g: trace.name(trace.runs.g[i]), start: trace.runs.start[i], end: trace.runs.end[i], m: trace.runs.m[i], p: trace.runs.p[i] }),
    statistics: (from = 0, to = trace.length) => {
      const s = statistics(trace, from, to);
      return { running: [...s.running], ready: [...s.ready], waiting: [...s.waiting], calling: [...s.calling], runs: [...s.runs], counts: [...s.counts], ms: s.ms };
    },
    recorded: () => ({ running: [...trace.gs.running], ready: [...trace.gs.ready], waiting: [...trace.gs.waiting], calling: [...trace.gs.calling] }),
    frames: () => page.frames.splice(0),
    redraw: () => page.draw(),
    // flag is where a mark is, on the screen.
    flag: (i) => {
      const box = page.over.getBoundingClientRect();
      return [box.left + gutter + view.x(trace.about.Marks[i].At), box.top + flag.top + flag.height / 2];
    },
  };
}

// start reads the page's data and shows it.
async function start() {
  const about = JSON.parse(byId("about").textContent);
  const data = byId("data");
  const bytes = await unpack(data.textContent.trim());
  data.remove();
  const page = new Page(new Trace(about, bytes));
  byId("loading").remove();
  window.sched9 = handle(page);
}

start().catch((err) => {
  byId("loading").textContent = `This page cannot be shown: ${err.message}. It needs a browser of 2023 or later.`;
  throw err;
});

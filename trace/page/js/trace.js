// Trace is the recording: arrays side by side, each with an entry for every
// goroutine, run, wake-up, event. Times count from the recording's start, in
// nanoseconds; begin is the guest's clock then. -1 is none.
class Trace {
  // about is the page's JSON, bytes are its columns.
  constructor(about, bytes) {
    this.about = about;
    this.begin = about.Start;
    this.length = Math.max(1, about.Length);
    const get = decoder(bytes, about.Columns);
    // less is a column whose numbers are one more, so that 0 is none.
    const less = (name) => get(name, Int32Array).map((v) => v - 1);
    this.readGs(get, less);
    this.readTies(get);
    this.readRuns(get, less);
    this.readMs(get, less);
    this.readQueues(get);
    this.readWorld(get, less);
    this.events = {
      at: get("ev.at", Float64Array), kind: get("ev.kind", Uint8Array), m: get("ev.m", Uint8Array), p: less("ev.p"), g: less("ev.g"),
      lo: get("ev.lo", Uint32Array), hi: get("ev.hi", Uint32Array), auxlo: get("ev.auxlo", Uint32Array), auxhi: get("ev.auxhi", Uint32Array),
      stack: get("ev.stack", Uint32Array),
    };
    this.kinds = Object.fromEntries(about.Names.map((name, i) => [name, i]));
  }

  // readGs reads goroutines and stacks.
  readGs(get, less) {
    this.gs = {
      id: get("g.id", Float64Array), entry: get("g.entry", Uint32Array), name: get("g.name", Uint32Array), site: get("g.site", Uint32Array), kin: get("g.kin", Uint32Array),
      system: get("g.system", Uint8Array), parent: less("g.parent"), made: get("g.made", Float64Array),
      ended: get("g.ended", Float64Array).map((v) => v - 1), running: get("g.running", Float64Array), ready: get("g.ready", Float64Array),
      waiting: get("g.waiting", Float64Array), calling: get("g.calling", Float64Array), calls: get("g.calls", Uint32Array), stack: get("g.stack", Uint32Array),
    };
    this.gCount = this.gs.id.length;
    const lengths = get("stack.len", Uint32Array);
    this.stackFrom = new Uint32Array(lengths.length + 1);
    lengths.forEach((n, i) => (this.stackFrom[i + 1] = this.stackFrom[i] + n));
    this.places = get("stack.place", Uint32Array);
    this.stackFrames = get("stack.frames", Uint32Array);
    this.frames = { func: get("frame.func", Uint32Array), file: get("frame.file", Uint32Array), line: get("frame.line", Uint32Array) };
  }

  // readTies reads when goroutines were tied to Ms.
  readTies(get) {
    const t = { g: get("tie.g", Uint32Array), m: get("tie.m", Uint8Array), start: get("tie.start", Float64Array), end: get("tie.long", Float64Array) };
    for (let i = 0; i < t.g.length; i++) t.end[i] += t.start[i];
    this.ties = t;
    this.tiesOf = group(t.g, this.gCount);
  }

  // tieAt is the tie in which goroutine g is at time t, -1 if it is in none.
  tieAt(g, t) {
    const list = this.tiesOf.of(g);
    const i = list[after(list, this.ties.start, t) - 1];
    return i !== undefined && this.ties.end[i] >= t ? i : -1;
  }

  // readRuns reads runs and wake-ups, and who did which. runEvent and runEnd are the
  // events with which each run begins and ends; -1: it does not.
  readRuns(get, less) {
    const r = {
      g: less("run.g"), m: get("run.m", Uint8Array), p: less("run.p"), start: get("run.start", Float64Array), end: get("run.long", Float64Array),
      wait: get("run.wait", Float64Array), from: get("run.from", Uint8Array), left: get("run.left", Uint8Array), reason: get("run.reason", Uint32Array),
      stack: get("run.stack", Uint32Array),
    };
    r.count = r.g.length;
    this.runEvent = Int32Array.from(get("run.begin", Float64Array));
    this.runEnd = Int32Array.from(get("run.finish", Float64Array));
    for (let i = 0; i < r.count; i++) r.end[i] += r.start[i];
    const w = {
      at: get("wake.at", Float64Array), g: less("wake.g"), by: less("wake.by"), m: get("wake.m", Uint8Array), isNew: get("wake.new", Uint8Array),
      run: less("wake.run"), stack: get("wake.stack", Uint32Array),
    };
    w.count = w.at.length;
    r.wake = new Int32Array(r.count).fill(-1);
    for (let i = 0; i < w.count; i++) if (w.run[i] >= 0) r.wake[w.run[i]] = i;
    this.runs = r;
    this.wakes = w;
    this.runsOf = group(r.g, this.gCount);
    this.wakesOf = group(w.g, this.gCount);
    this.wakesBy = group(w.by.map((g) => g + 1), this.gCount + 1);
  }

  // readMs reads what the Ms did and who owned the Ps, and sorts runs by both.
  readMs(get, less) {
    const s = { m: get("span.m", Uint8Array), doing: get("span.doing", Uint8Array), start: get("span.start", Float64Array), end: get("span.long", Float64Array) };
    const o = { p: less("own.p"), m: get("own.m", Uint8Array), start: get("own.start", Float64Array), end: get("own.long", Float64Array) };
    for (let i = 0; i < s.m.length; i++) s.end[i] += s.start[i];
    for (let i = 0; i < o.m.length; i++) o.end[i] += o.start[i];
    const r = this.runs;
    const most = (list, least) => list.reduce((a, b) => (b > a ? b : a), least);
    this.mCount = 1 + Math.max(most(r.m, -1), most(s.m, -1), most(this.wakes.m, -1));
    this.pCount = 1 + Math.max(most(r.p, -1), most(o.p, -1));
    this.spans = s;
    this.owns = o;
    const byM = group(r.m, this.mCount);
    const byP = group(r.p.map((p) => p + 1), this.pCount + 1);
    const spansByM = group(s.m, this.mCount);
    this.ms = Array.from({ length: this.mCount }, (_, m) => ({ runs: byM.of(m), spans: spansByM.of(m) }));
    this.ps = Array.from({ length: this.pCount }, (_, p) => ({ runs: byP.of(p + 1) }));
  }

  // readQueues reads the lengths of the queues: those of the Ps, and last the
  // global one's.
  readQueues(get) {
    const p = get("queue.p", Uint8Array);
    const at = get("queue.at", Float64Array);
    const len = get("queue.len", Uint32Array);
    const byP = group(p.map((v) => Math.min(v, this.pCount)), this.pCount + 1);
    const queue = (k) => {
      const list = byP.of(k);
      const q = { at: Float64Array.from(list, (i) => at[i]), len: Uint32Array.from(list, (i) => len[i]) };
      q.most = q.len.reduce((a, b) => (b > a ? b : a), 0);
      return q;
    };
    this.queues = this.ps.map((_, i) => queue(i + 1));
    this.global = queue(0);
  }

  // readWorld reads the stops of the world and the collector's phases.
  readWorld(get, less) {
    const add = (a, b) => a.map((v, i) => v + b[i]);
    const start = get("stop.start", Float64Array);
    const held = get("stop.held", Float64Array);
    this.stops = {
      start, end: add(start, get("stop.long", Float64Array)), held: held.map((v, i) => (v ? start[i] + v - 1 : -1)),
      reason: get("stop.reason", Uint32Array), by: less("stop.by"),
    };
    const from = get("phase.start", Float64Array);
    this.phases = { start: from, end: add(from, get("phase.long", Float64Array)), name: get("phase.name", Uint32Array) };
  }

  // string is a string by its number.
  string(i) {
    return this.about.Strings[i] ?? "";
  }

  // name is what people call goroutine g.
  name(g) {
    return g < 0 ? "nobody" : this.string(this.gs.name[g]);
  }

  // function is what the goroutine is made of, without the path of its package, and of
  // "WaitGroup.Go of main.f" without the first part.
  function(g) {
    return this.string(this.gs.kin[g]).replace(/[^\s/]+\//g, "").replace(/^\S+ of /, "of ");
  }

  // short is the goroutine's number, as in "G17".
  short(g) {
    return g < 0 ? "" : "G" + this.gs.id[g];
  }

  // stack is the code lines of a stack, the innermost first.
  stack(s) {
    const out = [];
    for (let i = this.stackFrom[s]; i < this.stackFrom[s + 1]; i++) {
      const f = this.stackFrames[i];
      out.push({ func: this.string(this.frames.func[f]), file: this.string(this.frames.file[f]), line: this.frames.line[f] });
    }
    return out;
  }

  // readied is when g was made ready without running since, infinity if it was
  // not.
  readied(g) {
    const { wakes } = this;
    const list = this.wakesOf.of(g);
    const last = list[list.length - 1];
    return last !== undefined && wakes.run[last] < 0 ? wakes.at[last] : Infinity;
  }

  // runAt is the run on a lane (an entry of ms or ps) at time t, -1 if there is
  // none.
  runAt(lane, t) {
    const i = after(lane.runs, this.runs.start, t) - 1;
    return i >= 0 && this.runs.end[lane.runs[i]] >= t ? lane.runs[i] : -1;
  }

  // spanAt is what an M does at time t when it runs nothing, -1 if nothing is
  // known.
  spanAt(m, t) {
    const list = this.ms[m].spans;
    const i = after(list, this.spans.start, t) - 1;
    return i >= 0 && this.spans.end[list[i]] >= t ? list[i] : -1;
  }

  // neighbour is the run of the same goroutine that is step runs further.
  neighbour(run, step) {
    const list = this.runsOf.of(this.runs.g[run]);
    return list[after(list, this.runs.start, this.runs.start[run]) - 1 + step] ?? -1;
  }

  // queueAt is a queue's length at time t.
  queueAt(q, t) {
    const i = after(null, q.at, t) - 1;
    return i < 0 ? 0 : q.len[i];
  }
}

// Statistics of the recording, or of a piece of it.

// overlap is how much of a..b lies in from..to.
function overlap(a, b, from, to) {
  return Math.max(0, Math.min(b, to) - Math.max(a, from));
}

// statistics counts what happened between two times.
function statistics(trace, from, to) {
  const n = trace.gCount;
  const s = { from, to, runs: new Uint32Array(n), running: new Float64Array(n), ready: new Float64Array(n), waiting: new Float64Array(n), calling: new Float64Array(n), blocked: new Uint32Array(n) };
  goroutineTimes(trace, s);
  const lasts = [];
  const waits = [];
  const r = trace.runs;
  for (let i = 0; i < r.count; i++) {
    if (r.start[i] < from || r.start[i] > to) continue;
    lasts.push(r.end[i] - r.start[i]);
    waits.push(r.wait[i]);
  }
  s.lasts = Float64Array.from(lasts);
  s.waits = Float64Array.from(waits);
  countEvents(trace, s);
  s.ms = shares(trace, s);
  // runsIn are the runs of a goroutine that begin between the two times.
  s.runsIn = (g) => {
    const list = trace.runsOf.of(g);
    return list.subarray(after(list, r.start, from - 1e-6), after(list, r.start, to));
  };
  return s;
}

// goroutineTimes adds up what every goroutine did: it is running in its runs,
// ready before each as long as it waited, in a call behind one in which it lost its P, and
// waits for the rest of its life.
function goroutineTimes(trace, s) {
  const { from, to } = s;
  const r = trace.runs;
  const k = trace.kinds;
  for (let i = 0; i < r.count; i++) {
    const g = r.g[i];
    if (r.start[i] >= from && r.start[i] <= to) {
      s.runs[g]++;
      if (r.left[i] === k.Block) s.blocked[g]++;
    }
    s.running[g] += overlap(r.start[i], r.end[i], from, to);
    s.ready[g] += overlap(r.start[i] - r.wait[i], r.start[i], from, to);
    if (r.left[i] === k.Retake) {
      const next = trace.neighbour(i, 1);
      s.calling[g] += overlap(r.end[i], next < 0 ? trace.length : r.start[next] - r.wait[next], from, to);
    }
  }
  const w = trace.wakes;
  for (let i = 0; i < w.count; i++) if (w.run[i] < 0) s.ready[w.g[i]] += overlap(w.at[i], trace.length, from, to);
  for (let g = 0; g < trace.gCount; g++) {
    const mine = trace.runsOf.of(g);
    const last = mine[mine.length - 1];
    if (last !== undefined && (r.left[last] === k.Yield || r.left[last] === k.Preempt)) s.ready[g] += overlap(r.end[last], trace.length, from, to);
    const life = overlap(trace.gs.made[g], trace.gs.ended[g] < 0 ? trace.length : trace.gs.ended[g], from, to);
    s.waiting[g] = Math.max(0, life - s.running[g] - s.ready[g] - s.calling[g]);
  }
}

// countEvents counts the events by kind, and what some of them tell.
function countEvents(trace, s) {
  const e = trace.events;
  const k = trace.kinds;
  s.counts = new Uint32Array(trace.about.Names.length);
  s.ipis = new Uint32Array(5);
  s.stolen = 0;
  s.slices = 0;
  const late = [];
  const end = after(null, e.at, s.to);
  for (let i = after(null, e.at, s.from - 1e-6); i < end; i++) {
    const kind = e.kind[i];
    s.counts[kind]++;
    if (kind === k.Timer) late.push(e.hi[i] * 2 ** 32 + e.lo[i]);
    else if (kind === k.SendIPI) s.ipis[Math.min(4, e.auxlo[i])]++;
    else if (kind === k.Steal) s.stolen += Math.floor(e.auxlo[i] / 256);
    else if (kind === k.Tick && e.lo[i] & 2) s.slices++;
  }
  s.late = Float64Array.from(late);
  s.stopped = 0;
  trace.stops.start.forEach((a, i) => (s.stopped += overlap(a, trace.stops.end[i], s.from, s.to)));
}

// shares says how each M spent its time, by the names of what it did.
function shares(trace, s) {
  const all = Math.max(1, Math.min(s.to, trace.length) - Math.max(0, s.from));
  const of = trace.ms.map(() => (Object.fromEntries(stateNames.map((name) => [name, 0]))));
  const r = trace.runs;
  for (let i = 0; i < r.count; i++) of[r.m[i]].running += overlap(r.start[i], r.end[i], s.from, s.to) / all;
  const p = trace.spans;
  for (let i = 0; i < p.m.length; i++) of[p.m[i]][stateNames[p.doing[i]]] += overlap(p.start[i], p.end[i], s.from, s.to) / all;
  return of;
}

// totals are the numbers that are shown first, as pairs of a name and a text.
function totals(trace, s) {
  const c = (name) => s.counts[trace.kinds[name]];
  const busy = s.ms.reduce((sum, m) => sum + m.running, 0) / Math.max(1, s.ms.length);
  const ipis = ["kick", "preempt", "flush", "NMI"].map((name, i) => [name, s.ipis[i + 1]]).filter(([, n]) => n);
  return [
    ["goroutines made", many(c("Create")), count(c("Exit"), "end") + (c("Exit") === 1 ? "s" : "")],
    ["runs", many(s.lasts.length), ""],
    ["wake-ups", many(c("Unblock")), "made ready by others"],
    ["blocks", many(c("Block")), ""],
    ["preemptions", many(c("Preempt")), `${many(c("Inject"))} by an injected call`],
    ["yields", many(c("Yield")), ""],
    ["steals", many(c("Steal")), count(s.stolen, "G") + " stolen"],
    ["from the global queue", many(c("GetGlobal")), "takes"],
    ["parks", many(c("Park")), `${many(c("Halt"))} halts`],
    ["IPIs", many(c("SendIPI")), ipis.map(([name, n]) => `${many(n)} ${name}`).join(", ")],
    ["timers", many(c("Timer")), ""],
    ["system calls", many(c("SyscallEnter")), c("Retake") ? `${many(c("Retake"))} lost their P` : ""],
    ["world stopped", long(s.stopped), count(c("Stop"), "time")],
    ["vCPUs busy", percent(busy), "running goroutines"],
  ];
}

// Words fills the sentences that the tables of trace/events and explain.go have. A text is a list of
// parts: strings, and links {text, go} to something that can be chosen.

const places = { nowhere: 0, next: 1, ring: 2, global: 3, steal: 4 };
const statuses = { 0: "idle", 1: "runnable", 2: "running", 3: "in a system call", 4: "waiting", 6: "dead", 8: "copystack", 9: "preempted" };
const stateNames = ["scheduling", "running", "spinning", "halted", "in a call"];
const goodForEver = 2 ** 31; // in an argument's higher half: the program dies
const phaseNames = ["off", "mark", "mark termination"];

class Words {
  constructor(trace) {
    this.trace = trace;
    this.e = trace.events;
  }

  // fill makes parts of a note about event i, and adds its rules to rules.
  fill(note, i, rules) {
    if (!note) return [];
    for (const id of note.rules ?? []) if (!rules.includes(id)) rules.push(id);
    const parts = [];
    for (const piece of note.text.split(/(\{\w+\})/)) {
      const word = piece.match(/^\{(\w+)\}$/);
      if (!word) parts.push(piece);
      else parts.push(...[Words.table[word[1]]?.call(this, i, rules) ?? piece].flat());
    }
    return parts;
  }

  // arg and aux are an event's arguments as numbers.
  arg(i) {
    return this.e.hi[i] * 2 ** 32 + this.e.lo[i];
  }
  aux(i) {
    return this.e.auxhi[i] * 2 ** 32 + this.e.auxlo[i];
  }

  // goroutine is a link to a goroutine.
  goroutine(g) {
    return g < 0 ? "nobody" : { text: this.trace.name(g), go: { kind: "g", id: g }, g };
  }

  // doer is the run in which event i happened, -1 if its M ran no goroutine.
  doer(i) {
    const lane = this.trace.ms[this.e.m[i]];
    return lane ? this.trace.runAt(lane, this.e.at[i]) : -1;
  }

  // gs is a number of Gs.
  gs(n) {
    return n === 1 ? "1 G" : n + " Gs";
  }

  // victim and moved are whom an event takes from, and how many.
  victim(i) {
    return this.e.auxlo[i] & 0xff;
  }
  moved(i) {
    return this.e.kind[i] === this.trace.kinds.Steal ? Math.floor(this.aux(i) / 256) : this.e.hi[i];
  }

  // until is a time of the guest's clock that an argument is.
  until(i) {
    const t = this.arg(i);
    return t === 0 ? "for as long as nobody wakes it" : "until " + moment(t, 1000);
  }

  // reason is why an event's goroutine waits.
  reason(i) {
    return this.trace.about.Reasons?.[this.e.hi[i] >>> 24] || "for a reason that is not known";
  }

  // runOf is the run that a Start begins, -1 if i is none.
  runOf(i) {
    const k = after(null, this.trace.runEvent, i) - 1;
    return this.trace.runEvent[k] === i ? k : -1;
  }

  // status is the name of a G's state.
  status(n) {
    return (statuses[n & ~0x1000] ?? n) + (n & 0x1000 ? " (being scanned)" : "");
  }

  // asker is who made the goroutine of a run ready.
  asker(run) {
    const wake = run < 0 ? -1 : this.trace.runs.wake[run];
    if (wake < 0) return "somebody";
    const by = this.trace.wakes.by[wake];
    return by < 0 ? "a timer, an interrupt or the scheduler" : this.goroutine(by);
  }

  // how tells how the goroutine of a run was found, from the events before it
  // on its M.
  how(run, rules) {
    const { trace, e } = this;
    const { Steal, GetGlobal, Look, Block, Yield, Preempt, Exit } = trace.kinds;
    const finer = trace.about.Finer;
    const first = trace.runEvent[run];
    const place = trace.runs.from[run] >> 1;
    if (place === places.nowhere) return this.fill(finer[this.atHand(run)], first, rules);
    if (place === places.steal || place === places.global) {
      let got = false;
      for (let i = first - 1, n = 0; i >= 0 && n < 4000; i--, n++) {
        if (e.m[i] !== trace.runs.m[run]) continue;
        const kind = e.kind[i];
        if (place === places.steal && kind === Steal) return this.fill(e.g[i] >= 0 ? finer.stoleNext : finer.stolen, i, rules);
        if (place === places.global) {
          if (kind === GetGlobal) got = true;
          else if (got && kind === Look) return this.fill(finer.dry, i, rules);
          else if (got && [Block, Yield, Preempt, Exit].includes(kind)) return this.fill(finer.tick61, i, rules);
        }
      }
    }
    return this.fill(trace.about.Places[place], first, rules);
  }

  // atHand tells why the goroutine of a run was at hand, by what its M did before: its
  // wait was called off, a coroutine switched to it, or it came back from a system call.
  atHand(run) {
    const { trace, e } = this;
    const { Acquire, Unblock, Tick, TakeIPI, SendIPI, Kick, Halt, HaltEnd } = trace.kinds;
    const first = trace.runEvent[run];
    if (e.kind[first] === Acquire) return "cameBack";
    for (let i = first - 1, n = 0; i >= 0 && n < 1000; i--, n++) {
      if (e.m[i] !== trace.runs.m[run] || [Unblock, Tick, TakeIPI, SendIPI, Kick, Halt, HaltEnd].includes(e.kind[i])) continue;
      if (e.kind[i] === Acquire) return "cameBack";
      return e.g[i] >= 0 && e.g[i] !== trace.runs.g[run] ? "switched" : "calledOff";
    }
    return "calledOff";
  }

  // leaving is the event with which a run ended, -1 if it did not.
  leaving(run) {
    return this.trace.runEnd[run];
  }

  // lost tells how the M of a run that ended in a system call lost its P.
  lost(run, rules) {
    const i = this.leaving(run);
    return this.fill(this.trace.about.Finer[this.e.kind[i] === this.trace.kinds.Retake ? "callTaken" : "callGiven"], i, rules);
  }

  // times is "once", or "3 times".
  times(n) {
    return n === 1 ? "once" : many(n) + " times";
  }

  // stop is why the world is to stop.
  stop(i) {
    if (this.e.hi[i] >= goodForEver) return "the program dies";
    return this.arg(i) === 0 ? "audit" : this.trace.about.Stops?.[this.arg(i)] ?? "";
  }

  // causes tells why and how the goroutine of a run was preempted, by what
  // struck its M while it ran, the latest first.
  causes(run) {
    const { trace, e } = this;
    const { Tick, TakeIPI, Inject, Stop, Go } = trace.kinds;
    let why = "";
    let how = "guard";
    let going = false;
    for (let i = this.leaving(run) - 1, n = 0; i > trace.runEvent[run] && n < 20000; i--, n++) {
      const kind = e.kind[i];
      if (kind === Go) going = true;
      // The M that stops the world sends interrupts, too.
      if (kind === Stop && !going && (!why || why === "ipi")) why = "stopped";
      if (e.m[i] !== trace.runs.m[run]) continue;
      if (kind === Inject && !why) how = "inject";
      if (kind === Tick && e.lo[i] & 1) why ||= e.lo[i] & 2 ? "slice" : "timer";
      if (kind === TakeIPI && e.auxlo[i] === 2) why ||= "ipi";
    }
    return why ? [why, how] : [how];
  }

  // args are an event's arguments in short, for lists.
  args(i) {
    return this.short(this.trace.about.Events[this.e.kind[i]], i);
  }

  // short is what lists say of event i by a row of one of the tables.
  short(row, i) {
    return row?.list ? this.fill({ text: row.list }, i, []).join("") : "";
  }
}

// table has what stands for each word; this is a Words, i the event.
Words.table = {
  G(i) { return this.goroutine(this.e.g[i]); },
  M(i) { return "M" + this.e.m[i]; },
  P(i) { return this.e.p[i] < 0 ? "no P" : "P" + this.e.p[i]; },
  by(i) {
    const run = this.doer(i);
    return run < 0 ? "A timer, an interrupt or the scheduler" : { ...this.goroutine(this.trace.runs.g[run]), go: { kind: "run", id: run } };
  },
  toM(i) { return "M" + this.arg(i); },
  argP(i) { return "P" + this.arg(i); },
  auxP(i) { return "P" + (this.e.auxlo[i] & 0xff); },
  victim(i) { return "P" + this.victim(i); },
  count(i) { return this.gs(this.moved(i)); },
  number(i) { return many(this.arg(i)); },
  index(i) { return String(this.e.lo[i] % 256); },
  entry(i) { return this.e.g[i] < 0 ? "a function" : this.trace.string(this.trace.gs.entry[this.e.g[i]]); },
  parked(i) { return this.e.hi[i] >>> 31 ? " It waits at first." : ""; },
  reason(i) { return this.reason(i); },
  place(i, rules) {
    const run = this.runOf(i);
    const from = this.e.kind[i] === this.trace.kinds.Pass ? this.e.auxlo[i] : this.e.lo[i];
    return run >= 0 ? this.how(run, rules) : this.fill(this.trace.about.Places[from & 0xff], i, rules);
  },
  inherit(i, rules) { return this.e.hi[i] >>> 31 ? this.fill(this.trace.about.Finer.inherit, i, rules) : ""; },
  asked(i) { return this.asker(this.runOf(i)); },
  look(i, rules) { return this.fill(this.trace.about.Looks[this.e.lo[i] & 0xff], i, rules); },
  pass(i) { return String((this.e.lo[i] >>> 8) + 1); },
  ipi(i, rules) { return this.fill(this.trace.about.IPIs[this.aux(i)], i, rules); },
  until(i) { return this.until(i); },
  span(i) { return long(this.arg(i)); },
  policy(i) {
    let name = "";
    for (let n = this.arg(i); n > 0; n = Math.floor(n / 256)) name += String.fromCharCode(n % 256);
    return name;
  },
  phase(i) { return phaseNames[this.arg(i)] ?? String(this.arg(i)); },
  stop(i) { return this.stop(i) || "for a reason that is not known"; },
  from(i) { return this.status(this.e.lo[i]); },
  to(i) { return this.status(this.e.hi[i]); },
  tick(i, rules) {
    if (this.e.lo[i] & 4) return this.fill(this.trace.about.Finer.tickCall, i, rules);
    const leave = this.e.lo[i] & 1;
    return this.fill(this.trace.about.Finer[leave ? (this.e.lo[i] & 2 ? "tickSlice" : "tickTimer") : "tickQuiet"], i, rules);
  },
  spinning(i) { return this.e.auxlo[i] & 256 ? ", to look for work" : ""; },
  slice() { return long(this.trace.about.Slice).replace(/\.0+ /, " "); },
  takenP(i) { return "P" + (this.e.lo[i] & 0xff); },
  takenM(i) { return "M" + ((this.e.lo[i] >>> 8) & 0xff); },
  times(i) { return this.times(this.arg(i)); },
  untied(i) { return this.arg(i) ? `It is still tied to it, ${this.times(this.arg(i))}.` : "It is tied to it no longer."; },
  lost(i, rules) { return this.e.p[i] < 0 ? this.fill(this.trace.about.Finer.lostP, i, rules) : ""; },
  parks(i, rules) {
    if (!this.arg(i)) return "nothing to do: it goes on the list of parked Ms";
    rules.push("M13");
    return "waits for a goroutine that is tied to it: until that is found it runs nothing else";
  },
  // In lists.
  waits(i) { return this.e.hi[i] >>> 31 ? ", waits" : ""; },
  found(i) { return this.short(this.trace.about.Places[this.e.lo[i] & 0xff], i) || "unknown"; },
  inherits(i) { return this.e.hi[i] >>> 31 ? ", inherits" : ""; },
  ties(i) { return this.arg(i) ? this.times(this.arg(i)) : "no more"; },
  without(i) { return this.e.p[i] < 0 ? "without its P" : ""; },
  waitsFor(i) { return this.arg(i) ? "for its own goroutine" : ""; },
  spins(i) { return this.e.auxlo[i] & 256 ? ", spinning" : ""; },
  step(i) { return this.short(this.trace.about.Looks[this.e.lo[i] & 0xff], i); },
  why(i) { return this.e.lo[i] & 4 ? "in a system call" : this.e.lo[i] & 1 ? (this.e.lo[i] & 2 ? "slice used up" : "timer or device due") : ""; },
  ipiName(i) { return this.short(this.trace.about.IPIs[this.aux(i)], i) || "unknown"; },
  drop(i) { return this.trace.about.Drops[this.aux(i)] || "unknown"; },
};

// Tables of the statistics: by function, and by the places at which goroutines
// waited.

// functions sums the statistics s of goroutines up by the function that they are made
// of (for whom, if that is one of package sync's).
function functions(trace, s) {
  const by = new Map();
  for (let g = 0; g < trace.gCount; g++) {
    if (overlap(trace.gs.made[g], trace.gs.ended[g] < 0 ? trace.length : trace.gs.ended[g], s.from, s.to) <= 0 && !s.runs[g]) continue;
    const name = trace.string(trace.gs.kin[g]);
    let f = by.get(name);
    if (!f) by.set(name, (f = { name, count: 0, runs: 0, running: 0, ready: 0, waiting: 0, calling: 0, blocked: 0 }));
    f.count++;
    for (const k of ["runs", "running", "ready", "waiting", "calling", "blocked"]) f[k] += s[k][g];
  }
  return [...by.values()];
}

// waits sums the waits that overlap a piece of time up by what for and where. Each has
// how many began in it, how long they were in all, how many of its goroutines still
// waited at its end, and the longest: whose it was and when.
function waits(trace, from, to) {
  const by = new Map();
  const r = trace.runs;
  for (let i = 0; i < r.count; i++) {
    if (r.left[i] !== trace.kinds.Block || r.end[i] > to) continue;
    const next = trace.neighbour(i, 1);
    const end = next >= 0 ? r.start[next] - r.wait[next] : Math.min(trace.length, trace.readied(r.g[i]));
    if (end < from) continue;
    const key = r.reason[i] + "@" + trace.places[r.stack[i]];
    let w = by.get(key);
    if (!w) by.set(key, (w = { reason: trace.string(r.reason[i]), place: trace.string(trace.places[r.stack[i]]), count: 0, long: 0, most: -1, open: 0 }));
    const long = overlap(r.end[i], end, from, to);
    if (r.end[i] >= from) w.count++;
    if (end >= to) w.open++;
    w.long += long;
    if (long > w.most) Object.assign(w, { most: long, g: r.g[i], at: Math.max(from, Math.min(to, (r.end[i] + end) / 2)) });
  }
  return [...by.values()];
}

// A Table lists things that have names and numbers; a click on a head sorts.
class Table {
  // columns are {name, head, value(x), text(x)}: value is what is sorted by, the
  // least first. found(x) is the text that the search looks in, click(x) is called
  // when a row is clicked.
  constructor(head, body, columns, found, click) {
    this.columns = columns;
    this.found = found;
    this.all = [];
    this.list = [];
    this.filter = "";
    this.by = columns.find((c) => c.first);
    this.up = 1;
    this.rows = new Rows(body, columns, (cells, i) => {
      columns.forEach((c, k) => {
        cells[k].textContent = c.text(this.list[i]);
        cells[k].title = c.name === "num" ? "" : cells[k].textContent;
      });
    }, (i) => click(this.list[i]));
    this.heads = columns.map((c) => {
      const b = make("button", c.name, c.head);
      b.onclick = () => {
        this.up = this.by === c ? -this.up : 1;
        this.by = c;
        this.update();
      };
      return b;
    });
    head.replaceChildren(...this.heads);
  }

  // set takes other things.
  set(all) {
    this.all = all;
    this.update();
  }

  // search lists those that have a text.
  search(text) {
    this.filter = text.trim().toLowerCase();
    this.update();
  }

  // update makes the list and shows it.
  update() {
    const { by, up } = this;
    this.list = this.all.filter((x) => this.found(x).toLowerCase().includes(this.filter));
    this.list.sort((a, b) => {
      const [x, y] = [by.value(a), by.value(b)];
      return (x < y ? -1 : x > y ? 1 : 0) * up;
    });
    this.heads.forEach((h, k) => (h.className = this.columns[k].name + (this.columns[k] === by ? (up > 0 ? " sorted" : " sorted up") : "")));
    this.rows.set(this.list.length);
  }
}

const functionColumns = [
  { name: "name", head: "function", value: (f) => f.name, text: (f) => f.name },
  { name: "num", head: "goroutines", value: (f) => -f.count, text: (f) => many(f.count) },
  { name: "num", head: "runs", value: (f) => -f.runs, text: (f) => many(f.runs) },
  { name: "num", head: "running", value: (f) => -f.running, text: (f) => long(f.running), first: true },
  { name: "num", head: "ready", value: (f) => -f.ready, text: (f) => long(f.ready) },
  { name: "num", head: "waiting", value: (f) => -f.waiting, text: (f) => long(f.waiting) },
  { name: "num", head: "in calls", value: (f) => -f.calling, text: (f) => long(f.calling) },
  { name: "num", head: "waits", value: (f) => -f.blocked, text: (f) => many(f.blocked) },
];

const waitColumns = [
  { name: "name", head: "waited at", value: (w) => w.place, text: (w) => w.place || "an unknown place" },
  { name: "why", head: "for", value: (w) => w.reason, text: (w) => w.reason || "a reason that is not known" },
  { name: "num", head: "times", value: (w) => -w.count, text: (w) => many(w.count) },
  { name: "num", head: "in all", value: (w) => -w.long, text: (w) => long(w.long), first: true },
  { name: "num", head: "longest", value: (w) => -w.most, text: (w) => long(w.most) },
  { name: "num", head: "at the end", value: (w) => -w.open, text: (w) => many(w.open) },
];

// Lists: of goroutines, which can be sorted and filtered, and of events.

// runColumns are the columns of lists of goroutines; value(s, g) is what is
// sorted by, s being the numbers (see stats.js).
const gColumns = [
  { name: "name", head: "goroutine", value: (s, g) => g, text: (s, g, trace) => trace.name(g) },
  { name: "num", head: "runs", value: (s, g) => -s.runs[g], text: (s, g) => many(s.runs[g]) },
  { name: "num", head: "running", value: (s, g) => -s.running[g], text: (s, g) => long(s.running[g]) },
  { name: "num", head: "ready", value: (s, g) => -s.ready[g], text: (s, g) => long(s.ready[g]) },
  { name: "num", head: "waiting", value: (s, g) => -s.waiting[g], text: (s, g) => long(s.waiting[g]) },
  { name: "num", head: "in calls", value: (s, g) => -s.calling[g], text: (s, g) => long(s.calling[g]) },
  { name: "blocks", head: "blocked by reason", value: (s, g) => -s.blocked[g], text: (s, g, trace) => blocksOf(trace, s.runsIn(g)).map(([why, n]) => `${many(n)} ${why}`).join(", ") },
];

const ruler = document.createElement("canvas").getContext("2d");

// shorten makes a goroutine's name fit: without the paths of packages, then without the begin
// of "WaitGroup.Go of main.f", then without its end, but never without its number, by which it is told from others of its kind.
function shorten(name, room, font) {
  ruler.font = "600 12px " + font;
  const wide = (s) => ruler.measureText(s).width;
  if (wide(name) <= room) return name;
  name = name.replace(/[^\s/]+\//g, "");
  if (wide(name) > room) name = name.replace(/^\S+ of /, "of ");
  const parts = name.match(/^(.*) (G\d+)$/);
  if (!parts || wide(name) <= room) return name;
  const [, kind, id] = parts;
  const n = Math.floor((kind.length * (room - wide("… " + id))) / wide(kind));
  return kind.slice(0, Math.max(3, n)) + "… " + id;
}

// Gs is a list of goroutines.
class Gs {
  // columns are those of gColumns that are shown; numbers() gives the numbers.
  constructor(head, body, trace, colors, columns, choose) {
    this.trace = trace;
    this.columns = columns;
    this.order = [];
    this.filter = "";
    this.by = null;
    this.up = 1;
    this.chosen = -1;
    this.choose = choose;
    this.rows = new Rows(body, columns, (cells, i, row) => {
      const g = this.order[i];
      row.classList.toggle("on", g === this.chosen);
      columns.forEach((c, k) => {
        cells[k].textContent = c.text(this.numbers, g, trace);
        cells[k].title = c.name === "num" ? "" : cells[k].textContent;
      });
      const beside = columns.some((c) => c.name === "blocks") ? this.rows.width * 0.66 : 74 * (columns.length - 1);
      cells[0].textContent = shorten(cells[0].title, this.rows.width - 28 - beside - 20, colors.font);
      const spot = make("i", "swatch");
      spot.style.background = colors.of(g);
      cells[0].prepend(spot);
    }, (i) => choose({ kind: "g", id: this.order[i] }, false));
    this.heads = columns.map((c) => {
      const b = make("button", c.name, c.head);
      b.onclick = () => this.sort(c);
      return b;
    });
    head.replaceChildren(...this.heads);
  }

  // set takes new numbers.
  set(numbers) {
    this.numbers = numbers;
    this.update();
  }

  // sort sorts by a column, or reverses the order.
  sort(column) {
    this.up = this.by === column ? -this.up : 1;
    this.by = column;
    this.update();
  }

  // search shows those whose name, number or go statement has the text.
  search(text) {
    this.filter = text.trim().toLowerCase();
    this.update();
  }

  // matches reports whether the filter lets a goroutine through.
  matches(g) {
    const f = this.filter;
    if (!f) return true;
    if (/^g?\d+$/.test(f)) return ("g" + this.trace.gs.id[g]).startsWith(f.startsWith("g") ? f : "g" + f);
    return (this.trace.name(g) + " " + this.trace.string(this.trace.gs.site[g])).toLowerCase().includes(f);
  }

  // update makes the order and shows it.
  update() {
    this.order = [];
    for (let g = 0; g < this.trace.gCount; g++) if (this.matches(g)) this.order.push(g);
    if (this.by && this.numbers) {
      const keys = new Float64Array(this.trace.gCount);
      for (const g of this.order) keys[g] = this.by.value(this.numbers, g) * this.up;
      this.order.sort((a, b) => keys[a] - keys[b] || a - b);
    }
    // As they come, the program's own are before the runtime's.
    else this.order.sort((a, b) => this.trace.gs.system[a] - this.trace.gs.system[b] || a - b);
    this.heads.forEach((h, k) => (h.className = this.columns[k].name + (this.columns[k] === this.by ? (this.up > 0 ? " sorted" : " sorted up") : "")));
    this.rows.set(this.order.length);
    this.changed?.();
  }

  // mark shows which goroutine is looked at.
  mark(g) {
    this.chosen = g;
    this.rows.reveal(this.order.indexOf(g));
  }
}

// mostEvents is how many events are listed.
const mostEvents = 20000;

// Events is the list of the events in view.
class Events {
  constructor(note, body, trace, view, words, choose) {
    this.note = note;
    this.trace = trace;
    this.view = view;
    this.list = [];
    const e = trace.events;
    const columns = [{ name: "num time" }, { name: "kind" }, { name: "mp" }, { name: "mp" }, { name: "who" }, { name: "args" }];
    this.rows = new Rows(body, columns, (cells, k, row) => {
      const i = this.list[k];
      row.classList.toggle("on", view.chosen?.kind === "event" && view.chosen.id === i);
      const texts = [moment(trace.begin + e.at[i], 100).replace(" ms", ""), trace.about.Names[e.kind[i]], "M" + e.m[i], e.p[i] < 0 ? "" : "P" + e.p[i], trace.short(e.g[i]), words.args(i)];
      texts.forEach((t, c) => (cells[c].textContent = t));
      cells[5].title = texts[5];
    }, (k) => choose({ kind: "event", id: this.list[k] }, false));
  }

  // update lists what is in view now.
  update() {
    const e = this.trace.events;
    const from = after(null, e.at, this.view.from - 1e-6);
    const to = after(null, e.at, this.view.to);
    const n = to - from;
    this.list = [];
    if (n <= mostEvents) {
      for (let i = from; i < to; i++) if (this.view.g < 0 || !this.only || e.g[i] === this.view.g) this.list.push(i);
    }
    this.note.textContent = n > mostEvents ? `${count(n, "event")} in view: zoom in to fewer than ${many(mostEvents)} to list them` : `${count(this.list.length, "event")} in view, times in ms of the guest's clock`;
    this.rows.set(this.list.length);
  }

  // reveal scrolls to an event, if it is listed.
  reveal(i) {
    this.rows.reveal(this.list.indexOf(i));
  }
}

// Report is the page's second face: statistics of the whole recording, or of the
// range that is marked.

class Report {
  constructor(root, trace, colors, choose) {
    this.root = root;
    this.trace = trace;
    this.range = make("p", "about");
    this.totals = make("div", "totals");
    this.charts = make("div", "charts");
    this.filter = make("input", "");
    this.filter.type = "search";
    const tabs = make("nav", "tabs");
    root.replaceChildren(this.range, this.totals, this.charts, make("div", "tablehead", tabs, make("label", "", "search ", this.filter)));
    // table makes a table's place, and the button that shows it.
    this.tables = [];
    const table = (name, id, fill) => {
      const head = make("div", "heads full");
      const body = make("div", "full");
      const place = make("div", "table", head, body);
      const tab = make("button", "", name);
      tab.id = "tab-" + id;
      tab.onclick = () => this.tab(id);
      tabs.append(tab);
      root.append(place);
      const list = fill(head, body);
      this.tables.push({ id, tab, place, list });
      return list;
    };
    this.gs = table("Goroutines", "all", (head, body) => new Gs(head, body, trace, colors, gColumns, choose));
    this.gs.by = gColumns[2];
    this.functions = table("Functions", "functions", (head, body) => new Table(head, body, functionColumns, (f) => f.name, (f) => this.only(f.name)));
    this.waits = table("Waits", "waits", (head, body) => new Table(head, body, waitColumns, (w) => w.place + " " + w.reason, (w) => choose({ kind: "state", id: w.g, at: w.at }, true)));
    this.filter.oninput = () => this.search(this.filter.value);
    this.tab("all");
  }

  // tab shows a table.
  tab(id) {
    for (const t of this.tables) {
      t.place.hidden = t.id !== id;
      t.tab.classList.toggle("on", t.id === id);
      if (t.id === id) t.list.rows.refresh();
    }
  }

  // search lists what has a text, in each table.
  search(text) {
    this.filter.value = text;
    for (const t of this.tables) t.list.search(text);
  }

  // only shows the goroutines of a function.
  only(name) {
    this.search(name);
    this.tab("all");
  }

  // show shows the numbers s.
  show(s) {
    const t = this.trace;
    const whole = s.from <= 0 && s.to >= t.length;
    this.range.textContent = whole ? `The whole recording, ${long(t.length)}.` : `The marked range, ${long(s.to - s.from)} from ${moment(t.begin + s.from)} on. Escape in the timeline takes the mark away.`;
    this.totals.replaceChildren(...totals(t, s).map(([name, value, more]) => make("div", "tile", make("span", "", name), make("b", "", value), make("small", "", more))));
    this.charts.replaceChildren(
      shareBars(s.ms),
      histogram("Length of runs", s.lasts, "how long goroutines kept a P"),
      histogram("Waiting for a P", s.waits, "from runnable to running"),
      histogram("Lateness of timers", s.late, "from when it was due to when it fired (T1)"),
    );
    this.gs.set(s);
    this.functions.set(functions(t, s));
    this.waits.set(waits(t, s.from, s.to));
  }
}

// Report is the page's second face: statistics of the whole recording, or of the
// range that is marked.

class Report {
  constructor(root, trace, colors, choose) {
    this.root = root;
    this.trace = trace;
    this.range = make("p", "about");
    this.totals = make("div", "totals");
    this.charts = make("div", "charts");
    const head = make("div", "heads full");
    const body = make("div", "full");
    this.filter = make("input", "");
    this.filter.type = "search";
    this.filter.oninput = () => this.gs.search(this.filter.value);
    root.replaceChildren(this.range, this.totals, this.charts, make("div", "tablehead", make("b", "", "Goroutines"), make("label", "", "search ", this.filter)), make("div", "table", head, body));
    this.gs = new Gs(head, body, trace, colors, gColumns, choose);
    this.gs.by = gColumns[2];
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
  }
}

// Panel shows an explanation. Nothing of a recording becomes HTML: texts are put
// into the page as texts.

// make makes an element with a class and with what is in it.
function make(tag, name, ...content) {
  const el = document.createElement(tag);
  if (name) el.className = name;
  el.append(...content.filter((c) => c !== null && c !== undefined));
  return el;
}

class Panel {
  // choose is called with what a link leads to.
  constructor(root, trace, colors, explain, choose) {
    this.root = root;
    this.trace = trace;
    this.colors = colors;
    this.explain = explain;
    this.choose = choose;
  }

  // show shows the explanation of a chosen thing, or what the picture means.
  show(c) {
    if (!c) {
      this.root.replaceChildren(this.legend());
      return;
    }
    const x = this.explain.of(c);
    const body = make("div", "explained", this.title(x), this.facts(x.facts));
    for (const p of x.parts) body.append(this.part(p));
    if (x.links.length) body.append(this.links(x.links));
    if (x.stack) body.append(...this.stack(x));
    this.root.replaceChildren(body);
    this.root.scrollTop = 0;
  }

  // swatch is a spot of a goroutine's colour.
  swatch(g) {
    const s = make("span", "swatch");
    s.style.background = this.colors.of(g);
    return s;
  }

  // title is the first line: of a goroutine it leads to all about it.
  title(x) {
    const name = x.g >= 0 && x.title === this.trace.name(x.g) ? this.link({ text: x.title, go: { kind: "g", id: x.g } }) : x.title;
    return make("h2", "", x.g >= 0 ? this.swatch(x.g) : null, name, make("small", "", x.what));
  }

  // facts is a list of names and values.
  facts(list) {
    return make("dl", "facts", ...list.map(([name, value]) => make("div", "", make("dt", "", name), make("dd", "", value))));
  }

  // part is a paragraph, with its rules behind it; a rule opens when it is
  // clicked.
  part(p) {
    const text = make("p", "", ...p.text.map((t) => (typeof t === "string" ? t : this.link(t))));
    const below = make("div", "rule");
    for (const id of p.rules) {
      const chip = make("button", "chip", id);
      chip.title = this.trace.about.Contract[id] ?? "";
      chip.onclick = () => {
        const open = below.dataset.id === id;
        below.dataset.id = open ? "" : id;
        below.textContent = open ? "" : `${id}: ${chip.title}`;
      };
      text.append(" ", chip);
    }
    const head = p.go ? this.link({ text: p.head, go: p.go }) : p.head;
    return make("section", "part", p.head ? make("h3", "", head, p.note ? make("small", "", p.note) : null) : null, make("div", "", text, below));
  }

  // link is a text that leads to something.
  link(t) {
    const a = make("button", "link", t.g >= 0 ? this.swatch(t.g) : null, t.text);
    a.onclick = () => this.choose(t.go, true);
    return a;
  }

  // links are the steps from here: to the run before, to the waker.
  links(list) {
    return make("nav", "", ...list.map((l) => {
      const b = make("button", "step", l.text);
      b.disabled = !l.go;
      b.onclick = () => this.choose(l.go, true);
      return b;
    }));
  }

  // stack is a list of code lines.
  stack(x) {
    const lines = this.trace.stack(x.stack);
    if (!lines.length) return [];
    const rows = lines.map((f) => {
      const li = make("li", "", make("b", "", f.func), " ", make("span", "", f.file ? `${f.file.split("/").slice(-2).join("/")}:${f.line}` : ""));
      li.title = f.file ? `${f.file}:${f.line}` : "";
      return li;
    });
    return [make("h3", "stackhead", x.stackHead), make("ol", "stack", ...rows)];
  }

  // verdict says how the run ended and where the program's goroutines stood then.
  verdict() {
    const v = this.trace.about.Verdict;
    const box = make("section", v.Bad ? "verdict bad" : "verdict", make("h2", "", v.Title));
    for (const s of v.Stands ?? []) {
      const who = s.Gs.flatMap((g, i) => [i ? ", " : "", this.link({ text: this.trace.name(g), g, go: { kind: "g", id: g } })]);
      if (s.Count > s.Gs.length) who.push(` and ${count(s.Count - s.Gs.length, "other")}`);
      box.append(make("p", "", ...who, `: ${s.What} for `, make("b", "", long(s.For)), s.Where ? ` at ${s.Where}` : "", s.Wakes ? make("small", "", s.Wakes) : null));
    }
    if (v.Rest) box.append(make("p", "", `and at ${count(v.Rest, "place")} more`));
    for (const n of v.Notes ?? []) box.append(make("p", "note", n));
    return box;
  }

  // moments are what is marked, in two columns: who left, and who went on.
  moments() {
    const all = this.trace.about.Marks ?? [];
    if (!all.length) return null;
    const row = (m, i) => {
      const b = make("button", "link", String(i + 1));
      b.onclick = () => this.choose({ kind: "mark", id: i }, true);
      return make("tr", m.Moved ? "moved" : "", make("td", "", b), make("td", "", m.Left), make("td", "", m.Right));
    };
    return make("section", "moments", make("h2", "", "Moments"), make("table", "", ...all.map(row)));
  }

  // legend says what the picture shows, until something is chosen.
  legend() {
    const line = (fill, name, text) => {
      const s = make("span", "swatch wide " + fill);
      return make("p", "key", s, make("span", "", make("b", "", name), " " + text));
    };
    return make("div", "explained", this.verdict(), this.moments(),
      make("h2", "", "What is what"),
      make("p", "", "An M is a vCPU. A P is the right to run goroutines: there are GOMAXPROCS of them, and an M needs one. A G is a goroutine. Click on anything to have it explained."),
      line("sample", "a goroutine runs", "in its own colour. From far away: the higher, the more of the time a goroutine ran."),
      line("spinning", "spinning", "the M has a P and looks for work."),
      line("scheduling", "scheduling", "the M is between two goroutines."),
      line("calling", "in a call", "the M holds a system call. Its P was taken, and others run with it."),
      line("halted", "halted", "the CPU sleeps until an interrupt."),
      line("ready", "ready", "on a goroutine's row: it may run, and waits for a P."),
      ...waitKinds.map((k) => line("wait-" + k.name, "waiting", "for " + k.text + ".")),
      line("stw", "stop the world", "darker while it stands still."),
      line("mark", "collector", "marks beside the program."),
      line("queue", "queue", "how many Gs wait in it."),
      line("arrow", "arrow", "from where a goroutine was made ready to where it ran. Shown when there are few in view, or for the goroutine that is chosen."),
    );
  }
}

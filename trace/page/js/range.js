// What happened in a range of time that was marked.

// range explains a marked range.
Explain.prototype.range = function ({ from, to }) {
  const { trace } = this;
  const s = statistics(trace, from, to);
  const top = Array.from({ length: trace.gCount }, (_, g) => g).filter((g) => s.running[g] > 0).sort((a, b) => s.running[b] - s.running[a]);
  const share = s.ms.map((m, i) => `M${i} ${percent(m.running)}`).join(", ");
  return {
    title: long(to - from), g: -1, what: "marked",
    facts: [["from", this.time(from)], ["to", this.time(to)], ...totals(trace, s).filter(([name]) => ["runs", "wake-ups", "steals", "preemptions"].includes(name)).map(([name, value]) => [name, value])],
    parts: [
      { head: "vCPUs", text: [`Running goroutines: ${share}.`], rules: [] },
      { head: "Most", text: this.list(top.slice(0, 8).flatMap((g) => [{ ...this.words.goroutine(g), text: `${trace.name(g)} ${long(s.running[g])}` }])), rules: [] },
      { head: "", text: ["Press Enter to zoom to it; the statistics are about it until you press Escape."], rules: [] },
    ],
    links: [], stack: 0, range: [from, to],
  };
};

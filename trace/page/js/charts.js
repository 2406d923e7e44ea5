// Charts, as SVG.

// svg makes an SVG element.
function svg(tag, attributes, ...content) {
  const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attributes)) el.setAttribute(k, v);
  el.append(...content);
  return el;
}

// quantile is the value below which a share of sorted values lies.
function quantile(sorted, share) {
  return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] : 0;
}

const perDecade = 5; // buckets of a histogram for each power of ten

// buckets counts values into buckets whose borders grow by the same factor.
function buckets(values) {
  const of = (v) => Math.floor(Math.log10(Math.max(1, v)) * perDecade + 1e-9);
  const first = values.length ? of(values[0]) : 0;
  const last = values.length ? of(values[values.length - 1]) : 0;
  const counts = new Uint32Array(last - first + 1);
  for (const v of values) counts[of(v) - first]++;
  return { first, counts };
}

// histogram draws how values, durations, are spread: both axes are logarithmic,
// because of most durations there are many short ones and a few that matter.
function histogram(title, values, about) {
  const sorted = values.slice().sort();
  const box = make("figure", "histogram", make("figcaption", "", make("b", "", title), " ", make("small", "", about)));
  if (!sorted.length) {
    box.append(make("p", "none", "There were none."));
    return box;
  }
  const { first, counts } = buckets(sorted);
  const [w, h, left, bottom] = [360, 150, 34, 20];
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  const top = Math.log10(most) + 0.3;
  const bar = Math.min(46, (w - left - 22) / counts.length);
  const y = (n) => h - bottom - ((Math.log10(n) + 0.3) / (top + 0.3)) * (h - bottom - 8);
  const pic = svg("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": title });
  for (let k = 0; 10 ** k <= most; k++) {
    pic.append(svg("line", { x1: left, x2: w, y1: y(10 ** k), y2: y(10 ** k), class: "grid" }), svg("text", { x: left - 4, y: y(10 ** k) + 3, class: "end" }, many(10 ** k)));
  }
  counts.forEach((n, i) => {
    if (!n) return;
    const edge = (k) => long(10 ** ((first + k) / perDecade));
    pic.append(svg("rect", { x: left + i * bar + 0.5, y: y(n), width: Math.max(1, bar - 1), height: h - bottom - y(n), class: "bar" }, svg("title", {}, `${many(n)} from ${edge(i)} to ${edge(i + 1)}`)));
  });
  let free = -50;
  for (let i = 0; i <= counts.length; i++) {
    if ((first + i) % perDecade !== 0 || i * bar - free < 44) continue;
    free = i * bar;
    pic.append(svg("text", { x: left + i * bar, y: h - 6, class: "middle" }, long(10 ** ((first + i) / perDecade)).replace(/\.0+ /, " ")));
  }
  const q = (share) => long(quantile(sorted, share));
  box.append(pic, make("p", "quantiles", `median ${q(0.5)}, 90% ${q(0.9)}, 99% ${q(0.99)}, most ${q(1)}, ${count(sorted.length, "value")}`));
  return box;
}

// shareBars draws how each M spent its time.
function shareBars(ms) {
  const kinds = ["running", "scheduling", "spinning", "in a call", "halted"];
  const style = (k) => (k === "in a call" ? "calling" : k);
  const rows = ms.map((m, i) => {
    const bar = make("span", "sharebar");
    for (const k of kinds) {
      const part = make("i", style(k));
      part.style.width = 100 * m[k] + "%";
      part.title = `${k} ${percent(m[k])}`;
      bar.append(part);
    }
    const line = make("p", "share", make("b", "", "M" + i), bar, make("span", "num", percent(m.running)));
    line.title = kinds.map((k) => `${k} ${percent(m[k])}`).join(", ");
    return line;
  });
  const key = make("p", "sharekey", ...kinds.map((k) => make("span", "", make("i", "swatch " + style(k)), k)));
  return make("figure", "shares", make("figcaption", "", make("b", "", "What the vCPUs did")), ...rows, key);
}

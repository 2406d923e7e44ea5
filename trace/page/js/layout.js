// Layout says where each row of the picture is. Rows get the room there is; when
// there are too many they keep a least height and the picture scrolls.

const gutter = 130; // of the rows' names, left of the lanes
const axisHeight = 26;
const kinds = {
  world: { least: 17, most: 20, weight: 0 },
  m: { least: 18, most: 56, weight: 1, gap: 5 },
  p: { least: 18, most: 56, weight: 1, gap: 6 },
  queue: { least: 12, most: 34, weight: 0.6, gap: 1 },
  global: { least: 18, most: 44, weight: 0.7, gap: 8 },
};
const lifeHeight = 15; // of a goroutine's row
const lifeStep = lifeHeight + 2;

// layout returns the rows for a height, and how high they are in all. Below those
// of Ms, Ps and queues is one for each goroutine of order, which has no row
// here: there may be very many, and only those in view are made (inView).
function layout(trace, show, height, order) {
  const lives = show.gs && order.length ? 24 + order.length * lifeStep : 0;
  height -= Math.min(lives, height * 0.45);
  const rows = [];
  const add = (kind, id) => rows.push({ kind, id, ...kinds[kind], gap: kinds[kind].gap ?? 3 });
  if (trace.stops.start.length + trace.phases.start.length > 0) add("world", 0);
  if (show.ms) trace.ms.forEach((_, m) => add("m", m));
  if (show.ps) trace.ps.forEach((_, p) => (add("p", p), show.queues && add("queue", p)));
  else if (show.queues) trace.ps.forEach((_, p) => add("queue", p));
  if (show.queues) add("global", 0);
  rows.forEach((r, i) => (r.gap += r.kind === "p" && rows[i - 1]?.kind === "m" ? 6 : 0));
  const gaps = rows.reduce((sum, r) => sum + r.gap, 0) + 8;
  const fixed = rows.reduce((sum, r) => sum + (r.weight ? 0 : r.most), 0);
  const weights = rows.reduce((sum, r) => sum + r.weight, 0);
  const unit = (height - axisHeight - gaps - fixed) / Math.max(1, weights);
  let y = axisHeight;
  for (const r of rows) {
    y += r.gap;
    r.h = Math.floor(r.weight ? Math.min(r.most, Math.max(r.least, unit * r.weight)) : r.most);
    r.y = y;
    y += r.h;
  }
  const gs = lives ? y + 24 : y;
  return { rows, gs, order: lives ? order : [], height: y + lives + 8 };
}

// inView returns the rows of a layout that are seen when it is scrolled up by some
// pixels, each where it is then.
function inView(layout, scroll, height) {
  const rows = layout.rows.map((r) => ({ ...r, y: r.y - scroll }));
  const { gs, order } = layout;
  if (!order.length) return rows;
  rows.push({ kind: "head", id: 0, y: gs - 20 - scroll, h: 16 });
  const first = Math.max(0, Math.floor((scroll + axisHeight - gs) / lifeStep));
  for (let i = first; i < order.length; i++) {
    const y = gs + i * lifeStep - scroll;
    if (y > height) break;
    rows.push({ kind: "g", id: order[i], y, h: lifeHeight });
  }
  return rows;
}

// rowOf finds the row of a kind with an id, or undefined.
function rowOf(rows, kind, id) {
  return rows.find((r) => r.kind === kind && r.id === id);
}

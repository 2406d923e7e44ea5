// Durations and moments in words.

// long is a duration, with three digits that count.
function long(ns) {
  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]];
  for (const [size, unit] of units) {
    if (Math.abs(ns) >= size) {
      const v = ns / size;
      return v.toFixed(v >= 100 ? 0 : v >= 10 ? 1 : 2) + " " + unit;
    }
  }
  return Math.round(ns) + " ns";
}

// step is a round number of nanoseconds that is at least ns.
function step(ns) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, ns)));
  return [1, 2, 5, 10].map((k) => k * unit).find((v) => v >= ns * 0.999);
}

// moment is a time of the guest's clock, in milliseconds, with as many digits
// as tell it from one that is by nanoseconds away.
function moment(ns, by = 1) {
  const digits = Math.max(0, Math.min(6, 6 - Math.floor(Math.log10(Math.max(1, by)) + 1e-9)));
  const [whole, rest] = (ns / 1e6).toFixed(digits).split(".");
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return (rest ? thousands + "." + rest : thousands) + " ms";
}

// many is a number with its thousands apart.
function many(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

// percent is a share in words.
function percent(share) {
  return (100 * share).toFixed(share < 0.1 ? 1 : 0) + "%";
}

// count is a number of things: "1 run", "2 runs".
function count(n, thing) {
  return many(n) + " " + thing + (n === 1 ? "" : "s");
}

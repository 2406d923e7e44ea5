// Bins: what a lane shows where there is more of it than pixels. Time is cut
// into bins of a power of two of nanoseconds, on a grid that does not move with
// the view, so that a bin looks the same wherever it is, and into tiles of many
// bins, which are kept: moving along makes only the tiles that come into view.

const tileBins = 256;

class Bins {
  // make(tile, from, width) fills tile: bins of width from time from on.
  constructor(make) {
    this.make = make;
    this.tiles = new Map();
  }

  // each calls draw(tile, i, from, to) for the bins between times from and to,
  // which are at least perPixel wide.
  each(from, to, perPixel, draw) {
    const level = Math.max(0, Math.ceil(Math.log2(perPixel)));
    const width = 2 ** level;
    const first = Math.max(0, Math.floor(from / width));
    const last = Math.floor(to / width);
    for (let k = Math.floor(first / tileBins); k * tileBins <= last; k++) {
      const tile = this.tile(level, k, width);
      const a = Math.max(0, first - k * tileBins);
      const b = Math.min(tileBins - 1, last - k * tileBins);
      for (let i = a; i <= b; i++) {
        const t = (k * tileBins + i) * width;
        draw(tile, i, t, t + width);
      }
    }
  }

  // tile returns a tile, made now if it is not there. Those that were not used
  // for long are dropped.
  tile(level, k, width) {
    const key = level + "/" + k;
    let tile = this.tiles.get(key);
    if (tile) {
      this.tiles.delete(key);
    } else {
      tile = this.make(k * tileBins * width, width);
      if (this.tiles.size > 64) this.tiles.delete(this.tiles.keys().next().value);
    }
    this.tiles.set(key, tile);
    return tile;
  }
}

// spread adds a stretch of time to the bins that it touches: add(bin, length).
function spread(start, end, from, width, add) {
  const a = Math.max(0, Math.floor((start - from) / width));
  const b = Math.min(tileBins - 1, Math.floor((end - from) / width));
  for (let i = a; i <= b; i++) {
    const t = from + i * width;
    add(i, Math.min(end, t + width) - Math.max(start, t));
  }
}

// runBins are bins of a lane's runs: the goroutine that ran longest, by a vote that needs no memory
// (what one gains in a bin the others lose), and the share of time in which any ran. With spans
// there is what an M did besides.
function runBins(trace, lane, spans) {
  return new Bins((from, width) => {
    const to = from + width * tileBins;
    const tile = { g: new Int32Array(tileBins).fill(-1), busy: new Float32Array(tileBins), sched: new Float32Array(tileBins), spin: new Float32Array(tileBins), call: new Float32Array(tileBins) };
    const votes = new Float64Array(tileBins);
    const r = trace.runs;
    for (let k = Math.max(0, after(lane.runs, r.start, from) - 1); k < lane.runs.length; k++) {
      const run = lane.runs[k];
      if (r.start[run] >= to) break;
      const g = r.g[run];
      spread(r.start[run], r.end[run], from, width, (i, d) => {
        tile.busy[i] += d / width;
        if (tile.g[i] === g) votes[i] += d;
        else if ((votes[i] -= d) < 0 || tile.g[i] < 0) {
          tile.g[i] = g;
          votes[i] = Math.abs(votes[i]);
        }
      });
    }
    const s = trace.spans;
    if (spans) {
      for (let k = Math.max(0, after(spans, s.start, from) - 1); k < spans.length; k++) {
        const span = spans[k];
        if (s.start[span] >= to) break;
        const into = [tile.sched, null, tile.spin, null, tile.call][s.doing[span]];
        if (into) spread(s.start[span], s.end[span], from, width, (i, d) => (into[i] += d / width));
      }
    }
    return tile;
  });
}

// queueBins are bins of a queue's length: its least and its most.
function queueBins(trace, q) {
  return new Bins((from, width) => {
    const tile = { least: new Uint32Array(tileBins), most: new Uint32Array(tileBins) };
    let k = after(null, q.at, from);
    let len = k ? q.len[k - 1] : 0;
    for (let i = 0; i < tileBins; i++) {
      tile.least[i] = tile.most[i] = len;
      const end = from + (i + 1) * width;
      for (; k < q.at.length && q.at[k] < end; k++) {
        len = q.len[k];
        if (len < tile.least[i]) tile.least[i] = len;
        if (len > tile.most[i]) tile.most[i] = len;
      }
    }
    return tile;
  });
}

// View is what is looked at: the range of time, what is chosen, what is shown.
// Code that changes it calls changed, and the page draws itself again.
class View {
  constructor(trace, changed) {
    this.trace = trace;
    this.changed = changed;
    this.from = 0;
    this.to = trace.length;
    this.width = 1; // of the lanes, in pixels
    this.scroll = 0; // of the lanes, up and down
    this.chosen = null; // see explain.js
    this.g = -1; // the goroutine that is looked at
    this.range = null; // a piece of time that was marked: [from, to]
    this.show = { ms: true, ps: true, queues: true, gs: true, arrows: true };
  }

  // perPixel is how many nanoseconds a pixel has.
  get perPixel() {
    return (this.to - this.from) / this.width;
  }

  // x is the place of time t, t the time at x.
  x(t) {
    return (t - this.from) / this.perPixel;
  }

  // t is the time at x.
  t(x) {
    return this.from + x * this.perPixel;
  }

  // zoom shows the range from..to: at least some nanoseconds, and a little more
  // than the recording at most.
  zoom(from, to) {
    const all = this.trace.length;
    const size = Math.min(Math.max(to - from, 50), all * 1.04);
    const middle = (from + to) / 2;
    from = Math.min(Math.max(middle - size / 2, -all * 0.02), all * 1.02 - size);
    this.from = from;
    this.to = from + size;
    this.changed();
  }

  // by zooms by a factor; what is at t stays where it is.
  by(factor, t = (this.from + this.to) / 2) {
    const size = Math.min(Math.max((this.to - this.from) * factor, 50), this.trace.length * 1.04);
    const share = (t - this.from) / (this.to - this.from);
    this.zoom(t - share * size, t + (1 - share) * size);
  }

  // pan moves by a share of what is seen.
  pan(share) {
    const d = (this.to - this.from) * share;
    this.zoom(this.from + d, this.to + d);
  }

  // all shows the whole recording.
  all() {
    this.zoom(-this.trace.length * 0.005, this.trace.length * 1.005);
  }

  // into brings from..to into view, changing the scale only if it must: the
  // stretch should be visible, and not as a speck.
  into(from, to) {
    const size = this.to - this.from;
    const long = to - from;
    if (long > size || long < size / 400) {
      const room = Math.max(long * 12, 2000);
      this.zoom((from + to - room) / 2, (from + to + room) / 2);
    } else if (from < this.from || to > this.to) {
      this.zoom((from + to - size) / 2, (from + to + size) / 2);
    } else {
      this.changed();
    }
  }
}

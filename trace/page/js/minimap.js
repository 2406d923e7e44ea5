// The minimap: the whole recording, small, with a frame around what is in view.

class Minimap {
  // bins are those of the Ms' lanes.
  constructor(canvas, trace, view, colors, bins) {
    this.canvas = canvas;
    this.trace = trace;
    this.view = view;
    this.colors = colors;
    this.bins = bins;
    this.picture = null;
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      this.to(e.offsetX);
    });
    canvas.addEventListener("pointermove", (e) => e.buttons & 1 && this.to(e.offsetX));
  }

  // to moves the view's middle to a place on the map.
  to(x) {
    const at = (x / this.width) * this.trace.length;
    const size = this.view.to - this.view.from;
    this.view.zoom(at - size / 2, at + size / 2);
  }

  // resize takes a new width, or new colours.
  resize() {
    this.ctx = fit(this.canvas);
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.picture = null;
  }

  // paint makes the picture below the frame: the share of all vCPUs that run
  // goroutines, and above it that spin, over time.
  paint() {
    const { trace, colors, width, height } = this;
    const picture = new OffscreenCanvas(this.canvas.width, this.canvas.height);
    const ctx = picture.getContext("2d");
    ctx.scale(this.canvas.width / width, this.canvas.height / height);
    const busy = new Float64Array(Math.ceil(width) + 2);
    const spin = new Float64Array(busy.length);
    const per = trace.length / width;
    for (const bins of this.bins) {
      bins.each(0, trace.length, per, (tile, i, from, to) => {
        // A bin may lie over two pixels and more than one bin in a pixel.
        for (let x = Math.floor(from / per); x * per < to && x < busy.length; x++) {
          const share = Math.max(0, Math.min(to, (x + 1) * per) - Math.max(from, x * per)) / per / trace.mCount;
          busy[x] += tile.busy[i] * share;
          spin[x] += tile.spin[i] * share;
        }
      });
    }
    for (let x = 0; x < width; x++) {
      const b = busy[x] * (height - 4);
      const s = spin[x] * (height - 4);
      ctx.fillStyle = colors.theme.accent;
      ctx.globalAlpha = 0.5;
      ctx.fillRect(x, height - b, 1, b);
      ctx.fillStyle = colors.theme.spin;
      ctx.globalAlpha = 0.8;
      ctx.fillRect(x, height - b - s, 1, s);
    }
    ctx.globalAlpha = 0.6;
    ctx.fillStyle = colors.theme.stw;
    trace.stops.start.forEach((at, i) => ctx.fillRect(at / per, 0, Math.max(1, (trace.stops.end[i] - at) / per), 4));
    ctx.globalAlpha = 1;
    return picture;
  }

  // draw draws the map.
  draw() {
    const { ctx, view, colors, width, height } = this;
    this.picture ??= this.paint();
    ctx.clearRect(0, 0, width, height);
    ctx.drawImage(this.picture, 0, 0, width, height);
    const a = Math.max(0, (view.from / this.trace.length) * width);
    const b = Math.min(width, Math.max(a + 3, (view.to / this.trace.length) * width));
    ctx.fillStyle = colors.theme.ground;
    ctx.globalAlpha = 0.45;
    ctx.fillRect(0, 0, a, height);
    ctx.fillRect(b, 0, width - b, height);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colors.theme.accent;
    ctx.lineWidth = 1.5;
    ctx.strokeRect(a + 0.75, 0.75, b - a - 1.5, height - 1.5);
  }
}

// fit gives a canvas as many pixels as the screen has there, and returns its
// context, in the style sheet's pixels.
function fit(canvas) {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.textBaseline = "middle";
  return ctx;
}

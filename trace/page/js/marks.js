// Marks: moments that a hunt tells of, as lines over all rows with a number at the axis.

const flag = { width: 17, height: 13, top: 12 };

class Marks {
  constructor(trace, view, colors) {
    this.list = trace.about.Marks ?? [];
    this.trace = trace;
    this.view = view;
    this.colors = colors;
    this.shown = []; // [number, x] of what was drawn, for the pointer
  }

  // color is a mark's: those without which the run would be another one stand out.
  color(m) {
    return m.Moved ? this.colors.theme.stw : this.colors.theme.accent;
  }

  // draw draws those in view, from the axis down.
  draw(ctx, bottom, drawn) {
    const { view, colors } = this;
    this.shown = [];
    ctx.save();
    ctx.font = "700 10px " + colors.font;
    ctx.textAlign = "center";
    this.list.forEach((m, i) => {
      if (m.At < view.from || m.At > view.to) return;
      const x = Math.round(view.x(m.At));
      const chosen = view.chosen?.kind === "mark" && view.chosen.id === i;
      ctx.fillStyle = this.color(m);
      ctx.globalAlpha = chosen ? 1 : 0.75;
      ctx.fillRect(x - (chosen ? 1 : 0.5), axisHeight, chosen ? 2 : 1, bottom - axisHeight);
      ctx.globalAlpha = 1;
      ctx.fillRect(x - flag.width / 2, flag.top, flag.width, flag.height);
      ctx.fillStyle = colors.theme.ground;
      ctx.fillText(String(i + 1), x, flag.top + flag.height / 2 + 1);
      this.shown.push([i, x]);
      drawn.marks++;
    });
    ctx.restore();
  }

  // at returns the mark whose flag is at a point, the last one drawn first; -1: there is none.
  at(x, y) {
    if (y < flag.top || y > flag.top + flag.height) return -1;
    const hit = this.shown.findLast(([, at]) => Math.abs(at - x) <= flag.width / 2);
    return hit ? hit[0] : -1;
  }
}

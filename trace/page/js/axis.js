// The axis: the guest's time, and the rows' names.

// drawAxis draws ticks, and faint lines over the lanes.
function drawAxis(ctx, view, colors, bottom) {
  const t = colors.theme;
  const every = step(view.perPixel * 125);
  const begin = view.trace.begin;
  ctx.lineWidth = 1;
  for (let at = Math.ceil((begin + view.from) / every) * every; at <= begin + view.to; at += every) {
    const x = Math.round(view.x(at - begin)) + 0.5;
    ctx.strokeStyle = t.ink;
    ctx.globalAlpha = 0.09;
    ctx.beginPath();
    ctx.moveTo(x, 3);
    ctx.lineTo(x, bottom);
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.fillStyle = t.soft;
    ctx.fillText(moment(at, every), x + 4, 11);
  }
}

// drawNames writes the rows' names left of the lanes.
function drawNames(ctx, rows, trace, curves, colors, chosen) {
  const t = colors.theme;
  const font = (size, weight) => (ctx.font = `${weight} ${size}px ${colors.font}`);
  for (const row of rows) {
    const y = row.y + row.h / 2 + 0.5;
    const write = (text, x, color, size = 11, weight = 400) => {
      font(size, weight);
      ctx.fillStyle = color;
      ctx.fillText(text, x, y);
    };
    if (row.kind === "m") {
      write("M" + row.id, 10, t.ink, 13, 650);
      write("vCPU " + row.id, 40, t.soft);
    } else if (row.kind === "p") {
      write("P" + row.id, 10, t.ink, 13, 650);
    } else if (row.kind === "world") {
      write("world", 10, t.soft);
    } else if (row.kind === "head") {
      write("goroutines", 10, t.soft, 10.5);
    } else if (row.kind === "g") {
      const short = trace.short(row.id);
      write(short, 10, t.ink, 11, row.id === chosen ? 750 : 600);
      const left = 15 + ctx.measureText(short).width;
      write(trace.function(row.id), left, t.soft, 9.5);
    } else {
      const queue = rowOf(rows, "p", row.id) ? "queue" : `queue of P${row.id}`;
      write(row.kind === "global" ? "global queue" : queue, 10, t.soft, row.h < 15 ? 9.5 : 10.5);
      if (row.h >= 18) {
        const top = String(curves.scale(row));
        font(9, 400);
        ctx.fillText(top, gutter - 6 - ctx.measureText(top).width, row.y + 6);
        ctx.fillText("0", gutter - 6 - ctx.measureText("0").width, row.y + row.h - 3);
      }
    }
  }
}

// Rows is a list of which only the rows in view are in the page, so that it can
// have a hundred thousand.

const rowHeight = 23;

class Rows {
  // fill(cells, i) writes row i into an array of cells; click(i) is called when
  // a row is clicked.
  constructor(root, columns, fill, click) {
    this.root = root;
    this.columns = columns;
    this.fill = fill;
    this.count = 0;
    this.pool = [];
    this.body = make("div", "rowsbody");
    root.classList.add("rows");
    root.replaceChildren(this.body);
    root.addEventListener("scroll", () => this.refresh());
    new ResizeObserver(() => this.refresh()).observe(root);
    this.body.addEventListener("click", (e) => {
      const row = e.target.closest(".row");
      if (row) click(Number(row.dataset.i));
    });
  }

  // set says how many rows there are now, and shows them.
  set(count) {
    this.count = count;
    this.body.style.height = count * rowHeight + "px";
    this.refresh();
  }

  // refresh writes the rows in view.
  refresh() {
    this.width = this.root.clientWidth;
    const first = Math.max(0, Math.floor(this.root.scrollTop / rowHeight) - 2);
    const want = Math.min(this.count - first, Math.ceil(this.root.clientHeight / rowHeight) + 4);
    while (this.pool.length < want) this.pool.push(this.row());
    this.pool.forEach((row, k) => {
      row.hidden = k >= want;
      if (row.hidden) return;
      row.style.top = (first + k) * rowHeight + "px";
      row.dataset.i = first + k;
      row.className = "row";
      this.fill(row.cells, first + k, row);
    });
  }

  // reveal scrolls to row i, if it is out of view; -1 is no row.
  reveal(i) {
    const y = i * rowHeight;
    const { scrollTop, clientHeight } = this.root;
    if (i >= 0 && clientHeight > 0 && (y < scrollTop || y > scrollTop + clientHeight - rowHeight)) this.root.scrollTop = y - clientHeight / 3;
    this.refresh();
  }

  // row makes an empty row.
  row() {
    const row = make("div", "row");
    row.cells = this.columns.map((c) => make("span", c.name));
    row.append(...row.cells);
    this.body.append(row);
    return row;
  }
}

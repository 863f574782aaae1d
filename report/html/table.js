// Tables that can be sorted by a click on, or Enter in, a heading.

import { el, replace } from "./dom.js";

/**
 * `columns`: [{title, value(row) -> number or text, show?(row) -> text or element, numeric?, bar?}].
 * `options`: {caption, sortBy (index), top (rows shown at first), onRow(row)}.
 */
export function sortableTable(columns, rows, options = {}) {
  let sortBy = options.sortBy ?? -1;
  let isDown = true;
  let top = options.top ?? 20;
  const body = el("tbody");
  const more = el("button", { type: "button", class: "more", onclick: showAll });
  const headings = columns.map((column, i) =>
    el(
      "th",
      { scope: "col", class: column.numeric ? "number" : null },
      column.title === ""
        ? el("span", { class: "for-readers" }, "As a bar")
        : el("button", { type: "button", class: "sort", onclick: () => sort(i) }, column.title),
    ),
  );

  function sort(i) {
    isDown = sortBy === i ? !isDown : Boolean(columns[i].numeric);
    sortBy = i;
    draw();
  }
  function showAll() {
    top = Infinity;
    draw();
  }
  function sorted() {
    if (sortBy < 0) return rows;
    const { value } = columns[sortBy];
    const sign = isDown ? -1 : 1;
    return [...rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === y) return 0;
      if (x === null || x === undefined) return 1;
      if (y === null || y === undefined) return -1;
      return (x < y ? -1 : 1) * sign;
    });
  }
  function cell(column, row) {
    const shown = column.show ? column.show(row) : column.value(row);
    return el("td", { class: column.numeric ? "number" : null }, shown);
  }
  function draw() {
    headings.forEach((heading, i) => {
      heading.setAttribute("aria-sort", sortBy !== i ? "none" : isDown ? "descending" : "ascending");
    });
    const list = sorted();
    replace(
      body,
      list.slice(0, top).map((row) =>
        el(
          "tr",
          options.onRow ? { class: "link", onclick: () => options.onRow(row) } : {},
          columns.map((column) => cell(column, row)),
        ),
      ),
    );
    more.hidden = list.length <= top;
    more.textContent = `Show all ${list.length}`;
  }

  const caption = options.caption ? el("caption", {}, options.caption) : null;
  const table = el("table", {}, caption, el("thead", {}, el("tr", {}, headings)), body);
  draw();
  const box = el(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": options.caption ?? "Table" },
    table,
  );
  const whole = el("div", {}, box, more);
  whole.setRows = (list) => {
    rows = list;
    draw();
  };
  whole.setCaption = (text) => {
    caption.textContent = text;
    box.setAttribute("aria-label", text);
  };
  return whole;
}

/** A thin bar for a table: a share of the largest. */
export function bar(share, color) {
  return el(
    "span",
    { class: "bar", "aria-hidden": "true" },
    el("span", {
      style: { width: `${Math.max(0, Math.min(1, share)) * 100}%`, ...(color ? { background: color } : {}) },
    }),
  );
}

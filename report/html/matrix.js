// Numbers by row and column as coloured cells on a canvas: a thousand ranks times a hundred steps.

import { pageColor } from "./colors.js";
import { drawWhenPlaced, el } from "./dom.js";

const LEFT = 76; // What names of rows take,
const TOP = 20; // and those of columns.
const TALLEST = 18;
const WISHED_HEIGHT = 560; // More rows than fit in there are thinner,
const THINNEST = 2; // down to this; then the box scrolls.

/**
 * `of`: {label, rowNames, columnNames, columnsTitle, color(row, column) -> CSS or null for nothing,
 * describe(row, column) -> text, onChoose?(row)}. Result: an element with redraw(of).
 */
export function matrix(of) {
  let model = of;
  let at = null; // [row, column] that is told below.
  const canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": `${of.label}. Arrow keys move.` });
  const told = el("output", { class: "told" }, "Point at a cell, or move with the arrow keys.");
  const box = el("div", { class: "matrix-box" }, canvas);

  const rowHeight = () =>
    Math.max(THINNEST, Math.min(TALLEST, Math.floor(WISHED_HEIGHT / model.rowNames.length)));
  const columnWidth = () => (canvas.clientWidth - LEFT) / Math.max(1, model.columnNames.length);

  function draw() {
    const width = box.clientWidth;
    if (width === 0 || model.rowNames.length === 0) return;
    const height = TOP + rowHeight() * model.rowNames.length;
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = pageColor("panel");
    context.fillRect(0, 0, width, height);
    drawNames(context);
    drawCells(context);
    drawCursor(context);
  }
  /** As many names as have room. */
  function drawNames(context) {
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.fillStyle = pageColor("muted");
    const everyRow = Math.ceil(13 / rowHeight());
    for (let r = 0; r < model.rowNames.length; r += everyRow)
      context.fillText(model.rowNames[r], 0, TOP + (r + 0.5) * rowHeight(), LEFT - 6);
    context.fillText(model.columnsTitle, 0, TOP / 2, LEFT - 6);
    const everyColumn = Math.ceil(34 / columnWidth());
    for (let c = 0; c < model.columnNames.length; c += everyColumn)
      context.fillText(model.columnNames[c], LEFT + c * columnWidth(), TOP / 2);
  }
  function drawCells(context) {
    const [across, down] = [columnWidth(), rowHeight()];
    const gap = Math.min(across, down) > 6 ? 1 : 0;
    for (let r = 0; r < model.rowNames.length; r++) {
      for (let c = 0; c < model.columnNames.length; c++) {
        const color = model.color(r, c);
        if (!color) continue;
        context.fillStyle = color;
        context.fillRect(LEFT + c * across, TOP + r * down, Math.max(1, across - gap), down - gap);
      }
    }
  }
  function drawCursor(context) {
    if (!at) return;
    context.strokeStyle = pageColor("strong");
    context.lineWidth = 2;
    const [across, down] = [columnWidth(), rowHeight()];
    context.strokeRect(
      LEFT + at[1] * across - 1,
      TOP + at[0] * down - 1,
      Math.max(3, across) + 1,
      Math.max(3, down) + 1,
    );
  }
  function tell(row, column) {
    at = [
      Math.max(0, Math.min(row, model.rowNames.length - 1)),
      Math.max(0, Math.min(column, model.columnNames.length - 1)),
    ];
    told.textContent = model.describe(...at);
    requestAnimationFrame(draw);
  }
  function cellAt(event) {
    const place = canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - place.top - TOP) / rowHeight());
    const column = Math.floor((event.clientX - place.left - LEFT) / columnWidth());
    const isInside = row >= 0 && row < model.rowNames.length && column < model.columnNames.length;
    return isInside ? [row, column] : null;
  }
  canvas.addEventListener("pointermove", (event) => {
    const cell = cellAt(event);
    if (cell && cell[1] >= 0) tell(...cell);
  });
  canvas.addEventListener("click", (event) => {
    const cell = cellAt(event);
    if (cell) model.onChoose?.(cell[0]);
  });
  canvas.addEventListener("keydown", (event) => {
    const [row, column] = at ?? [0, -1];
    const to = {
      ArrowUp: [row - 1, Math.max(0, column)],
      ArrowDown: [row + 1, Math.max(0, column)],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [row, 0],
      End: [row, model.columnNames.length - 1],
    }[event.key];
    if (to) tell(...to);
    else if (event.key === "Enter" && at) model.onChoose?.(at[0]);
    else return;
    event.preventDefault();
  });
  new ResizeObserver(draw).observe(box);
  drawWhenPlaced(draw);
  const whole = el("div", { class: "matrix" }, box, told);
  whole.redraw = (other) => {
    model = other;
    at = null;
    told.textContent = "Point at a cell, or move with the arrow keys.";
    draw();
  };
  return whole;
}

/** A scale in words. `steps`: [[words, color()]]. */
export function scale(steps) {
  return el(
    "p",
    { class: "legend" },
    steps.map(([words, color]) => el("span", {}, el("i", { style: { background: color } }), words)),
  );
}

// Draws a waterfall on a canvas. However many bars there are, no pixel is painted twice per lane:
// where bars are narrower than a pixel, the next one looked at is the first of the next pixel.

import { causeColor, classColor, hostColor, pageColor } from "./colors.js";
import { bytes, digits, duration, rate } from "./format.js";
import { lowerBound, stepTitle } from "./waterfall_model.js";

export const LANE = 16;
const GAP = 8;
const LABEL = 15; // Height of the line that names a track.
const AXIS = 34; // A line for steps, and one for times.
const PATH_ROW = 18;
const COUNTER = 34;

/** Rows of the picture from top to bottom: [{kind, top, height, ...}], and its whole height. */
export function rowsOf(model, options = {}) {
  const rows = [];
  let top = AXIS;
  const add = (row, height) => {
    rows.push({ ...row, top, height });
    top += height;
  };
  if (model.path && model.path.rows > 0) {
    add({ kind: "label", text: "Critical path" }, LABEL);
    add({ kind: "path" }, PATH_ROW);
    top += GAP;
  }
  const devicesWithIdle = new Set();
  for (const track of model.tracks) {
    if (track.isQuiet && !options.withQuiet) continue;
    add({ kind: "label", text: track.name }, LABEL);
    if (track.isDevice && model.idle && track.device !== null && !devicesWithIdle.has(track.device)) {
      devicesWithIdle.add(track.device);
      add({ kind: "idle", device: track.device }, 10);
    }
    const first = top;
    track.lanes.forEach((lane, k) =>
      add({ kind: "lane", track, lane, laneNumber: k, trackTop: first }, LANE),
    );
    top += GAP;
  }
  if (options.counters !== false) {
    for (const counter of model.counters) {
      add({ kind: "label", text: counter.name, counter }, LABEL);
      add({ kind: "counter", counter }, COUNTER);
      top += GAP;
    }
  }
  return { rows, height: top };
}

/** What model.paints names, in the colours of the theme. */
function paletteOf(model) {
  return model.paints.map(([sort, name]) => (sort === "class" ? classColor(name) : hostColor(name)));
}

export function colorOfItem(model, i) {
  return paletteOf(model)[model.paintOf[i]];
}

/** `view`: {from, to (ns), width, height, scroll, ratio}. */
export function drawWaterfall(canvas, model, layout, view, selected) {
  const context = canvas.getContext("2d");
  context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
  const paint = {
    context,
    model,
    view,
    x: (time) => ((time - view.from) / (view.to - view.from)) * view.width,
    perPixel: (view.to - view.from) / view.width,
    text: pageColor("text"),
    muted: pageColor("muted"),
    line: pageColor("line"),
    accent: pageColor("accent"),
    strong: pageColor("strong"),
    palette: paletteOf(model),
  };
  context.fillStyle = pageColor("panel");
  context.fillRect(0, 0, view.width, view.height);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  drawSteps(paint);
  context.save();
  context.beginPath();
  context.rect(0, AXIS, view.width, view.height - AXIS);
  context.clip();
  context.translate(0, -view.scroll);
  for (const row of layout.rows) {
    if (row.top + row.height < view.scroll || row.top > view.scroll + view.height) continue;
    if (row.kind === "label") drawLabel(paint, row);
    if (row.kind === "lane") drawLane(paint, row);
    if (row.kind === "path") drawPath(paint, row);
    if (row.kind === "idle") drawIdle(paint, row);
    if (row.kind === "counter") drawCounter(paint, row);
  }
  if (selected >= 0) drawSelection(paint, layout, selected);
  context.restore();
  drawAxis(paint);
}

function drawLabel({ context, muted, view }, row) {
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = muted;
  let text = row.text;
  if (row.counter) text += `, at most ${counterValue(row.counter, row.counter.most)}`;
  context.fillText(text, 6, row.top + LABEL / 2, view.width - 12);
}

function counterValue(counter, value) {
  if (counter.unit === "B") return bytes(value);
  if (counter.unit === "B/s") return rate(value);
  return `${digits(value, 3).replace(/\.0+$/, "")}${counter.unit ? ` ${counter.unit}` : ""}`;
}

function drawLane(paint, row) {
  const { context, model, view, x } = paint;
  const { items } = model;
  const { lane } = row;
  const height = LANE - 2;
  const endOf = (n) => items.begin[lane[n]] + items.length[lane[n]];
  const marks = []; // Pairs of left and right: what is on the path.
  const mark = (from, to) => {
    if (marks.length > 0 && from <= marks[marks.length - 1] + 0.5) marks[marks.length - 1] = to;
    else marks.push(from, to);
  };
  const names = [];
  let color = -1;
  for (let k = lowerBound(lane.length, endOf, view.from); k < lane.length; ) {
    const i = lane[k];
    if (items.begin[i] > view.to) break;
    const left = x(items.begin[i]);
    const right = x(items.begin[i] + items.length[i]);
    if (color !== model.paintOf[i]) context.fillStyle = paint.palette[(color = model.paintOf[i])];
    if (right - left < 1) {
      const pixel = Math.floor(left);
      context.fillRect(pixel, row.top, 1, height);
      if (model.onPath[i]) mark(pixel, pixel + 1);
      k = nextShown(paint, lane.length, endOf, k, pixel);
      continue;
    }
    const from = Math.max(-2, left);
    const width = Math.min(view.width + 2, right) - from;
    context.fillRect(from, row.top, Math.max(1, width - (width > 4 ? 1 : 0)), height);
    if (model.onPath[i]) mark(from, from + Math.max(1, width));
    if (model.isNew(i)) outline(paint, from, row.top, width, height);
    if (width > 34) names.push([i, from, width]);
    k += 1;
  }
  context.fillStyle = paint.strong;
  for (let m = 0; m < marks.length; m += 2)
    context.fillRect(marks[m], row.top + height - 2, marks[m + 1] - marks[m], 3);
  context.fillStyle = paint.text;
  for (const [i, from, width] of names) drawName(paint, model.nameOf(i), from, width, row.top + height / 2);
}

function outline({ context, strong }, left, top, width, height) {
  context.strokeStyle = strong;
  context.setLineDash([3, 2]);
  context.strokeRect(left + 0.5, top + 0.5, Math.max(1, width - 2), height - 1);
  context.setLineDash([]);
}

function drawName({ context }, name, left, width, middle) {
  const room = width - 8;
  const head = name.slice(0, Math.ceil(room / 3)); // No letter is narrower.
  const share = room / context.measureText(head).width;
  const shown =
    share >= 1 && head === name
      ? name
      : `${head.slice(0, Math.max(1, Math.floor(head.length * share) - 1))}…`;
  context.fillText(shown, Math.max(left, 0) + 4, middle);
}

function drawPath(paint, row) {
  const { context, model, view, x } = paint;
  const { path } = model;
  let painted = -1;
  for (let p = firstShown(path, view.from); p < path.rows && path.begin[p] <= view.to; p++) {
    const right = x(path.begin[p] + path.length[p]);
    if (right < 0 || right < painted + 0.5) continue;
    const left = x(path.begin[p]);
    if (left > view.width) continue;
    const item = path.item[p];
    const isHost = !PATH_ON_DEVICE.has(path.kinds[path.kind[p]]);
    const isRun = item >= 0 && !isHost && path.kinds[path.kind[p]] !== "stream_gap";
    context.fillStyle = isRun ? paint.palette[model.paintOf[item]] : isHost ? hostColor("api") : paint.line;
    const from = Math.max(0, left);
    context.fillRect(from, row.top + (isHost ? 0 : 8), Math.max(1, Math.min(view.width, right) - from), 8);
    painted = right;
  }
}

const PATH_ON_DEVICE = new Set(["kernel", "collective", "copy", "memset", "graph", "stream_gap"]);

/** Pieces of the path follow each other, but for the clocks of host and device: a few before, too. */
function firstShown(path, from) {
  return Math.max(0, lowerBound(path.rows, (n) => path.begin[n] + path.length[n], from) - 8);
}

function drawIdle(paint, row) {
  const { context, model, view, x } = paint;
  const { idle } = model;
  const gaps = idle.gapsOf(row.device);
  const endOf = (n) => idle.begin[gaps[n]] + idle.length[gaps[n]];
  let k = lowerBound(gaps.length, endOf, view.from);
  while (k < gaps.length && idle.begin[gaps[k]] <= view.to) {
    const g = gaps[k];
    const left = Math.max(0, x(idle.begin[g]));
    const right = Math.min(view.width, x(idle.begin[g] + idle.length[g]));
    context.fillStyle = causeColor(idle.causes[idle.cause[g]]);
    context.fillRect(left, row.top, Math.max(1, right - left), row.height - 2);
    k = nextShown(paint, gaps.length, endOf, k, Math.floor(right));
  }
}

/** Behind row k, whose last pixel is painted: the next one that is seen, as it ends behind that pixel. */
function nextShown({ view, perPixel }, size, endOf, k, pixel) {
  const time = view.from + (pixel + 1) * perPixel;
  let step = 1;
  while (k + step < size && endOf(k + step) < time) step *= 2;
  const low = k + Math.floor(step / 2) + 1;
  return low + lowerBound(Math.min(size, k + step + 1) - low, (n) => endOf(low + n), time);
}

/** Each pixel has the largest value in it: what lasts from before counts. */
function drawCounter(paint, row) {
  const { context, view, perPixel, line, accent } = paint;
  const { times, most, largest } = row.counter;
  const bottom = row.top + row.height - 1;
  context.fillStyle = line;
  context.fillRect(0, bottom, view.width, 1);
  context.fillStyle = accent;
  const before = (time) => lowerBound(times.length, (n) => times[n], time);
  let first = before(view.from);
  for (let left = 0; left < view.width; left++) {
    if (first >= times.length && left > 0) break;
    const last = before(view.from + (left + 1) * perPixel);
    const value = largest(Math.max(0, first - 1), last);
    first = last;
    const height = (value / (most || 1)) * (row.height - 4);
    if (value > 0) context.fillRect(left, bottom - height, 1, height);
  }
}

function drawSteps({ context, model, view, x, line }) {
  context.fillStyle = line;
  for (const step of model.steps) {
    for (const at of [x(step.begin_ns), x(step.begin_ns + step.ns)]) {
      if (at >= 0 && at <= view.width) context.fillRect(Math.round(at), 0, 1, view.height);
    }
  }
}

function drawAxis({ context, model, view, x, text, muted, line }) {
  context.fillStyle = pageColor("panel");
  context.fillRect(0, 0, view.width, AXIS);
  context.fillStyle = line;
  context.fillRect(0, AXIS - 1, view.width, 1);
  const rough = ((view.to - view.from) / view.width) * 110;
  const power = 10 ** Math.floor(Math.log10(rough));
  const tick = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  context.font = "11px system-ui, sans-serif";
  // Times count from the begin of the step that is looked at, where there is one.
  const origin = view.origin ?? 0;
  for (let t = Math.ceil((view.from - origin) / tick) * tick; t + origin < view.to; t += tick) {
    const at = x(t + origin);
    context.fillStyle = line;
    context.fillRect(Math.round(at), AXIS - 6, 1, 6);
    context.fillStyle = muted;
    if (at < view.width - 60) context.fillText(duration(Math.round(t)), at + 4, AXIS - 10);
  }
  context.fillStyle = text;
  for (const step of model.steps) {
    const left = Math.max(0, x(step.begin_ns));
    const right = Math.min(view.width, x(step.begin_ns + step.ns));
    const title = stepTitle(step);
    const shown = title.length * 6 < right - left ? title : `step ${step.number}`;
    if (right - left > 60) context.fillText(shown, left + 4, 10);
  }
}

/** Where a bar lies: its row, from where to where. */
export function placeOf(layout, model, i) {
  const track = model.trackOf(i);
  return layout.rows.find(
    (row) => row.kind === "lane" && row.track === track && row.laneNumber === model.laneOf(i),
  );
}

function drawSelection(paint, layout, selected) {
  const { context, model, x, strong } = paint;
  const { items } = model;
  const own = placeOf(layout, model, selected);
  if (!own) return;
  const left = x(items.begin[selected]);
  const width = Math.max(2, x(items.begin[selected] + items.length[selected]) - left);
  context.strokeStyle = strong;
  context.lineWidth = 2;
  context.strokeRect(left - 1, own.top - 1, width + 1, LANE);
  for (const edge of model.edgesInto(selected)) {
    if (edge.source < 0 || edge.source === selected) continue;
    const row = placeOf(layout, model, edge.source);
    if (!row) continue;
    const fromBegin = edge.rule === "submit" || edge.rule === "prefetch";
    const start = x(items.begin[edge.source] + (fromBegin ? 0 : items.length[edge.source]));
    const end = edge.atFinish ? left + width : left;
    arrow(paint, start, row.top + LANE / 2, end, own.top + LANE / 2, edge.decides);
  }
  context.lineWidth = 1;
}

function arrow({ context, accent, muted }, fromX, fromY, toX, toY, isBold) {
  context.strokeStyle = isBold ? accent : muted;
  context.fillStyle = context.strokeStyle;
  context.lineWidth = isBold ? 2.5 : 1;
  const bend = Math.max(20, Math.min(120, Math.abs(toX - fromX) / 2));
  context.beginPath();
  context.moveTo(fromX, fromY);
  context.bezierCurveTo(fromX + bend, fromY, toX - bend, toY, toX, toY);
  context.stroke();
  context.beginPath();
  context.moveTo(toX, toY);
  context.lineTo(toX - 7, toY - 4);
  context.lineTo(toX - 7, toY + 4);
  context.fill();
}

/** The bar at a point of the canvas; -1 for none. A few pixels beside it count, too. */
export function itemAt(layout, model, view, atX, atY) {
  const y = atY + view.scroll;
  const row = layout.rows.find((one) => one.kind === "lane" && one.top <= y && y < one.top + one.height);
  if (!row) return -1;
  const { items } = model;
  const perPixel = (view.to - view.from) / view.width;
  const time = view.from + atX * perPixel;
  const k = lowerBound(row.lane.length, (n) => items.begin[row.lane[n]] + items.length[row.lane[n]], time);
  let best = -1;
  let least = 4 * perPixel;
  for (const n of [k - 1, k, k + 1]) {
    if (n < 0 || n >= row.lane.length) continue;
    const i = row.lane[n];
    const distance = Math.max(items.begin[i] - time, time - items.begin[i] - items.length[i], 0);
    if (distance < least) {
      least = distance;
      best = i;
    }
  }
  return best;
}

// The document of `xsp trend`: how runs changed over time.

import { el, section, svg } from "./dom.js";
import { count, duration, percent } from "./format.js";
import { sortableTable } from "./table.js";

export function trendSection(document) {
  const points = (document.points ?? []).filter((point) => typeof point.value === "number");
  const changes = new Set((document.changes ?? []).map((change) => change.run));
  const signed = (share) => `${share > 0 ? "+" : ""}${percent(share)}`;
  return section(
    "trend",
    "Trend",
    document.window?.text ?? `${document.metric ?? ""} of ${count(points.length)} runs`,
    el("p", { class: "verdict" }, trendWords(document, signed)),
    points.length > 1 ? trendChart(points, changes) : null,
    sortableTable(
      [
        { title: "Run", value: (point) => point.run },
        {
          title: "Value",
          numeric: true,
          value: (point) => point.value,
          show: (point) => duration(point.value),
        },
        {
          title: "Against the first",
          numeric: true,
          value: (point) => point.value / points[0].value,
          show: (point) => signed(point.value / points[0].value - 1),
        },
        { title: "From", numeric: true, value: (point) => point.low, show: (point) => duration(point.low) },
        { title: "To", numeric: true, value: (point) => point.high, show: (point) => duration(point.high) },
        {
          title: "What happened",
          value: (point) => point.what ?? "",
        },
      ],
      points,
      { caption: "All runs, with the range that their own steps leave open", top: 20 },
    ),
    limits(document.gates ?? []),
    (document.left_out ?? []).map((line) => el("p", { class: "note" }, `Left out: ${line}`)),
  );
}

/** The sentence of the command; documents of before had none. */
function trendWords({ verdict, drift, noise, points }, signed) {
  if (verdict) return verdict;
  if (typeof drift !== "number") return `${count(points.length)} runs: too few to tell a trend.`;
  return `From the first to the last run ${signed(drift)}; runs differ by ${percent(noise)} by chance.`;
}

function limits(gates) {
  if (gates.length === 0) return null;
  return sortableTable(
    [
      { title: "Limit", value: (gate) => gate.expression ?? gate.gate },
      { title: "State", value: (gate) => gate.state },
      { title: "Value", numeric: true, value: (gate) => gate.value, show: (gate) => percent(gate.value) },
    ],
    gates,
    { caption: "Limits" },
  );
}

function trendChart(points, changes) {
  const [width, height, left, bottom] = [1000, 240, 84, 22];
  const values = points.flatMap((point) => [
    point.value,
    point.low ?? point.value,
    point.high ?? point.value,
  ]);
  // A little room, so that noise does not fill the picture.
  const most = Math.max(...values) * 1.01;
  const least = Math.min(...values) * 0.99;
  const x = (i) => left + 8 + (i / (points.length - 1)) * (width - left - 20);
  const y = (value) => height - bottom - 8 - ((value - least) / (most - least || 1)) * (height - bottom - 20);
  const label = (text, at, anchor) => svg("text", { x: at[0], y: at[1], "text-anchor": anchor }, text);
  const chart = svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      class: "trend",
      role: "img",
      "aria-label": "Values of the runs in their order; the table below has them all",
    },
    [least, (least + most) / 2, most].map((value) => [
      svg("line", { x1: left, x2: width, y1: y(value), y2: y(value), class: "grid" }),
      label(duration(value), [left - 8, y(value) + 4], "end"),
    ]),
    label(points[0].run, [x(0), height - 4], "start"),
    label(points.at(-1).run, [x(points.length - 1), height - 4], "end"),
    points.map((point, i) =>
      svg("line", {
        x1: x(i),
        x2: x(i),
        y1: y(point.low ?? point.value),
        y2: y(point.high ?? point.value),
        class: "likely",
      }),
    ),
    svg("polyline", { points: points.map((point, i) => `${x(i)},${y(point.value)}`).join(" ") }),
    points.map((point, i) =>
      svg(
        "circle",
        {
          cx: x(i),
          cy: y(point.value),
          r: changes.has(point.run) ? 6 : 3,
          class: changes.has(point.run) ? "changed" : null,
        },
        svg("title", {}, `${point.run}: ${duration(point.value)}`),
      ),
    ),
  );
  return el(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": "Chart of the runs" },
    chart,
  );
}

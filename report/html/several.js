// Several traces of one run: how long every step took in each of them.

import { heatColor } from "./colors.js";
import { unpackTable } from "./data.js";
import { el, replace, section } from "./dom.js";
import { duration, percent } from "./format.js";
import { sortableTable } from "./table.js";

const MOST_STEPS = 120;
const ROLES = ["counted", "cold", "outlier", "left out"];

export function severalSection(data, onChoose) {
  const rows = data.traces.map((trace) => ({ trace, steps: unpackTable(trace.steps, ["ns", "role"]) }));
  return section(
    "several",
    "All traces",
    `${rows.length} traces of one run. Choose one to see it below.`,
    overview(rows, onChoose),
    heatMap(rows, onChoose),
  );
}

function overview(rows, onChoose) {
  const typical = (row) => row.trace.summary.step?.mean_ns ?? row.trace.summary.gpu_span_ns ?? null;
  const busy = (row) => row.trace.summary.devices?.[0]?.busy_share ?? null;
  return sortableTable(
    [
      {
        title: "Trace",
        value: (row) => row.trace.name,
        show: (row) =>
          el("button", { type: "button", class: "name", onclick: () => onChoose(row.trace) }, row.trace.name),
      },
      { title: "Step or span", numeric: true, value: typical, show: (row) => duration(typical(row)) },
      { title: "GPU busy", numeric: true, value: busy, show: (row) => percent(busy(row)) },
      { title: "Waits for", value: (row) => row.trace.summary.diagnosis?.what ?? "–" },
      { title: "Finding", value: (row) => row.trace.summary.verdict },
    ],
    rows,
    { caption: "One line for each", top: 16 },
  );
}

/** Trace × step: red is slower than the middle one of all, blue faster. */
function heatMap(rows, onChoose) {
  const steps = Math.min(MOST_STEPS, Math.max(...rows.map((row) => row.steps.rows)));
  if (steps < 2) return null;
  const counted = rows
    .flatMap((row) => [...row.steps.ns].filter((_, i) => row.steps.role[i] === 0))
    .sort((a, b) => a - b);
  const middle = counted[counted.length >> 1] || 1;
  const body = el("tbody");
  function draw() {
    replace(
      body,
      rows.map((row) =>
        el(
          "tr",
          {},
          el(
            "th",
            { scope: "row" },
            el(
              "button",
              { type: "button", class: "name", onclick: () => onChoose(row.trace) },
              row.trace.name,
            ),
          ),
          Array.from({ length: steps }, (_, i) => cell(row.steps, i)),
        ),
      ),
    );
  }
  function cell(of, i) {
    if (i >= of.rows) return el("td", {});
    const words = `step ${i + 1}: ${duration(of.ns[i])}${of.role[i] === 0 ? "" : ` (${ROLES[of.role[i]]})`}`;
    const place = Math.max(-1, Math.min(1, (of.ns[i] / middle - 1) * 4));
    return el(
      "td",
      { title: words, style: { background: heatColor(place) } },
      el("span", { class: "for-readers" }, words),
    );
  }
  draw();
  document.addEventListener("themechange", draw);
  return el(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": "Time of every step" },
    el(
      "table",
      { class: "heat" },
      el(
        "caption",
        {},
        `Time of every step; the middle one takes ${duration(middle)}, red is slower, blue faster`,
      ),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, "Step"),
          Array.from({ length: steps }, (_, i) =>
            el("th", { scope: "col" }, (i + 1) % 5 === 0 || i === 0 ? String(i + 1) : ""),
          ),
        ),
      ),
      body,
    ),
  );
}

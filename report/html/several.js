// Several traces of one run: how long every step took in each of them.

import { heatColor } from "./colors.js";
import { unpackTable } from "./data.js";
import { el, section } from "./dom.js";
import { duration, percent } from "./format.js";
import { matrix } from "./matrix.js";
import { sortableTable } from "./table.js";

const MOST_STEPS = 120;
const ROLES = ["counted", "cold", "outlier", "left out"];

export function severalSection(data, onChoose) {
  const rows = data.traces.map((trace) => ({ trace, steps: unpackTable(trace.steps, ["ns", "role"]) }));
  return section(
    "several",
    data.job ? "Ranks to look at" : "All traces",
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
  const place = (ns) => Math.max(-1, Math.min(1, (ns / middle - 1) * 4));
  return el(
    "figure",
    {},
    el(
      "figcaption",
      {},
      `Time of every step; the middle one takes ${duration(middle)}, red is slower, blue faster`,
    ),
    matrix({
      label: "Trace × step: how long each took. Enter chooses a trace",
      columnsTitle: "step",
      rowNames: rows.map((row) => row.trace.name),
      columnNames: Array.from({ length: steps }, (_, i) => String(i + 1)),
      color: (r, c) => (c < rows[r].steps.rows ? heatColor(place(rows[r].steps.ns[c])) : null),
      describe: (r, c) => {
        const { ns, role, rows: known } = rows[r].steps;
        const where = `${rows[r].trace.name}, step ${c + 1}: `;
        if (c >= known) return `${where}there is none.`;
        return `${where}${duration(ns[c])}${role[c] === 0 ? "" : ` (${ROLES[role[c]]})`}.`;
      },
      onChoose: (r) => onChoose(rows[r].trace),
    }),
  );
}

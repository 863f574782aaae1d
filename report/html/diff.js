// Two traces: what changed, by rows that add up; both icicles and both waterfalls.

import { classColor, hostColor } from "./colors.js";
import { clamped, el, section, tiles } from "./dom.js";
import { duration, percent, signedDuration } from "./format.js";
import { icicle } from "./icicle.js";
import { bar, sortableTable } from "./table.js";
import { treeModel } from "./tree.js";
import { waterfall } from "./waterfall.js";
import { waterfallModel } from "./waterfall_model.js";

const VERDICTS = {
  regression: "Slower",
  improvement: "Faster",
  same: "The same",
  cannot_tell: "Cannot tell",
};

export function diffSections(data) {
  const [base, now] = data.traces;
  return [changeSection(data.diff), gatesOf(data.diff), whereDiff(base, now), whenDiff(base, now)].filter(
    Boolean,
  );
}

function changeSection(diff) {
  const unit = diff.unit === "step" ? "Step" : "GPU span";
  const figures = [
    [`${unit}, base`, duration(diff.base_ns), null],
    [`${unit}, new`, duration(diff.new_ns), null],
    [
      "Change",
      diff.ratio === null ? "–" : `${diff.ratio >= 1 ? "+" : "−"}${percent(Math.abs(diff.ratio - 1))}`,
      intervalWords(diff),
    ],
    ["Verdict", VERDICTS[diff.verdict] ?? diff.verdict, null],
  ];
  return section(
    "several",
    "What changed",
    null,
    (diff.words ?? []).map((words, i) => el("p", { class: i === 0 ? "verdict" : "note" }, words)),
    (diff.reasons ?? []).map((reason) => el("p", { class: "notice" }, `Not comparable: ${reason}`)),
    tiles(figures),
    contributions(diff),
    kernelTimes(diff),
  );
}

function intervalWords(diff) {
  if (diff.ratio_low === null || diff.ratio_high === null) return "one value a side: no interval";
  const signed = (ratio) => `${ratio >= 1 ? "+" : "−"}${percent(Math.abs(ratio - 1))}`;
  return `95 % interval ${signed(diff.ratio_low)} to ${signed(diff.ratio_high)}`;
}

const KIND_COLORS = {
  device: () => classColor("gemm"),
  copy: () => classColor("copy"),
  host: () => hostColor("api"),
};

function contributions(diff) {
  const rows = diff.contributions ?? [];
  const most = Math.max(...rows.map((row) => Math.abs(row.delta_ns)), 1);
  const sum = rows.reduce((total, row) => total + row.delta_ns, 0);
  return el(
    "div",
    {},
    sortableTable(
      [
        {
          title: "Where",
          value: (row) => row.where || "[whole]",
          show: (row) => clamped(row.where || "[whole]"),
        },
        {
          title: "Change",
          numeric: true,
          value: (row) => row.delta_ns,
          show: (row) =>
            el(
              "span",
              { class: row.delta_ns > 0 ? "bad" : row.delta_ns < 0 ? "good" : null },
              signedDuration(row.delta_ns),
            ),
        },
        {
          title: "",
          value: (row) => Math.abs(row.delta_ns),
          show: (row) => bar(Math.abs(row.delta_ns) / most, KIND_COLORS[row.kind]),
        },
        { title: "Base", numeric: true, value: (row) => row.base_ns, show: (row) => duration(row.base_ns) },
        { title: "New", numeric: true, value: (row) => row.new_ns, show: (row) => duration(row.new_ns) },
        { title: "What", value: (row) => row.kind.replaceAll("_", " ") },
      ],
      rows,
      { caption: "What the change is made of, on the critical path", top: 15 },
    ),
    el(
      "p",
      { class: "note", id: "contributions-sum" },
      `All rows together: ${signedDuration(sum)}; new − base: ${signedDuration(diff.new_ns - diff.base_ns)}.`,
    ),
  );
}

function kernelTimes(diff) {
  const rows = diff.kernel_times ?? [];
  if (rows.length === 0) return null;
  return sortableTable(
    [
      {
        title: "Kernel",
        value: (row) => row.new,
        show: (row) => clamped(row.base === row.new ? row.new : `${row.base} → ${row.new}`),
      },
      {
        title: "Base, one launch",
        numeric: true,
        value: (row) => row.base_mean_ns,
        show: (row) => duration(row.base_mean_ns),
      },
      {
        title: "New",
        numeric: true,
        value: (row) => row.new_mean_ns,
        show: (row) => duration(row.new_mean_ns),
      },
      {
        title: "Ratio",
        numeric: true,
        value: (row) => row.ratio,
        show: (row) => (row.ratio === null ? "–" : row.ratio.toFixed(2)),
      },
      {
        title: "Cost",
        numeric: true,
        value: (row) => row.cost_ns,
        show: (row) => signedDuration(row.cost_ns),
      },
    ],
    rows,
    { caption: "Matched kernels whose own time changed", top: 10 },
  );
}

function gatesOf(diff) {
  const gates = diff.gates ?? [];
  if (gates.length === 0) return null;
  return section(
    "gates",
    "Limits",
    null,
    sortableTable(
      [
        { title: "Limit", value: (gate) => gate.expression },
        {
          title: "State",
          value: (gate) => gate.state,
          show: (gate) =>
            el(
              "span",
              { class: gate.state === "fails" ? "bad" : gate.state === "holds" ? "good" : null },
              gate.state.replaceAll("_", " "),
            ),
        },
        {
          title: "Value",
          numeric: true,
          value: (gate) => gate.value,
          show: gateValue,
        },
        { title: "Worst place", value: (gate) => gate.places?.[0]?.where ?? "" },
      ],
      gates,
      { caption: "Limits of this comparison", top: 30 },
    ),
  );
}

/** In the unit of the limit: a share, a time, a count. */
function gateValue({ value, expression }) {
  if (value === null || value === undefined) return "–";
  if (expression.includes("%")) return `${value > 0 ? "+" : ""}${percent(value)}`;
  if (/\d\s*(ns|us|ms|s)\b/.test(expression)) return signedDuration(value);
  return String(Math.round(value * 1e4) / 1e4);
}

/** By the names that lead to a row: its number. Processes of another run have other numbers: those go. */
function valuesByPath(model) {
  const values = new Map();
  const keys = [];
  for (let i = 0; i < model.size; i++) {
    const name = model.level(i) === "rank" ? model.full(i).replace(/ \[\d+\]/, "") : model.full(i);
    keys[i] = i === 0 ? "" : `${keys[model.parent[i]]}\n${name}`;
    while (values.has(keys[i])) keys[i] += "'"; // The second of that name is matched with the second.
    values.set(keys[i], i);
  }
  return { values, keys };
}

function whereDiff(base, now) {
  const models = [treeModel(base), treeModel(now)];
  const paths = models.map(valuesByPath);
  const change = (side) => (i, metric) => {
    const other = 1 - side;
    const at = paths[other].values.get(paths[side].keys[i]);
    if (at === undefined) return null;
    const [own, others] = [models[side].metrics[metric][i], models[other].metrics[metric][at]];
    return side === 1 ? own - others : others - own;
  };
  const views = [base, now].map((trace, side) =>
    icicle(trace, models[side], { id: side === 0 ? "base" : "new", change: change(side) }),
  );
  return section(
    "where",
    "Where the time went",
    "Colours tell what changed from the base to the new trace: red takes longer now, blue shorter.",
    views.map((view, side) => [
      el("h3", {}, side === 0 ? `Base: ${base.name}` : `New: ${now.name}`),
      view.controls,
      view.path,
      view.chart,
      side === 1 ? view.legend : null,
      view.table,
    ]),
  );
}

function whenDiff(base, now) {
  const models = [base, now].map((trace) =>
    trace.waterfall?.items.rows > 0 ? waterfallModel(trace, trace.waterfall) : null,
  );
  if (models.some((model) => !model)) return null;
  const longest = Math.max(...models.map(shownLength));
  const views = models.map((model, side) =>
    waterfall(model, { id: side === 0 ? "when-base" : "when-new", height: "44vh", span: longest }),
  );
  return section(
    "when",
    "When it happened",
    "The typical step of each, or its whole span, on the same scale.",
    views.map((view, side) => [
      el("h3", {}, side === 0 ? `Base: ${base.name}` : `New: ${now.name}`),
      view.controls,
      view.box,
      view.panel,
    ]),
  );
}

function shownLength(model) {
  return model.steps.find((step) => step.typical)?.ns ?? model.length;
}

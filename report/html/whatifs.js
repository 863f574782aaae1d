// Forecasts with their ranges, and one of them as waterfalls before and after.

import { dropDown, el, replace } from "./dom.js";
import { count, duration, speedup } from "./format.js";
import { sortableTable } from "./table.js";
import { waterfall } from "./waterfall.js";
import { waterfallModel } from "./waterfall_model.js";

export function whatIfCharts(trace) {
  const list = trace.whatifs ?? [];
  if (list.length === 0) return null;
  const measured = trace.advise.measured_ns;
  const most = Math.max(measured, ...list.map((item) => measured / (item.speedup_low || 1)));
  const detail = el("div", { class: "after" });
  const rows = list.map((item) => whatIfRow(item, measured, most));
  const before = trace.before ? waterfallModel(trace, trace.before) : null;
  function show(item) {
    replace(detail, whatIfDetail(trace, item, before));
  }
  const choice = dropDown(
    "Before and after of",
    list.map((item) => [item, item.title]),
    list[0],
    show,
  );
  show(list[0]);
  return el(
    "div",
    {},
    el("h3", {}, "What would change if"),
    el(
      "p",
      { class: "note" },
      "Forecasts by simulation, with the range in which the truth lies eight times in ten.",
    ),
    el("ol", { class: "plain ranges" }, rows),
    choice,
    detail,
  );
}

function whatIfRow(item, measured, most) {
  const at = (ns) => `${(ns / most) * 100}%`;
  const fast = measured / item.speedup_high;
  const slow = measured / item.speedup_low;
  return el(
    "li",
    {},
    el("span", { class: "what" }, item.title),
    el(
      "span",
      { class: "range", "aria-hidden": "true" },
      el("span", { class: "measured", style: { width: at(measured) } }),
      el("span", { class: "likely", style: { left: at(fast), width: at(Math.max(0, slow - fast)) } }),
      el("span", { class: "point", style: { left: at(item.forecast_ns) } }),
    ),
    el(
      "span",
      { class: "value" },
      `${duration(item.forecast_ns)}, ${speedup(item.speedup)}`,
      el("small", {}, ` (${item.speedup_low.toFixed(2)} to ${item.speedup_high.toFixed(2)}×)`),
    ),
  );
}

function whatIfDetail(trace, item, before) {
  const after = waterfallModel(trace, item.waterfall);
  const longest = Math.max(before?.length ?? 0, after.length);
  const pictures = [];
  const add = (title, model, rows, inAll) => {
    if (!model || model.items.rows === 0) return;
    const view = waterfall(model, {
      id: `${title}-${item.whatifs.join("-")}`,
      counters: false,
      height: "38vh",
      span: longest,
      hint: "Click a bar to see what it is.",
    });
    pictures.push(el("h4", {}, `${title}: ${duration(model.length)} simulated`), view.box, view.panel);
    if (rows < inAll)
      pictures.push(el("p", { class: "note" }, `The first ${count(rows)} of ${count(inAll)} bars.`));
  };
  add("Before", before, trace.before.rows, trace.before.rows_in_all);
  add("After", after, item.waterfall.rows, item.waterfall.rows_in_all);
  const changes = sortableTable(
    [
      { title: "What changes", value: (row) => row.what },
      { title: "Count", numeric: true, value: (row) => row.count, show: (row) => count(row.count) },
      { title: "Now", numeric: true, value: (row) => row.before_ns, show: (row) => duration(row.before_ns) },
      { title: "After", numeric: true, value: (row) => row.after_ns, show: (row) => duration(row.after_ns) },
    ],
    item.changes ?? [],
    { caption: `${item.title}: what changes`, top: 10 },
  );
  const notes = (item.assumptions ?? []).map((text) => el("li", {}, text));
  return [
    changes,
    notes.length > 0 ? el("ul", { class: "note" }, notes) : null,
    pictures,
    el("p", { class: "note" }, "Bars that a change put in have a dashed outline."),
  ];
}

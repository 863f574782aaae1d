// Documents of `xsp ranks` and `xsp trend`: who holds up a job, and how runs changed over time.

import { classColor, heatColor, hostColor, causeColor } from "./colors.js";
import { el, section, svg } from "./dom.js";
import { count, duration, percent } from "./format.js";
import { sortableTable } from "./table.js";

const PARTS = [
  ["compute_ns", "computes", () => classColor("gemm")],
  ["transfer_ns", "transfers", () => classColor("collective")],
  ["waiting_ns", "waits for others", () => causeColor("sync_tail")],
  ["idle_ns", "idle", () => hostColor("range")],
];

export function ranksSection(document) {
  const ranks = document.ranks ?? [];
  return section(
    "ranks",
    "Ranks",
    document.window?.text,
    el("p", { class: "verdict" }, document.verdict),
    (document.notes ?? []).map((note) => el("p", { class: "note" }, note)),
    rankBars(ranks),
    rankTable(ranks),
    arrivals(ranks),
    collectives(document.collectives ?? []),
  );
}

/** A bar for each rank: what its step went to. */
function rankBars(ranks) {
  const longest = Math.max(...ranks.map((rank) => rank.step_ns ?? 0), 1);
  return el(
    "figure",
    { class: "stacked" },
    el("figcaption", {}, "What the step of each rank goes to"),
    ranks.slice(0, 64).map((rank) =>
      el(
        "div",
        { class: "rank-row" },
        el("span", { class: "what" }, `rank ${rank.global_rank}`),
        el(
          "div",
          { class: "stack", "aria-hidden": "true" },
          PARTS.map(([key, , color]) =>
            el("span", { style: { width: `${((rank[key] ?? 0) / longest) * 100}%`, background: color() } }),
          ),
        ),
      ),
    ),
    el(
      "ul",
      { class: "legend" },
      PARTS.map(([, words, color]) => el("li", {}, el("i", { style: { background: color() } }), words)),
    ),
  );
}

function rankTable(ranks) {
  const time = (title, key) => ({
    title,
    numeric: true,
    value: (rank) => rank[key],
    show: (rank) => duration(rank[key]),
  });
  return sortableTable(
    [
      { title: "Rank", numeric: true, value: (rank) => rank.global_rank },
      { title: "Host", value: (rank) => rank.host ?? "–" },
      {
        title: "Stage",
        numeric: true,
        value: (rank) => rank.stage ?? null,
        show: (rank) => String(rank.stage ?? "–"),
      },
      time("Step", "step_ns"),
      time("Computes", "compute_ns"),
      time("Transfers", "transfer_ns"),
      time("Waits", "waiting_ns"),
      time("Others wait for it", "inflicted_ns"),
      {
        title: "Came last",
        numeric: true,
        value: (rank) => rank.last_count,
        show: (rank) => `${count(rank.last_count)} of ${count(rank.joined)}`,
      },
    ],
    ranks,
    { caption: "Ranks, means of a step", top: 32 },
  );
}

/** Rank × what: how far each is from the mean of all. */
function arrivals(ranks) {
  if (ranks.length < 2) return null;
  const columns = [
    ["compute_ns", "computes"],
    ["waiting_ns", "waits"],
    ["inflicted_ns", "others wait for it"],
    ["last_count", "came last"],
  ];
  const mean = (key) => ranks.reduce((sum, rank) => sum + (rank[key] ?? 0), 0) / ranks.length || 1;
  return el(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": "Ranks against the mean" },
    el(
      "table",
      { class: "heat" },
      el("caption", {}, "Each rank against the mean of all; red is more, blue less"),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, "Rank"),
          ranks.slice(0, 128).map((rank) => el("th", { scope: "col" }, String(rank.global_rank))),
        ),
      ),
      el(
        "tbody",
        {},
        columns.map(([key, words]) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, words),
            ranks.slice(0, 128).map((rank) => {
              const share = (rank[key] ?? 0) / mean(key) - 1;
              const text = `rank ${rank.global_rank} ${words}: ${percent(share)} from the mean`;
              return el(
                "td",
                { title: text, style: { background: heatColor(Math.max(-1, Math.min(1, share))) } },
                el("span", { class: "for-readers" }, text),
              );
            }),
          ),
        ),
      ),
    ),
  );
}

function collectives(rows) {
  if (rows.length === 0) return null;
  return sortableTable(
    [
      { title: "Operation", value: (row) => row.operation },
      { title: "Count", numeric: true, value: (row) => row.count, show: (row) => count(row.count) },
      { title: "Time", numeric: true, value: (row) => row.ns, show: (row) => duration(row.ns) },
      {
        title: "Waiting",
        numeric: true,
        value: (row) => row.waiting_ns,
        show: (row) => duration(row.waiting_ns),
      },
      {
        title: "Bus bandwidth",
        numeric: true,
        value: (row) => row.bus_bandwidth,
        show: (row) => (row.bus_bandwidth ? `${(row.bus_bandwidth / 1e9).toFixed(1)} GB/s` : "–"),
      },
    ],
    rows,
    { caption: "Joint operations: what passes in waiting for the last to arrive", top: 12 },
  );
}

export function trendSection(document) {
  const points = (document.points ?? []).filter((point) => typeof point.value === "number");
  const isTime = /_ns$|^(step|span|wall)/.test(document.metric ?? "");
  const show = (value) => (isTime ? duration(value) : count(value));
  return section(
    "trend",
    "Trend",
    `${document.metric ?? ""} of ${count(points.length)} runs${document.drift ? `, drift ${typeof document.drift === "number" ? percent(document.drift) : ""}` : ""}`,
    points.length > 1 ? trendChart(points, document.changes ?? []) : null,
    sortableTable(
      [
        { title: "Run", value: (point) => point.run },
        { title: "Value", numeric: true, value: (point) => point.value, show: (point) => show(point.value) },
        { title: "From", numeric: true, value: (point) => point.low, show: (point) => show(point.low) },
        { title: "To", numeric: true, value: (point) => point.high, show: (point) => show(point.high) },
        {
          title: "",
          value: (point) => point.run,
          show: (point) =>
            (document.changes ?? []).some((change) => change.run === point.run) ? "changed here" : "",
        },
      ],
      points,
      { caption: "All runs", top: 20 },
    ),
  );
}

function trendChart(points, changes) {
  const [width, height] = [1000, 200];
  const values = points.flatMap((point) => [
    point.value,
    point.low ?? point.value,
    point.high ?? point.value,
  ]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const x = (i) => 10 + (i / (points.length - 1)) * (width - 20);
  const y = (value) => height - 10 - ((value - least) / (most - least || 1)) * (height - 20);
  return svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      class: "trend",
      role: "img",
      "aria-label": "Values of the runs in their order; the table below has them all",
    },
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
          r: changes.some((change) => change.run === point.run) ? 6 : 3,
          class: changes.some((change) => change.run === point.run) ? "changed" : null,
        },
        svg("title", {}, point.run),
      ),
    ),
  );
}

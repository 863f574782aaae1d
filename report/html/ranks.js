// The document of `xsp ranks`: who holds up a job.

import { classColor, heatColor, hostColor, causeColor } from "./colors.js";
import { el, section, tiles } from "./dom.js";
import { count, duration, percent } from "./format.js";
import { jobFigures } from "./job.js";
import { sortableTable } from "./table.js";

const PARTS = [
  ["compute_ns", "computes", () => classColor("gemm")],
  ["transfer_ns", "transfers", () => classColor("collective")],
  ["waiting_ns", "waits for others", () => causeColor("sync_tail")],
  ["idle_ns", "idle", () => hostColor("range")],
];

/** `job`: its ranks step by step, where they are known; `onChoose(rank)` shows one. */
export function ranksSection(document, job, onChoose) {
  const ranks = document.ranks ?? [];
  return section(
    "ranks",
    "Ranks",
    document.window?.text,
    el("p", { class: "verdict" }, document.verdict),
    jobTiles(document),
    jobTrust(document),
    (document.notes ?? []).map((note) => el("p", { class: "note" }, note)),
    job ? jobFigures(job, onChoose) : againstMean(ranks),
    rankBars(ranks),
    rankTable(ranks),
    collectives(document.collectives ?? []),
    (document.cut ?? []).map((line) => el("p", { class: "note" }, `Cut from this page: ${line}`)),
  );
}

function jobTiles(document) {
  const factor = (value) => (typeof value === "number" ? `${value.toFixed(2)}×` : "–");
  return tiles([
    ["Step", duration(document.step_ns), `${count((document.ranks ?? []).length)} ranks`],
    ["Slowdown, all workers", factor(document.slowdown), `ideal step ${duration(document.ideal_step_ns)}`],
    [
      "Slowdown, peers of equal work",
      factor(document.peers_slowdown),
      `ideal step ${duration(document.peers_ideal_step_ns)}`,
    ],
    ["Trust", document.trust?.level ?? "–", null],
  ]);
}

function jobTrust({ trust, replay_error: error }) {
  if (!trust) return null;
  return el(
    "p",
    { class: "trust" },
    el("span", { class: `badge trust-${trust.level}` }, `Trust: ${trust.level}`),
    ` ${[`replayed as it is, a step is ${percent(error)} off`, ...trust.reasons].join("; ")}.`,
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
            el("span", { style: { width: `${((rank[key] ?? 0) / longest) * 100}%`, background: color } }),
          ),
        ),
      ),
    ),
    el(
      "ul",
      { class: "legend" },
      PARTS.map(([, words, color]) => el("li", {}, el("i", { style: { background: color } }), words)),
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
function againstMean(ranks) {
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
                { title: text, style: { background: () => heatColor(Math.max(-1, Math.min(1, share))) } },
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

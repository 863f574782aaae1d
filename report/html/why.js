// Why it took so long: the budget, the path, idle time, what being faster is worth, what-ifs.

import { causeColor, classColor, hostColor, levelColor } from "./colors.js";
import { el, section } from "./dom.js";
import { count, duration, percent } from "./format.js";
import { leverageChart } from "./leverage.js";
import { bar, sortableTable } from "./table.js";
import { whatIfCharts } from "./whatifs.js";

export function whySection(trace) {
  if (!trace.critical_path) return null;
  const unit = trace.critical_path.unit === "step" ? "a step" : "the GPU span";
  return section(
    "why",
    "Why it takes that long",
    `What decided how long ${unit} took: ${duration(trace.critical_path.measured_ns)} as measured.`,
    budget(trace),
    idleCauses(trace),
    pathTables(trace),
    leverageChart(trace),
    whatIfCharts(trace),
  );
}

/** A bar of parts, with a list below it that says the same in words. `parts`: [{label, ns, color(), share?}]. */
function stacked(title, parts, whole) {
  const shown = parts.filter((part) => part.ns > 0);
  return el(
    "figure",
    { class: "stacked" },
    el("figcaption", {}, title),
    el(
      "div",
      { class: "stack", "aria-hidden": "true" },
      shown.map((part) =>
        el("span", {
          title: `${part.label}: ${duration(part.ns)}`,
          style: { width: `${(part.ns / whole) * 100}%`, background: part.color },
        }),
      ),
    ),
    el(
      "ul",
      { class: "legend" },
      parts
        .filter((part) => part.ns !== 0)
        .slice(0, 12)
        .map((part) =>
          el(
            "li",
            {},
            el("i", { style: { background: part.color } }),
            `${part.label} `,
            el("b", {}, duration(part.ns)),
            ` ${percent(part.share ?? part.ns / whole)}`,
          ),
        ),
    ),
  );
}

const SIDE_WORDS = {
  both_ns: "host and device at work",
  host_only_ns: "the host only",
  device_only_ns: "devices only",
};

function budget({ critical_path: path }) {
  const colors = {
    both_ns: () => classColor("gemm"),
    host_only_ns: () => hostColor("api"),
    device_only_ns: () => classColor("elementwise"),
  };
  const parts = Object.entries(SIDE_WORDS).map(([key, label]) => ({
    label,
    ns: path.overlap[key],
    color: colors[key],
  }));
  const whole = parts.reduce((sum, part) => sum + part.ns, 0) || 1;
  return el(
    "div",
    {},
    el("h3", {}, "Budget"),
    stacked("Who was at work, as measured", parts, whole),
    stacked("The critical path, by what it is made of", path.breakdown.map(pathPart), sumOf(path.breakdown)),
  );
}

function sumOf(rows) {
  return rows.reduce((sum, row) => sum + Math.max(0, row.ns), 0) || 1;
}

const PATH_WORDS = {
  host_gap: "untraced host time",
  off_cpu: "not scheduled",
  launch: "launch call",
  call: "call",
  submit: "on its way to the device",
  stream_gap: "between operations",
  sync_tail: "return from a sync",
  copy_tail: "return from a copy",
  queue_tail: "full launch queue",
  one_time: "one-time costs",
  data_loading: "data loading",
};

function pathWords(row) {
  const kind = PATH_WORDS[row.kind] ?? row.kind.replaceAll("_", " ");
  return row.name ? `${kind}: ${row.name}` : kind;
}

function pathPart(row) {
  return { label: pathWords(row), ns: row.ns, share: row.share, color: () => pathColor(row) };
}

function pathColor(row) {
  if (row.kind === "kernel") return classColor(row.name);
  if (row.kind === "copy" || row.kind === "copy_tail") return classColor("copy");
  if (row.kind === "memset") return classColor("fill");
  if (row.kind === "collective") return classColor("collective");
  if (row.kind === "launch" || row.kind === "call") return hostColor("api");
  if (row.kind === "host_gap") return causeColor("host_gap");
  if (row.kind === "stream_gap" || row.kind === "submit") return causeColor(row.kind);
  if (
    row.kind === "one_time" ||
    row.kind === "allocation" ||
    row.kind === "sync_tail" ||
    row.kind === "off_cpu"
  )
    return causeColor(row.kind);
  return levelColor("device");
}

function idleCauses({ idle }) {
  const devices = idle?.devices ?? [];
  if (devices.length === 0) return null;
  return el(
    "div",
    {},
    el("h3", {}, "Why devices were idle"),
    devices.map((device) => {
      const whole = device.busy_ns + device.idle_ns || 1;
      const parts = [
        { label: "busy", ns: device.busy_ns, color: () => classColor("gemm") },
        ...device.causes.map((cause) => ({
          label: cause.meaning,
          ns: cause.ns,
          color: () => causeColor(cause.cause),
        })),
      ];
      return stacked(
        `GPU ${device.device}: ${duration(device.idle_ns)} idle of ${duration(whole)}`,
        parts,
        whole,
      );
    }),
    hostActivities(idle),
  );
}

function hostActivities({ host }) {
  const rows = host?.activities ?? [];
  if (rows.length === 0) return null;
  return sortableTable(
    [
      { title: "What the host did meanwhile", value: (row) => row.name },
      { title: "Told by", value: (row) => row.source.replaceAll("_", " ") },
      { title: "Time", numeric: true, value: (row) => row.ns, show: (row) => duration(row.ns) },
      { title: "Share", numeric: true, value: (row) => row.share, show: (row) => percent(row.share) },
      { title: "Count", numeric: true, value: (row) => row.count, show: (row) => count(row.count) },
    ],
    rows,
    { caption: "What the host did while devices starved", top: 8 },
  );
}

function pathTables({ critical_path: path }) {
  const most = Math.max(...path.breakdown.map((row) => row.ns), 1);
  const byKind = sortableTable(
    [
      { title: "Kind", value: pathWords },
      { title: "Time", numeric: true, value: (row) => row.ns, show: (row) => duration(row.ns) },
      { title: "Share", numeric: true, value: (row) => row.share, show: (row) => percent(row.share) },
      { title: "", value: (row) => row.ns, show: (row) => bar(row.ns / most, () => pathColor(row)) },
      { title: "Pieces", numeric: true, value: (row) => row.pieces, show: (row) => count(row.pieces) },
    ],
    path.breakdown,
    { caption: "Critical path by kind; sums to the measured time", top: 12 },
  );
  const layers = path.by_layer ?? [];
  const longest = Math.max(...layers.map((row) => row.ns), 1);
  const byLayer = sortableTable(
    [
      { title: "Layer", value: (row) => row.name },
      { title: "Time", numeric: true, value: (row) => row.ns, show: (row) => duration(row.ns) },
      { title: "Share", numeric: true, value: (row) => row.share, show: (row) => percent(row.share) },
      { title: "", value: (row) => row.ns, show: (row) => bar(row.ns / longest) },
      {
        title: "Device",
        numeric: true,
        value: (row) => row.device_ns,
        show: (row) => duration(row.device_ns),
      },
      { title: "Host", numeric: true, value: (row) => row.host_ns, show: (row) => duration(row.host_ns) },
    ],
    layers,
    { caption: "Critical path by layer", top: 12 },
  );
  return el("div", { class: "two" }, byKind, byLayer);
}

// The first screen: what was found, what to do about it, how sure that is, and what was recorded.

import { el, section, tiles } from "./dom.js";
import { count, duration, percent, speedup } from "./format.js";

export function topSection(trace) {
  const { summary } = trace;
  return section(
    "top",
    "Finding",
    null,
    el("p", { class: "verdict" }, summary.verdict),
    facts(trace),
    fixes(trace),
    trust(trace),
    recorded(trace),
  );
}

/** "train.sqlite · NVIDIA A100 · 8 steps of 32.55 ms". */
export function titleOf(trace) {
  const gpus = (trace.info.gpus ?? []).map((gpu) => gpu.name).filter(Boolean);
  const names = [...new Set(gpus)].map((name) => {
    const times = gpus.filter((gpu) => gpu === name).length;
    return times > 1 ? `${times} × ${name}` : name;
  });
  return [names.join(", "), trace.summary.window.text].filter(Boolean).join(" · ");
}

const RESOURCES = { gpu: "the GPU", host: "the host" };

function facts({ summary }) {
  const list = [];
  const tile = (label, value, note) => list.push([label, value, note]);
  if (summary.step) {
    tile(
      "Step",
      duration(summary.step.mean_ns),
      `±${percent(summary.step.spread)} over ${summary.step.steady}`,
    );
  } else if (summary.gpu_span_ns) {
    tile("GPU span", duration(summary.gpu_span_ns), "first to last device operation");
  }
  for (const device of summary.devices ?? []) {
    const name = (summary.devices ?? []).length > 1 ? `GPU ${device.device} busy` : "GPU busy";
    tile(
      name,
      percent(device.busy_share),
      `${duration(device.busy_ns)} of ${duration(device.busy_ns + device.idle_ns)}`,
    );
    if (list.length > 8) break;
  }
  if (summary.diagnosis?.share !== undefined && summary.diagnosis?.share !== null) {
    const { what } = summary.diagnosis;
    tile("Waits for", RESOURCES[what] ?? what.replaceAll("_", " "), percent(summary.diagnosis.share));
  }
  if (summary.trust) tile("Trust", summary.trust.level);
  return list.length > 0 ? tiles(list) : null;
}

/** The fixes of the first look; where it has none, what `xsp advise` ranks. */
export function fixesOf({ summary, advise }) {
  return summary.fixes?.length > 0 ? summary.fixes : (advise?.items ?? []);
}

function fixes(trace) {
  const list = fixesOf(trace);
  const others = notWorth(trace, list);
  if (list.length === 0 && others.length === 0) return null;
  return el(
    "div",
    { class: "fixes" },
    el("h3", {}, "What would help"),
    list.length === 0 ? el("p", {}, "Nothing that xsp knows would make it faster.") : null,
    el("ol", {}, list.slice(0, 5).map(fixItem)),
    others.length === 0
      ? null
      : el(
          "details",
          {},
          el(
            "summary",
            {},
            `${others.length} ${list.length === 0 ? "what-ifs" : "others"} not worth trying here`,
          ),
          el(
            "ul",
            { class: "plain" },
            others.map((other) => el("li", {}, el("strong", {}, other.name), ` ${other.words}`)),
          ),
        ),
  );
}

function fixItem(fix) {
  const notes = [
    fix.effort,
    fix.evidence,
    fix.with ? `with ${fix.with}` : null,
    fix.covered_by ? `gains the same time as ${fix.covered_by}` : null,
    fix.then,
  ];
  return el(
    "li",
    {},
    el("strong", {}, fix.name ?? fix.whatif),
    " ",
    el("span", { class: fix.speedup >= 1 ? "good" : "bad" }, speedup(fix.speedup)),
    ` (likely ${fix.speedup_low.toFixed(2)} to ${fix.speedup_high.toFixed(2)}×), ${duration(fix.forecast_ns)}. `,
    el("small", {}, notes.filter(Boolean).join(" · ")),
    fix.change ? el("code", { class: "change" }, fix.change) : null,
    el("code", { class: "command" }, fix.command),
  );
}

/** What would not help, and why: by the first look, then by advise. */
function notWorth({ summary, advise }, list) {
  const known = new Set(list.flatMap((fix) => fix.whatif.split("+")));
  const rows = [];
  const add = (whatif, name, factor, why) => {
    if (known.has(whatif ?? name)) return;
    known.add(whatif ?? name);
    const isSame = Math.abs(factor - 1) < 0.005;
    rows.push({ name, words: [why && isSame ? null : speedup(factor), why].filter(Boolean).join(": ") });
  };
  for (const one of summary.not_worth_it ?? []) add(one.whatif, one.name, one.speedup ?? 1, one.why);
  for (const one of advise?.others ?? []) add(one.whatif, one.whatif, one.speedup ?? 1, one.reason);
  return rows;
}

function trust({ summary }) {
  if (!summary.trust) return null;
  return el(
    "p",
    { class: "trust" },
    el("span", { class: `badge trust-${summary.trust.level}` }, `Trust: ${summary.trust.level}`),
    ` ${summary.trust.reasons.join("; ")}.`,
  );
}

function recorded(trace) {
  const { info, summary } = trace;
  const rows = [];
  const row = (label, value) => {
    if (value !== null && value !== undefined && value !== "")
      rows.push(el("dt", {}, label), el("dd", {}, value));
  };
  row(
    "Trace",
    `${trace.name} (${info.source_format ?? info.trace.format}${info.nsys_version ? ` ${info.nsys_version}` : ""})`,
  );
  row(
    "GPUs",
    (info.gpus ?? [])
      .map((gpu) => gpu.name)
      .filter(Boolean)
      .join(", "),
  );
  row(
    "Software",
    [
      info.driver_version && `driver ${info.driver_version}`,
      info.cuda_version && `CUDA ${info.cuda_version}`,
      info.os,
      info.cpu,
    ]
      .filter(Boolean)
      .join(", "),
  );
  row(
    "Processes",
    (info.processes ?? [])
      .map((process) => `${process.name ?? "process"} [${process.pid}]`)
      .slice(0, 12)
      .join(", "),
  );
  row(
    "Recorded",
    `${duration(info.span_ns)}${info.gpu_span_ns ? `, of it ${duration(info.gpu_span_ns)} from the first to the last device operation` : ""}`,
  );
  row("Steps", stepWords(info, summary));
  row(
    "Events",
    Object.entries(info.counts ?? {})
      .filter(([, n]) => n > 0)
      .map(([kind, n]) => `${count(n)} ${kind.replaceAll("_", " ")}`)
      .join(", "),
  );
  row(
    "Rows set aside",
    info.log?.set_aside ? `${count(info.log.set_aside)} of ${count(info.log.read)}` : null,
  );
  row(
    "Not recorded",
    (info.missing ?? []).map((missing) => el("div", {}, `${missing.what}: `, el("code", {}, missing.flag))),
  );
  const cut = trace.cut ?? [];
  row("Cut from this page", cut.length > 0 ? cut.map((line) => el("div", {}, line)) : null);
  return el(
    "details",
    { class: "recorded" },
    el("summary", {}, "What was recorded"),
    info.trace.partial ? el("p", { class: "notice" }, `Partial: ${info.trace.partial_reason}`) : null,
    el("dl", { class: "facts" }, rows),
  );
}

function stepWords(info, summary) {
  if (!info.steps?.count) return info.steps?.why_none ? `none: ${info.steps.why_none}` : "none";
  return `${summary.window.text} (found by ${info.steps.source})`;
}

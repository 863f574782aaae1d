// What being faster is worth: three bars for each group of work.

import { dropDown, el, replace } from "./dom.js";
import { duration, percent } from "./format.js";

const LEVEL_WORDS = {
  class: "Kernel classes",
  kernel: "Kernels",
  layer: "Layers",
  call: "Calls",
  range: "Ranges (device work in them)",
  host_range: "Ranges (host time in them)",
};

export function leverageChart({ leverage: worth }) {
  const items = worth?.items ?? [];
  if (items.length === 0) return null;
  const levels = [...new Set(items.map((item) => item.level))];
  const chart = el("div", { class: "leverage" });
  const measured = worth.measured_ns || 1;
  function draw(level) {
    const rows = items.filter((item) => level === "all" || item.level === level).slice(0, 14);
    const most = Math.max(...rows.map((item) => item.gain_free_ns), 1);
    const width = (ns) => `${(Math.max(0, ns) / most) * 100}%`;
    replace(
      chart,
      el(
        "p",
        { class: "legend" },
        el("span", {}, el("i", { class: "gain-10" }), "10 % less"),
        el("span", {}, el("i", { class: "gain-50" }), "half"),
        el("span", {}, el("i", { class: "gain-free" }), "free"),
      ),
      el(
        "ol",
        { class: "plain" },
        rows.map((item) =>
          el(
            "li",
            {
              title: `10 % less: ${duration(item.gain_10_ns)}, half: ${duration(item.gain_50_ns)}, free: ${duration(item.gain_free_ns)}`,
            },
            el("span", { class: "what" }, item.name, el("small", {}, ` ${item.level.replaceAll("_", " ")}`)),
            el(
              "span",
              { class: "gains", "aria-hidden": "true" },
              el("span", { class: "gain-free", style: { width: width(item.gain_free_ns) } }),
              el("span", { class: "gain-50", style: { width: width(item.gain_50_ns) } }),
              el("span", { class: "gain-10", style: { width: width(item.gain_10_ns) } }),
            ),
            el(
              "span",
              { class: "value" },
              `${duration(item.gain_10_ns)} / ${duration(item.gain_50_ns)} / ${duration(item.gain_free_ns)}`,
              el("small", {}, ` at most ${percent(item.gain_free_ns / measured)}`),
            ),
          ),
        ),
      ),
    );
  }
  const choices = [["all", "All"], ...levels.map((level) => [level, LEVEL_WORDS[level] ?? level])];
  const element = el(
    "div",
    {},
    el("h3", {}, "What being faster is worth"),
    el(
      "p",
      { class: "note" },
      "How much sooner it would be over, by simulation: what nobody waits for is worth nothing.",
    ),
    dropDown("Of", choices, "all", draw),
    chart,
  );
  draw("all");
  return element;
}

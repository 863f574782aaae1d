// Where the time went: the tree as an icicle, with a table beside it.

import { changeColor, classColor, levelColor } from "./colors.js";
import { chooser, drawWhenPlaced, el, replace, section } from "./dom.js";
import { count, duration, percent, signedDuration } from "./format.js";
import { bar, sortableTable } from "./table.js";
import { layOut, searchTree, treeModel } from "./tree.js";

const ROW_HEIGHT = 24;
const LEAST_WIDTH = 2; // Pixels: what is narrower is not drawn.
const MOST_ABOVE = 6; // Rows above the one that is zoomed to,
const MOST_BELOW = 40; // and below it: zooming in shows more.
const METRIC_WORDS = { device: "device time", host: "host time", path: "time on the critical path" };

export function whereSection(trace) {
  const model = treeModel(trace);
  if (model.size === 0) return null;
  const view = icicle(trace, model);
  const lead =
    trace.tree.steps_averaged > 1
      ? `Means of ${trace.tree.steps_averaged} counted steps. Click to zoom in; what is cut is in [other].`
      : "The whole trace. Click to zoom in; what is cut is in [other].";
  return section(
    "where",
    "Where the time went",
    lead,
    view.controls,
    view.path,
    view.chart,
    view.legend,
    view.table,
    coverage(trace),
  );
}

function coverage({ tree }) {
  const parts = Object.entries(tree.coverage ?? {});
  if (parts.length === 0) return null;
  return el(
    "p",
    { class: "note" },
    `What tells where device time belongs: ${parts.map(([source, share]) => `${source} ${percent(share)}`).join(", ")}.`,
  );
}

/** `options`: {id, title, change(i) -> ns more than in the other trace, or null}. */
export function icicle(trace, model, options = {}) {
  const metrics = [
    ...(model.hasDevice ? [["device", "Device"]] : []),
    ["host", "Host"],
    ...(model.hasPath ? [["path", "Critical path"]] : []),
  ];
  const state = { root: 0, metric: metrics[0][0], focus: 0, marked: new Uint8Array(model.size), text: "" };
  const chart = el("div", {
    class: "icicle",
    role: "group",
    "aria-label": "Icicle of the tree. Arrow keys move, Enter zooms in, Escape out.",
  });
  const path = el("nav", { class: "crumbs", "aria-label": "Zoomed to" });
  const result = el("output", { class: "search-result" });
  const legend = el("p", { class: "legend", "aria-label": "Colours" });
  const search = el("input", {
    type: "search",
    id: `${options.id ?? "where"}-search`,
    placeholder: "Search names",
    oninput: onSearch,
  });
  const table = sortableTable(tableColumns(), [], {
    caption: "Directly below",
    sortBy: 1,
    top: 15,
    onRow: (row) => zoomTo(row.i),
  });

  function values() {
    return model.metrics[state.metric];
  }
  function onSearch() {
    state.text = search.value;
    draw();
  }
  function zoomTo(i) {
    state.root = i;
    state.focus = i;
    draw();
  }
  function tableColumns() {
    const share = (row) => values()[row.i] / (values()[state.root] || 1);
    return [
      {
        title: "Name",
        value: (row) => model.name(row.i),
        show: (row) =>
          el(
            "button",
            { type: "button", class: "name", title: model.full(row.i), onclick: () => zoomTo(row.i) },
            model.name(row.i),
          ),
      },
      {
        title: "Time",
        numeric: true,
        value: (row) => values()[row.i],
        show: (row) => duration(values()[row.i]),
      },
      { title: "Share", numeric: true, value: share, show: (row) => percent(share(row)) },
      { title: "", value: share, show: (row) => bar(share(row), colorOf(row.i)) },
      {
        title: "Host",
        numeric: true,
        value: (row) => model.hostNs[row.i],
        show: (row) => (model.hostNs[row.i] < 0 ? "–" : duration(model.hostNs[row.i])),
      },
      {
        title: "Launches",
        numeric: true,
        value: (row) => model.launches[row.i],
        show: (row) => count(model.launches[row.i]),
      },
      {
        title: "Count",
        numeric: true,
        value: (row) => model.count[row.i],
        show: (row) => count(model.count[row.i]),
      },
      { title: "Level", value: (row) => model.level(row.i) },
    ];
  }
  function colorOf(i) {
    if (options.change) return changeColor(options.change(i, state.metric), values()[0]);
    const className = model.className(i);
    return className ? classColor(className) : levelColor(model.level(i));
  }
  function describe(i) {
    const whole = values()[0] || 1;
    const change = options.change ? options.change(i, state.metric) : undefined;
    const words =
      change === undefined
        ? ""
        : change === null
          ? ", not in the other trace"
          : `, ${signedDuration(change)}`;
    return `${model.full(i)}: ${duration(values()[i])} of ${METRIC_WORDS[state.metric]}, ${percent(values()[i] / whole)} of all${words} (${model.level(i)})`;
  }

  function draw() {
    const width = chart.clientWidth || 1000;
    const { left, right } = layOut(model, values(), state.root);
    const found = searchTree(model, values(), 0, state.text);
    state.marked = found.marked;
    const cells = [];
    let deepest = 0;
    const above = [];
    for (let at = model.parent[state.root]; at >= 0 && above.length < MOST_ABOVE; at = model.parent[at])
      above.unshift(at);
    above.forEach((i, row) => cells.push(cell(i, 0, 1, row, true)));
    const first = model.depth[state.root] - above.length;
    for (let i = state.root; i < model.end[state.root]; i++) {
      const isTooDeep = model.depth[i] > model.depth[state.root] + MOST_BELOW;
      if (isTooDeep || (right[i] - left[i]) * width < LEAST_WIDTH) {
        i = model.end[i] - 1;
        continue;
      }
      const row = model.depth[i] - first;
      deepest = Math.max(deepest, row);
      cells.push(cell(i, left[i], right[i], row, false));
    }
    chart.style.height = `${(deepest + 1) * ROW_HEIGHT}px`;
    const hadFocus = chart.contains(document.activeElement);
    replace(chart, cells);
    if (hadFocus) focusOn(state.focus);
    drawCrumbs();
    drawLegend(cells);
    result.textContent =
      state.text.trim() === ""
        ? ""
        : `${count(found.found)} found, ${duration(found.sum)} together, ${percent(found.sum / (values()[0] || 1))} of ${METRIC_WORDS[state.metric]}`;
    chart.classList.toggle("searching", state.text.trim() !== "");
    const rows = firstBranch(state.root);
    table.setRows(rows.map((i) => ({ i })));
    table.setCaption(`Directly below ${model.name(rows.length > 0 ? model.parent[rows[0]] : state.root)}`);
    table.hidden = rows.length === 0;
  }
  /** What is below a row; where that is one thing, what is below that: a table of one says nothing. */
  function firstBranch(i) {
    let below = model.childrenOf(i);
    while (below.length === 1 && model.childrenOf(below[0]).length > 0) below = model.childrenOf(below[0]);
    return below;
  }
  function cell(i, from, to, row, isAbove) {
    const node = el(
      "button",
      {
        type: "button",
        class: `cell${isAbove ? " above" : ""}${state.marked[i] ? " marked" : ""}`,
        title: describe(i),
        "aria-label": describe(i),
        tabindex: i === state.focus ? "0" : "-1",
        "data-row": i,
        style: {
          left: `${from * 100}%`,
          width: `${(to - from) * 100}%`,
          top: `${row * ROW_HEIGHT}px`,
          background: colorOf(i),
        },
        onclick: () => zoomTo(i),
      },
      model.name(i),
    );
    return node;
  }
  function drawCrumbs() {
    const chain = [];
    for (let at = state.root; at >= 0; at = model.parent[at]) chain.unshift(at);
    replace(
      path,
      chain.map((i, n) => [
        n > 0 ? " › " : null,
        i === state.root
          ? el("span", { "aria-current": "true" }, model.name(i))
          : el("button", { type: "button", onclick: () => zoomTo(i) }, model.name(i)),
      ]),
      el("span", { class: "sum" }, ` ${duration(values()[state.root])} of ${METRIC_WORDS[state.metric]}`),
    );
  }
  function drawLegend(cells) {
    if (options.change) {
      const whole = values()[0] || 1;
      const steps = [
        ["much longer", 0.2 * whole],
        ["longer", 0.02 * whole],
        ["the same", 0],
        ["shorter", -0.02 * whole],
        ["much shorter", -0.2 * whole],
        ["only here", null],
      ];
      replace(
        legend,
        steps.map(([words, change]) =>
          el("span", {}, el("i", { style: { background: changeColor(change, whole) } }), words),
        ),
      );
      return;
    }
    const classes = new Map();
    for (const node of cells) {
      const name = model.className(Number(node.dataset.row));
      if (name) classes.set(name, classColor(name));
    }
    replace(
      legend,
      [...classes].map(([name, color]) => el("span", {}, el("i", { style: { background: color } }), name)),
    );
  }
  function focusOn(i) {
    const node = chart.querySelector(`[data-row="${i}"]`);
    if (!node) return;
    for (const other of chart.querySelectorAll('[tabindex="0"]')) other.setAttribute("tabindex", "-1");
    node.setAttribute("tabindex", "0");
    node.focus({ preventScroll: true });
    state.focus = i;
  }
  function drawn(i) {
    return chart.querySelector(`[data-row="${i}"]`) !== null;
  }
  function sibling(i, step) {
    const above = model.parent[i];
    const list = (above < 0 ? [i] : model.childrenOf(above)).filter(drawn);
    return list[list.indexOf(i) + step];
  }
  chart.addEventListener("keydown", (event) => {
    const i = Number(event.target.dataset?.row ?? state.focus);
    const to = {
      ArrowUp: () => model.parent[i],
      ArrowDown: () => model.childrenOf(i).find(drawn),
      ArrowLeft: () => sibling(i, -1),
      ArrowRight: () => sibling(i, 1),
    }[event.key];
    if (to) {
      const next = to();
      if (next !== undefined && next >= 0) focusOn(next);
      event.preventDefault();
    } else if (event.key === "Escape") {
      zoomTo(Math.max(0, model.parent[state.root]));
      event.preventDefault();
    }
  });

  const controls = el(
    "div",
    { class: "controls" },
    chooser("Width", metrics, state.metric, (metric) => {
      state.metric = metric;
      draw();
    }),
    el("span", { class: "field" }, el("label", { for: search.id }, "Search"), search, result),
  );
  let drawnWidth = 0;
  new ResizeObserver(() => {
    if (chart.clientWidth !== drawnWidth) requestAnimationFrame(draw);
    drawnWidth = chart.clientWidth;
  }).observe(chart);
  drawWhenPlaced(draw);
  return { controls, path, chart, legend, table, draw };
}

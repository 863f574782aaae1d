// When everything happened: a waterfall that can be zoomed, moved and asked.

import { causeColor } from "./colors.js";
import { drawWhenPlaced, dropDown, el, replace, section } from "./dom.js";
import { bytes, duration } from "./format.js";
import { colorOfItem, drawWaterfall, itemAt, placeOf, rowsOf } from "./waterfall_draw.js";
import { lowerBound, stepTitle, waterfallModel } from "./waterfall_model.js";

const KEYS = "Arrow keys go from bar to bar, + and − zoom, Home shows all, Enter follows what decided.";

export function whenSection(trace) {
  if (!trace.waterfall || trace.waterfall.items.rows === 0) return null;
  const model = waterfallModel(trace, trace.waterfall);
  const view = waterfall(model, { id: "when" });
  const cut = model.shown === "" ? "" : ` Shown: ${model.shown}.`;
  const lead = `${model.items.rows.toLocaleString("en-US")} bars.${cut} Click a bar to see what it ${model.path ? "waited for" : "is"}; drag to move, pinch or Ctrl and wheel to zoom.`;
  const element = section(
    "when",
    "When it happened",
    lead,
    view.controls,
    view.box,
    view.panel,
    legend(model),
  );
  element.waterfall = view;
  return element;
}

const HOST_WORDS = { api: "calls", os: "operating system", mpi: "MPI", range: "ranges" };

/** Classes of work, the longest first, and what hosts do: [[words, color()]]. */
function barColors(model) {
  const first = new Map(); // By paint: a bar that has it, and what all of them take.
  for (let i = 0; i < model.items.rows; i++) {
    const one = first.get(model.paintOf[i]) ?? { i, ns: 0 };
    one.ns += model.items.length[i];
    first.set(model.paintOf[i], one);
  }
  const longest = [...first]
    .sort((a, b) => b[1].ns - a[1].ns)
    .map(([paint, { i }]) => [model.paints[paint], i]);
  const words = (sort) => longest.filter(([paint]) => paint[0] === sort);
  return [...words("class").slice(0, 8), ...words("host")].map(([[sort, name], i]) => [
    sort === "class" ? name : HOST_WORDS[name],
    () => colorOfItem(model, i),
  ]);
}

function legend(model) {
  const parts = barColors(model).map(([words, color]) =>
    el("span", {}, el("i", { style: { background: color } }), words),
  );
  if (model.path) parts.push(el("span", {}, el("i", { class: "path-mark" }), "on the critical path"));
  if (model.idle) {
    const seen = new Map();
    for (let g = 0; g < model.idle.rows; g++) {
      const cause = model.idle.cause[g];
      seen.set(cause, (seen.get(cause) ?? 0) + model.idle.length[g]);
    }
    const causes = [...seen].sort((a, b) => b[1] - a[1]).slice(0, 8);
    for (const [cause] of causes) {
      parts.push(
        el(
          "span",
          {},
          el("i", { style: { background: () => causeColor(model.idle.causes[cause]) } }),
          `idle: ${model.idle.meanings[cause]}`,
        ),
      );
    }
  }
  return el("p", { class: "legend" }, parts);
}

/** The view of a model: {controls, box, panel, select(i), showStep(n)}. */
export function waterfall(model, options = {}) {
  let layout = rowsOf(model, options);
  const quiet = model.tracks.filter((track) => track.isQuiet).length;
  const canvas = el("canvas", {
    tabindex: "0",
    role: "img",
    "aria-label": `Waterfall. ${KEYS}`,
    "aria-describedby": `${options.id}-panel`,
  });
  const spacer = el("div", { class: "spacer" }, canvas);
  const box = el("div", { class: "waterfall", style: { "max-height": options.height ?? "70vh" } }, spacer);
  const panel = el(
    "div",
    { class: "selected", id: `${options.id}-panel`, "aria-live": "polite" },
    el("p", { class: "hint" }, options.hint ?? "Nothing is selected."),
  );
  const typical = model.steps.find((step) => step.typical) ?? null;
  const state = { from: 0, to: model.length, selected: -1, origin: 0, isAsked: false };

  function showStep(step) {
    const margin = step ? step.ns * 0.02 : 0;
    state.from = step ? step.begin_ns - margin : 0;
    state.to = step ? step.begin_ns + step.ns + margin : model.length;
    // Beside another one, both have the same scale.
    if (options.span) state.to = Math.max(state.to, state.from + options.span * 1.04);
    state.origin = step ? step.begin_ns : 0;
    draw();
  }
  function currentView() {
    return {
      from: state.from,
      to: state.to,
      width: canvas.clientWidth,
      height: canvas.clientHeight,
      scroll: box.scrollTop,
      ratio: window.devicePixelRatio || 1,
      origin: state.origin,
    };
  }
  function drawNow() {
    state.isAsked = false;
    const width = box.clientWidth;
    const height = Math.min(layout.height, box.clientHeight || layout.height);
    if (width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    drawWaterfall(canvas, model, layout, currentView(), state.selected);
  }
  function draw() {
    if (state.isAsked) return;
    state.isAsked = true;
    requestAnimationFrame(drawNow);
  }
  function zoom(factor, center) {
    const length = Math.min(
      Math.max(model.length, options.span ?? 0) * 1.1,
      Math.max(50, (state.to - state.from) * factor),
    );
    const at = center ?? (state.from + state.to) / 2;
    const share = (at - state.from) / (state.to - state.from);
    moveTo(at - share * length, length);
  }
  function moveTo(from, length) {
    const margin = model.length * 0.05;
    state.from = Math.max(
      -margin,
      Math.min(from, Math.max(model.length, options.span ?? 0) + margin - length),
    );
    state.to = state.from + length;
    draw();
  }
  function select(i, keepView = false) {
    state.selected = i;
    if (i >= 0 && !keepView) bringIntoView(i);
    describe(i);
    draw();
  }
  function bringIntoView(i) {
    const begin = model.items.begin[i];
    const length = model.items.length[i];
    const shown = state.to - state.from;
    if (begin < state.from || begin + length > state.to || length < shown / 400) {
      const wanted = Math.max(length * 6, Math.min(shown, Math.max(length * 60, 20000)));
      moveTo(begin + length / 2 - wanted / 2, wanted);
    }
    const row = placeOf(layout, model, i);
    if (row && (row.top < box.scrollTop + 40 || row.top > box.scrollTop + box.clientHeight - 40))
      box.scrollTop = row.top - box.clientHeight / 2;
  }
  function describe(i) {
    if (i < 0) {
      replace(panel, el("p", { class: "hint" }, "Nothing is selected."));
      return;
    }
    const { items } = model;
    const into = model.edgesInto(i);
    const onward = model.edgesFrom(i);
    const stepOf = model.steps.find(
      (step) => step.begin_ns <= items.begin[i] && items.begin[i] < step.begin_ns + step.ns,
    );
    const facts = [
      model.trackOf(i).name,
      duration(items.length[i]),
      stepOf
        ? `begins ${duration(items.begin[i] - stepOf.begin_ns)} into step ${stepOf.number}`
        : `begins at ${duration(items.begin[i])}`,
      items.bytes[i] > 0 ? bytes(items.bytes[i]) : null,
      model.onPath[i] ? "on the critical path" : null,
      items.task[i] >= 0 && model.edgesInto !== undefined && into.length > 0 ? `task ${items.task[i]}` : null,
    ];
    replace(
      panel,
      el(
        "h3",
        {},
        el("i", { class: "swatch", style: { background: () => colorOfItem(model, i) } }),
        model.nameOf(i),
      ),
      el("p", {}, facts.filter(Boolean).join(" · ")),
      into.length > 0 ? el("h4", {}, "What it waited for") : null,
      into.length > 0
        ? el(
            "ul",
            { class: "edges" },
            [...into].sort((a, b) => b.decides - a.decides).map((edge) => edgeItem(edge, edge.source)),
          )
        : null,
      onward.length > 0 ? el("h4", {}, "What waited for it") : null,
      onward.length > 0
        ? el(
            "ul",
            { class: "edges" },
            onward.slice(0, 8).map((edge) => edgeItem(edge, edge.to)),
          )
        : null,
    );
  }
  function edgeItem(edge, other) {
    return el(
      "li",
      { class: edge.decides ? "decides" : null },
      edge.decides ? el("strong", {}, "decided ") : null,
      `${edge.atFinish ? "finish" : "begin"}, ${edge.rule}: ${edge.why} `,
      other >= 0 && other !== state.selected
        ? el("button", { type: "button", class: "go", onclick: () => go(other) }, `→ ${model.nameOf(other)}`)
        : null,
    );
  }
  function go(i) {
    select(i);
    canvas.focus({ preventScroll: true });
  }

  /** The next bar on the lane, or the nearest one on the lane above or below. */
  function neighbour(key) {
    const lanes = layout.rows.filter((row) => row.kind === "lane");
    if (state.selected < 0) {
      const first = lanes.find((row) => row.track.isDevice) ?? lanes[0];
      const k = lowerBound(first.lane.length, (n) => model.items.begin[first.lane[n]], state.from);
      return first.lane[Math.min(k, first.lane.length - 1)];
    }
    const row = placeOf(layout, model, state.selected);
    const at = row.lane.indexOf(state.selected);
    if (key === "ArrowLeft") return row.lane[Math.max(0, at - 1)];
    if (key === "ArrowRight") return row.lane[Math.min(row.lane.length - 1, at + 1)];
    const next = lanes[lanes.indexOf(row) + (key === "ArrowUp" ? -1 : 1)];
    if (!next) return state.selected;
    const k = lowerBound(
      next.lane.length,
      (n) => model.items.begin[next.lane[n]],
      model.items.begin[state.selected],
    );
    return next.lane[Math.min(k, next.lane.length - 1)];
  }
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith("Arrow")) {
      select(neighbour(event.key));
    } else if (event.key === "+" || event.key === "=") {
      zoom(0.5, centerOf(state.selected));
    } else if (event.key === "-") {
      zoom(2, centerOf(state.selected));
    } else if (event.key === "Home") {
      showStep(null);
    } else if (event.key === "Escape") {
      select(-1);
    } else if (event.key === "Enter" && state.selected >= 0) {
      const edge = model
        .edgesInto(state.selected)
        .find((one) => one.decides && one.source >= 0 && one.source !== state.selected);
      if (edge) select(edge.source);
    } else {
      return;
    }
    event.preventDefault();
  });
  function centerOf(i) {
    return i < 0 ? undefined : model.items.begin[i] + model.items.length[i] / 2;
  }
  addPointers(canvas, box, {
    currentView,
    zoom,
    moveTo,
    onClick: (x, y) => select(itemAt(layout, model, currentView(), x, y), true),
    onDouble: (x, y) => zoomToItem(itemAt(layout, model, currentView(), x, y)),
    onHover,
  });

  function zoomToItem(i) {
    if (i < 0) return;
    moveTo(model.items.begin[i] - model.items.length[i] * 0.5, Math.max(50, model.items.length[i] * 2));
  }
  function onHover(x, y) {
    const i = itemAt(layout, model, currentView(), x, y);
    canvas.title = i < 0 ? "" : `${model.nameOf(i)}\n${duration(model.items.length[i])}`;
  }

  function showQuiet(event) {
    layout = rowsOf(model, { ...options, withQuiet: event.target.checked });
    spacer.style.height = `${layout.height}px`;
    draw();
  }
  const stepChoices = [
    [null, "everything"],
    ...model.steps
      .slice(0, 500)
      .map((step) => [
        step,
        `${stepTitle(step)}${step.typical ? " (typical)" : step.role === "counted" ? "" : ` (${step.role})`}: ${duration(step.ns)}`,
      ]),
  ];
  const controls = el(
    "div",
    { class: "controls" },
    model.steps.length > 0 ? dropDown("Show", stepChoices, typical, showStep) : null,
    el(
      "div",
      { class: "chooser", role: "group", "aria-label": "Zoom" },
      el("button", { type: "button", onclick: () => zoom(0.5), "aria-label": "Zoom in" }, "+"),
      el("button", { type: "button", onclick: () => zoom(2), "aria-label": "Zoom out" }, "−"),
      el("button", { type: "button", onclick: () => showStep(null) }, "All"),
      el(
        "button",
        {
          type: "button",
          onclick: () => moveTo(state.from - (state.to - state.from) / 2, state.to - state.from),
          "aria-label": "Earlier",
        },
        "◀",
      ),
      el(
        "button",
        {
          type: "button",
          onclick: () => moveTo(state.from + (state.to - state.from) / 2, state.to - state.from),
          "aria-label": "Later",
        },
        "▶",
      ),
    ),
    quiet > 0
      ? el(
          "label",
          { class: "field" },
          el("input", { type: "checkbox", onchange: showQuiet }),
          `${quiet} ${quiet === 1 ? "thread that only waits" : "threads that only wait"}`,
        )
      : null,
  );
  // On paper nobody scrolls.
  window.addEventListener("beforeprint", () => box.style.setProperty("max-height", "none") ?? drawNow());
  window.addEventListener(
    "afterprint",
    () => box.style.setProperty("max-height", options.height ?? "70vh") ?? drawNow(),
  );
  box.addEventListener("scroll", draw);
  new ResizeObserver(draw).observe(box);
  drawWhenPlaced(drawNow);
  spacer.style.height = `${layout.height}px`;
  if (typical || options.span) showStep(typical);
  return {
    controls,
    box,
    panel,
    canvas,
    model,
    layout: () => layout,
    select,
    showStep,
    currentView,
    state,
    drawNow,
  };
}

/** Drag to move, two fingers or Ctrl and wheel to zoom, a click to select. */
function addPointers(canvas, box, on) {
  const pointers = new Map();
  let moved = 0;
  const at = (event) => {
    const place = canvas.getBoundingClientRect();
    return [event.clientX - place.left, event.clientY - place.top];
  };
  const timeAt = (x) => {
    const view = on.currentView();
    return view.from + (x / view.width) * (view.to - view.from);
  };
  canvas.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, at(event));
    moved = 0;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    const [x, y] = at(event);
    if (!before) {
      on.onHover(x, y);
      return;
    }
    moved += Math.abs(x - before[0]) + Math.abs(y - before[1]);
    const view = on.currentView();
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const [was, is] = [Math.abs(before[0] - other[0]), Math.abs(x - other[0])];
      if (was > 8 && is > 8) on.zoom(was / is, timeAt((x + other[0]) / 2));
    } else if (moved > 3) {
      on.moveTo(view.from - ((x - before[0]) / view.width) * (view.to - view.from), view.to - view.from);
      if (event.pointerType === "mouse") box.scrollTop -= y - before[1];
    }
    pointers.set(event.pointerId, [x, y]);
  });
  const end = (event) => {
    const was = pointers.get(event.pointerId);
    pointers.delete(event.pointerId);
    if (was && moved <= 3 && event.type === "pointerup") on.onClick(...was);
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("dblclick", (event) => on.onDouble(...at(event)));
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
      event.preventDefault();
      const view = on.currentView();
      if (event.ctrlKey) on.zoom(Math.exp(event.deltaY * 0.005), timeAt(at(event)[0]));
      else on.moveTo(view.from + (event.deltaX / view.width) * (view.to - view.from), view.to - view.from);
    },
    { passive: false },
  );
}

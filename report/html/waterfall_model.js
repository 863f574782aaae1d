// A waterfall as lanes of bars: what overlaps on a track lies on lanes below each other.

import { countersOf } from "./counters.js";
import { unpackTable } from "./data.js";

const MOST_LANES = 24; // What is nested deeper shares the last one.

/** Bars of a track, each lane by time: lanes[k] holds row numbers whose times do not overlap. */
function lanesOf(items, first, last, isDevice) {
  const lanes = [];
  const lane = new Uint8Array(last - first);
  const ends = []; // Of a device: by lane. Of a thread: those that are open, outermost first.
  for (let i = first; i < last; i++) {
    const begin = items.begin[i];
    const finish = begin + items.length[i];
    let at = 0;
    if (isDevice) {
      while (at < ends.length && ends[at] > begin) at += 1;
      ends[at] = finish;
    } else {
      while (ends.length > 0 && ends[ends.length - 1] <= begin) ends.pop();
      at = ends.length;
      ends.push(finish);
    }
    at = Math.min(at, MOST_LANES - 1);
    lane[i - first] = at;
    (lanes[at] ??= []).push(i);
  }
  return { lanes: lanes.map((rows) => Int32Array.from(rows ?? [])), lane };
}

/**
 * Reads the columns of a waterfall. Result: {length, tracks: [{name, isDevice, device, lanes}],
 * items, laneOf(i), trackOf(i), nameOf(i), paintOf[i], edgesInto(i), edgesFrom(i), path, idle, ...}.
 */
export function waterfallModel(trace, columns) {
  const items = unpackTable(columns.items ?? columns, [
    "track",
    "begin",
    "length",
    "name",
    "kind",
    "class",
    "task",
    "bytes",
    "new",
  ]);
  const lane = new Uint8Array(items.rows);
  const tracks = [];
  for (let first = 0; first < items.rows; ) {
    const number = items.track[first];
    let last = first;
    while (last < items.rows && items.track[last] === number) last += 1;
    const track = items.tracks[number];
    const of = lanesOf(items, first, last, track.on_device);
    lane.set(of.lane, first);
    tracks[number] = {
      name: track.name,
      isDevice: track.on_device,
      device: track.device,
      lanes: of.lanes,
      number,
    };
    first = last;
  }
  const model = {
    length: columns.length_ns,
    shown: columns.shown ?? "",
    steps: columns.steps ?? [],
    begin: columns.begin_ns ?? 0,
    items,
    tracks: tracks.filter(Boolean),
    laneOf: (i) => lane[i],
    trackOf: (i) => tracks[items.track[i]],
    nameOf: (i) => trace.texts[items.name[i]],
    kindOf: (i) => (columns.items ? trace.kinds[items.kind[i]] : undefined),
    classOf: (i) => (items.class[i] < 0 ? null : trace.classes[items.class[i]]),
    isNew: (i) => items.new[i] === 1,
    edgesInto: () => [],
    edgesFrom: () => [],
    path: null,
    onPath: new Uint8Array(items.rows),
    idle: null,
    counters: [],
  };
  findPaints(model);
  findQuiet(model);
  if (columns.edges) addEdges(trace, columns, model);
  if (columns.path) addPath(columns.path, model);
  if (columns.idle) addIdle(columns.idle, model);
  model.counters = countersOf(model, columns.counters ?? []);
  return model;
}

const HOST_PAINTS = { api: "api", osrt: "os", mpi: "mpi" };

/** Which colour each bar has: paints[paintOf[i]] is ["class" or "host", name]. */
function findPaints(model) {
  const numbers = new Map();
  model.paints = [];
  model.paintOf = new Uint8Array(model.items.rows);
  for (let i = 0; i < model.items.rows; i++) {
    const className = model.classOf(i);
    const kind = model.kindOf(i);
    const name = className ?? (kind === undefined ? "api" : (HOST_PAINTS[kind] ?? "range"));
    const key = className ? `class ${name}` : name;
    if (!numbers.has(key)) {
      numbers.set(key, model.paints.length);
      model.paints.push([className ? "class" : "host", name]);
    }
    model.paintOf[i] = numbers.get(key);
  }
}

/** Threads that only wait in the operating system say little: they are shown where asked for. */
function findQuiet(model) {
  for (const track of model.tracks) {
    const isQuiet = (i) => model.kindOf(i) === "osrt";
    track.isQuiet = !track.isDevice && track.lanes.every((lane) => lane.every(isQuiet));
  }
  if (model.tracks.every((track) => track.isQuiet)) {
    for (const track of model.tracks) track.isQuiet = false;
  }
}

/** Rows by a number that each has: rowsOf(n) is the list of those that have it, in their order. */
function grouped(size, rows, numberOf) {
  const first = new Int32Array(size + 1);
  for (let r = 0; r < rows; r++) if (numberOf(r) >= 0) first[numberOf(r) + 1] += 1;
  for (let n = 0; n < size; n++) first[n + 1] += first[n];
  const list = new Int32Array(first[size]);
  const next = first.slice(0, size);
  for (let r = 0; r < rows; r++) if (numberOf(r) >= 0) list[next[numberOf(r)]++] = r;
  return (n) => list.subarray(first[n], first[n + 1]);
}

function addEdges(trace, columns, model) {
  const edges = unpackTable(columns.edges, ["to", "from", "rule", "how", "why", "numbers"]);
  const sourceOf = (e) => (edges.from[e] === 0 ? -1 : edges.to[e] + edges.from[e]);
  const firstNumber = new Int32Array(edges.rows + 1);
  const slots = new Map(); // How many numbers a pattern has.
  for (let e = 0; e < edges.rows; e++) {
    if (!slots.has(edges.why[e])) slots.set(edges.why[e], trace.texts[edges.why[e]].split("{}").length - 1);
    firstNumber[e + 1] = firstNumber[e] + slots.get(edges.why[e]);
  }
  const read = (e) => {
    let number = firstNumber[e];
    const parts = trace.texts[edges.why[e]].split("{}");
    const why = parts
      .map((part, n) => (n + 1 < parts.length ? part + trace.texts[edges.numbers[number++]] : part))
      .join("");
    return {
      to: edges.to[e],
      source: sourceOf(e),
      rule: columns.rules[edges.rule[e]],
      atFinish: (edges.how[e] & 1) !== 0,
      decides: (edges.how[e] & 2) !== 0,
      why,
    };
  };
  const into = grouped(model.items.rows, edges.rows, (e) => edges.to[e]);
  const onward = grouped(model.items.rows, edges.rows, sourceOf);
  model.edgesInto = (i) => Array.from(into(i), read);
  model.edgesFrom = (i) => Array.from(onward(i), read);
  const submit = columns.rules.indexOf("submit");
  model.submits = [];
  for (let e = 0; e < edges.rows; e++) {
    if (edges.rule[e] === submit && edges.from[e] !== 0) model.submits.push(e);
  }
  model.submits = model.submits.map((e) => ({ call: sourceOf(e), work: edges.to[e] }));
}

/** Gaps of a device lie beside each other, in order of time. */
function addIdle(columns, model) {
  const idle = unpackTable(columns, ["device", "begin", "length", "cause"]);
  const devices = Math.max(-1, ...model.tracks.map((track) => track.device ?? -1)) + 1;
  idle.gapsOf = grouped(devices, idle.rows, (g) => (idle.device[g] < devices ? idle.device[g] : -1));
  model.idle = idle;
}

function addPath(columns, model) {
  const path = unpackTable(columns, ["begin", "length", "kind", "item"]);
  for (let p = 0; p < path.rows; p++) if (path.item[p] >= 0) model.onPath[path.item[p]] = 1;
  model.path = path;
}

/** The first of sorted numbers (by `at`) that is not below a value. */
export function lowerBound(size, at, value) {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(middle) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** "step 6", and what the program calls it where that is something else. */
export function stepTitle({ number, name }) {
  const plain = `step ${number}`;
  const short = name.length > 40 ? `${name.slice(0, 39)}…` : name;
  return name === "" || name.toLowerCase() === plain ? plain : `${plain}, “${short}”`;
}

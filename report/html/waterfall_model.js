// A waterfall as lanes of bars: what overlaps on a track lies on lanes below each other.

import { unpack, unpackTable } from "./data.js";

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
 * items, laneOf(i), trackOf(i), nameOf(i), edgesInto(i), edgesFrom(i), path, idle, ...}.
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
  findQuiet(model);
  if (columns.edges) addEdges(trace, columns, model);
  if (columns.path) addPath(columns.path, model);
  if (columns.idle) {
    model.idle = { ...unpackTable(columns.idle, ["device", "begin", "length", "cause"]) };
  }
  model.counters = [
    ...ownCounters(model),
    ...(columns.counters ?? []).map((counter) => ({
      ...counter,
      times: unpack(counter.times),
      values: unpack(counter.values),
    })),
  ];
  return model;
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

function addEdges(trace, columns, model) {
  const edges = unpackTable(columns.edges, ["to", "from", "rule", "how", "lag", "why", "numbers"]);
  const firstNumber = new Int32Array(edges.rows + 1);
  const slots = new Map(); // How many numbers a pattern has.
  for (let e = 0; e < edges.rows; e++) {
    if (!slots.has(edges.why[e])) slots.set(edges.why[e], trace.texts[edges.why[e]].split("{}").length - 1);
    firstNumber[e + 1] = firstNumber[e] + slots.get(edges.why[e]);
  }
  const firstInto = new Int32Array(model.items.rows + 1);
  for (let e = 0; e < edges.rows; e++) firstInto[edges.to[e] + 1] += 1;
  for (let i = 0; i < model.items.rows; i++) firstInto[i + 1] += firstInto[i];
  const from = new Map();
  for (let e = 0; e < edges.rows; e++) {
    if (edges.from[e] === 0) continue;
    const source = edges.to[e] + edges.from[e];
    if (!from.has(source)) from.set(source, []);
    from.get(source).push(e);
  }
  const read = (e) => {
    let number = firstNumber[e];
    const parts = trace.texts[edges.why[e]].split("{}");
    const why = parts
      .map((part, n) => (n + 1 < parts.length ? part + trace.texts[edges.numbers[number++]] : part))
      .join("");
    return {
      to: edges.to[e],
      source: edges.from[e] === 0 ? -1 : edges.to[e] + edges.from[e],
      rule: columns.rules[edges.rule[e]],
      atFinish: (edges.how[e] & 1) !== 0,
      decides: (edges.how[e] & 2) !== 0,
      lag: edges.lag[e],
      why,
    };
  };
  model.edgesInto = (i) => {
    const list = [];
    for (let e = firstInto[i]; e < firstInto[i + 1]; e++) list.push(read(e));
    return list;
  };
  model.edgesFrom = (i) => (from.get(i) ?? []).map(read);
  model.submits = [];
  for (let e = 0; e < edges.rows; e++) {
    if (columns.rules[edges.rule[e]] === "submit" && edges.from[e] !== 0)
      model.submits.push([edges.to[e] + edges.from[e], edges.to[e]]);
  }
}

function addPath(columns, model) {
  const path = unpackTable(columns, ["begin", "length", "kind", "item"]);
  for (let p = 0; p < path.rows; p++) if (path.item[p] >= 0) model.onPath[path.item[p]] = 1;
  model.path = path;
}

/** Counters that bars tell by themselves: launches outstanding, and what links carry. */
function ownCounters(model) {
  const counters = [];
  const { items } = model;
  const changes = [];
  for (const [call, work] of model.submits ?? []) {
    changes.push([items.begin[call], 1], [items.begin[work] + items.length[work], -1]);
  }
  if (changes.length > 0) counters.push(summed("Launches outstanding", "", changes));
  const links = new Map();
  for (let i = 0; i < items.rows; i++) {
    if (items.bytes[i] <= 0 || items.length[i] <= 0) continue;
    const name = model.nameOf(i).replace(/^\[CUDA (.*)\]$/, "$1");
    const rate = items.bytes[i] / (items.length[i] / 1e9);
    if (!links.has(name)) links.set(name, []);
    links.get(name).push([items.begin[i], rate], [items.begin[i] + items.length[i], -rate]);
  }
  for (const [name, list] of links) counters.push(summed(`Link, ${name}`, "B/s", list));
  return counters;
}

function summed(name, unit, changes) {
  changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const times = new Float64Array(changes.length);
  const values = new Float64Array(changes.length);
  let value = 0;
  changes.forEach(([time, change], i) => {
    value += change;
    times[i] = time;
    values[i] = Math.max(0, value);
  });
  return { name, unit, times, values };
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

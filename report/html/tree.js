// The across-stack tree as rows, parents before their children.

import { unpackTable } from "./data.js";

const COLUMNS = [
  "depth",
  "level",
  "name",
  "label",
  "source",
  "class",
  "wall",
  "host",
  "busy",
  "sum",
  "own",
  "count",
  "launches",
  "path",
];

/** {size, parent[], end[] (behind the last row below), name(i), full(i), values by metric}. */
export function treeModel(trace) {
  const table = unpackTable(trace.places, COLUMNS);
  const size = table.rows;
  const parent = new Int32Array(size).fill(-1);
  const end = new Int32Array(size).fill(size);
  const open = [];
  for (let i = 0; i < size; i++) {
    while (open.length > table.depth[i]) end[open.pop()] = i;
    if (open.length > 0) parent[i] = open[open.length - 1];
    open.push(i);
  }
  const pathSteps = trace.places.path_steps ?? 1;
  const path = table.path.map((ns) => ns / pathSteps);
  // What has no time of its own on the host (the root, ranks) has that of what is below it.
  const host = table.host.map((ns) => Math.max(0, ns));
  const below = new Float64Array(size);
  for (let i = size - 1; i >= 0; i--) {
    if (table.host[i] < 0) host[i] = below[i];
    if (parent[i] >= 0) below[parent[i]] += host[i];
  }
  const metrics = { device: table.sum, host, path };
  return {
    size,
    parent,
    end,
    depth: table.depth,
    metrics,
    hasDevice: table.sum[0] > 0,
    hasPath: trace.places.path !== undefined && path[0] > 0,
    busy: table.busy,
    own: table.own,
    wall: table.wall,
    hostNs: table.host,
    count: table.count.map((n) => n / 1000),
    launches: table.launches.map((n) => n / 1000),
    name: (i) => trace.texts[table.label[i]],
    full: (i) => trace.texts[table.name[i]],
    level: (i) => trace.levels[table.level[i]] ?? "other",
    source: (i) => trace.sources[table.source[i]],
    className: (i) => (table.class[i] < 0 ? null : trace.classes[table.class[i]]),
    childrenOf(i) {
      const children = [];
      for (let at = i + 1; at < end[i]; at = end[at]) children.push(at);
      return children;
    },
    pathOf(i) {
      const names = [];
      for (let at = i; at >= 0; at = parent[at]) names.unshift(trace.texts[table.label[at]]);
      return names;
    },
  };
}

/**
 * Where each row lies from 0 to 1 below `root`: {left, right} by row, NaN for what is elsewhere. A
 * parent is as wide as it is long, or as its children together where they overlap.
 */
export function layOut(model, values, root) {
  const left = new Float64Array(model.size).fill(NaN);
  const right = new Float64Array(model.size).fill(NaN);
  const inside = new Float64Array(model.size);
  for (let i = model.end[root] - 1; i > root; i--) inside[model.parent[i]] += Math.max(0, values[i]);
  const cursor = new Float64Array(model.size);
  const scale = new Float64Array(model.size);
  const open = (i, from, to) => {
    left[i] = from;
    right[i] = to;
    cursor[i] = from;
    scale[i] = (to - from) / (Math.max(values[i], inside[i]) || 1);
  };
  open(root, 0, 1);
  for (let i = root + 1; i < model.end[root]; i++) {
    const above = model.parent[i];
    const width = Math.max(0, values[i]) * scale[above];
    open(i, cursor[above], cursor[above] + width);
    cursor[above] += width;
  }
  return { left, right };
}

/** The rows that a search marks: by name, and what they take together, nothing counted twice. */
export function searchTree(model, values, root, text) {
  const wanted = text.trim().toLowerCase();
  const marked = new Uint8Array(model.size);
  let sum = 0;
  let found = 0;
  if (wanted === "") return { marked, sum, found };
  let inside = -1;
  for (let i = root; i < model.end[root]; i++) {
    const hit = model.name(i).toLowerCase().includes(wanted) || model.full(i).toLowerCase().includes(wanted);
    if (!hit) continue;
    marked[i] = 1;
    found += 1;
    if (i < inside) continue;
    sum += Math.max(0, values[i]);
    inside = model.end[i];
  }
  return { marked, sum, found };
}

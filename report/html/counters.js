// Counters below a waterfall: what bars tell by themselves, and what was sampled.

import { unpack } from "./data.js";

const BLOCK = 64; // Values of which the largest is kept, so that a picture need not look at all.

/** [{name, unit, times, values, most, largest(first, last)}]; `sampled` are packed. */
export function countersOf(model, sampled) {
  const own = [launchesOutstanding(model), ...links(model)].filter(Boolean);
  const others = sampled.map((counter) =>
    counterOf(counter.name, counter.unit, unpack(counter.times), unpack(counter.values)),
  );
  return [...own, ...others];
}

function launchesOutstanding({ items, submits }) {
  const changes = changeList((submits?.length ?? 0) * 2);
  for (const { call, work } of submits ?? []) {
    changes.add(items.begin[call], 1);
    changes.add(items.begin[work] + items.length[work], -1);
  }
  return changes.size === 0 ? null : summed("Launches outstanding", "", changes);
}

/** What copies carry, by direction. */
function links({ items, nameOf }) {
  const byName = new Map();
  for (let i = 0; i < items.rows; i++) {
    if (items.bytes[i] <= 0 || items.length[i] <= 0) continue;
    const name = nameOf(i).replace(/^\[CUDA (.*)\]$/, "$1");
    if (!byName.has(name)) byName.set(name, []);
    byName.get(name).push(i);
  }
  return [...byName].map(([name, rows]) => {
    const changes = changeList(rows.length * 2);
    for (const i of rows) {
      const rate = items.bytes[i] / (items.length[i] / 1e9);
      changes.add(items.begin[i], rate);
      changes.add(items.begin[i] + items.length[i], -rate);
    }
    return summed(`Link, ${name}`, "B/s", changes);
  });
}

function changeList(most) {
  const list = { times: new Float64Array(most), steps: new Float64Array(most), size: 0 };
  list.add = (time, step) => {
    list.times[list.size] = time;
    list.steps[list.size++] = step;
  };
  return list;
}

/** The running sum of changes; at one moment what goes down goes first. */
function summed(name, unit, { times, steps, size }) {
  const order = Uint32Array.from({ length: size }, (_, i) => i);
  order.sort((a, b) => times[a] - times[b] || steps[a] - steps[b]);
  const values = new Float64Array(size);
  let value = 0;
  order.forEach((at, n) => {
    value += steps[at];
    values[n] = Math.max(0, value);
  });
  return counterOf(
    name,
    unit,
    Float64Array.from(order, (at) => times[at]),
    values,
  );
}

function counterOf(name, unit, times, values) {
  const blocks = new Float64Array(Math.ceil(values.length / BLOCK));
  values.forEach((value, i) => {
    const block = Math.floor(i / BLOCK);
    if (value > blocks[block]) blocks[block] = value;
  });
  /** The largest of values[first] to values[last - 1]; 0 for none. */
  const largest = (first, last) => {
    let most = 0;
    for (let i = first; i < last; ) {
      if (i % BLOCK === 0 && i + BLOCK <= last) {
        most = Math.max(most, blocks[i / BLOCK]);
        i += BLOCK;
      } else {
        most = Math.max(most, values[i]);
        i += 1;
      }
    }
    return most;
  };
  return { name, unit, times, values, most: largest(0, values.length), largest };
}

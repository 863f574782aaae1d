// What the page shows, read from its data island. Columns are packed as packed.h says.

import { inflate } from "./inflate.js";

/** The whole document: {xsp, traces: [...], diff?, ...}. */
export const pageData = JSON.parse(document.getElementById("data").textContent);
for (const trace of pageData.traces) trace.texts = plain(trace.texts);

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** A document that may be deflated. */
function plain(value) {
  if (typeof value?.deflated !== "string") return value;
  return JSON.parse(new TextDecoder().decode(inflate(bytesOf(value.deflated.slice(1)))));
}

/** A packed column as numbers. "p...": as they are; "s...": each is the step from the one before. */
export function unpack(column) {
  const text = column.deflated ?? column;
  const packed = bytesOf(text.slice(1));
  const bytes = column.deflated ? inflate(packed) : packed;
  const isSteps = text[0] === "s";
  let size = 0;
  for (const byte of bytes) if (byte < 128) size += 1;
  const values = new Float64Array(size);
  let before = 0;
  for (let i = 0, n = 0; n < size; n++) {
    let value = 0;
    let weight = 1;
    for (;;) {
      const byte = bytes[i++];
      value += (byte & 127) * weight;
      weight *= 128;
      if (byte < 128) break;
    }
    value = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    before = isSteps ? before + value : value;
    values[n] = before;
  }
  return values;
}

/** All packed columns of a table; what is no column stays as it is. */
export function unpackTable(table, columns) {
  const result = { ...table };
  for (const column of columns) {
    result[column] = table[column] === undefined ? new Float64Array(table.rows) : unpack(table[column]);
  }
  return result;
}

// What the page shows, read from its data island. Columns are packed as packed.h says.

/** The whole document: {xsp, traces: [...], diff?, ...}. */
export const pageData = JSON.parse(document.getElementById("data").textContent);

/** A packed column as numbers. "p...": as they are; "s...": each is the step from the one before. */
export function unpack(text) {
  const bytes = atob(text.slice(1));
  const isSteps = text[0] === "s";
  const values = [];
  let before = 0;
  for (let i = 0; i < bytes.length; ) {
    let value = 0;
    let weight = 1;
    for (;;) {
      const byte = bytes.charCodeAt(i++);
      value += (byte & 127) * weight;
      weight *= 128;
      if (byte < 128) break;
    }
    value = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    before = isSteps ? before + value : value;
    values.push(before);
  }
  return Float64Array.from(values);
}

/** All packed columns of a table; what is no column stays as it is. */
export function unpackTable(table, columns) {
  const result = { ...table };
  for (const column of columns) {
    result[column] = table[column] === undefined ? new Float64Array(table.rows) : unpack(table[column]);
  }
  return result;
}

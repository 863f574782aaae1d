// Inflates what zlib deflated (RFC 1950, 1951). Browsers can do that by themselves, but only later: a page that is printed or
// pictured as soon as it is loaded would be empty.

const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227, 258,
];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LONGEST_CODE = 15;

/** Of how many codes each length has, and what they stand for, in order. */
function huffman(lengths) {
  const counts = new Uint16Array(LONGEST_CODE + 1);
  for (const length of lengths) counts[length] += 1;
  counts[0] = 0;
  const next = new Uint16Array(LONGEST_CODE + 2);
  for (let length = 1; length <= LONGEST_CODE; length++) next[length + 1] = next[length] + counts[length];
  const symbols = new Uint16Array(lengths.length);
  lengths.forEach((length, symbol) => {
    if (length > 0) symbols[next[length]++] = symbol;
  });
  return { counts, symbols };
}

const FIXED = [
  huffman(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
  huffman(Array(30).fill(5)),
];

/** `data`: bytes with zlib's header; the result has all bytes. */
export function inflate(data) {
  let at = 2;
  let held = 0; // Bits that were read and not used, the next one lowest.
  let count = 0;
  let out = new Uint8Array(data.length * 6);
  let size = 0;

  function bits(wanted) {
    while (count < wanted) {
      held |= data[at++] << count;
      count += 8;
    }
    const value = held & ((1 << wanted) - 1);
    held >>>= wanted;
    count -= wanted;
    return value;
  }
  function symbol({ counts, symbols }) {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length <= LONGEST_CODE; length++) {
      code |= bits(1);
      if (code - counts[length] < first) return symbols[index + code - first];
      index += counts[length];
      first = (first + counts[length]) << 1;
      code <<= 1;
    }
    throw new Error("data that cannot be inflated");
  }
  function reserve(more) {
    if (size + more <= out.length) return;
    const larger = new Uint8Array(Math.max(out.length * 2, size + more));
    larger.set(out);
    out = larger;
  }
  /** The codes that a block brings along. */
  function ownCodes() {
    const [literals, distances, known] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
    const lengths = new Array(19).fill(0);
    for (let i = 0; i < known; i++) lengths[ORDER[i]] = bits(3);
    const codes = huffman(lengths);
    const list = [];
    while (list.length < literals + distances) {
      const what = symbol(codes);
      if (what < 16) list.push(what);
      else if (what === 16) list.push(...Array(3 + bits(2)).fill(list[list.length - 1]));
      else list.push(...Array(what === 17 ? 3 + bits(3) : 11 + bits(7)).fill(0));
    }
    return [huffman(list.slice(0, literals)), huffman(list.slice(literals))];
  }
  function compressed([literals, distances]) {
    for (let what = symbol(literals); what !== 256; what = symbol(literals)) {
      if (what < 256) {
        reserve(1);
        out[size++] = what;
        continue;
      }
      const length = LENGTHS[what - 257] + bits(LENGTH_BITS[what - 257]);
      const far = symbol(distances);
      const extra = far < 4 ? 0 : (far >> 1) - 1;
      const distance = far < 4 ? far + 1 : ((2 + (far & 1)) << extra) + 1 + bits(extra);
      reserve(length);
      for (let i = 0; i < length; i++, size++) out[size] = out[size - distance];
    }
  }
  function stored() {
    held = count = 0; // What is left of a byte is not used.
    const length = data[at] | (data[at + 1] << 8);
    reserve(length);
    out.set(data.subarray(at + 4, at + 4 + length), size);
    at += 4 + length;
    size += length;
  }

  for (let isLast = false; !isLast; ) {
    isLast = bits(1) === 1;
    const kind = bits(2);
    if (kind === 0) stored();
    else compressed(kind === 1 ? FIXED : ownCodes());
  }
  return out.subarray(0, size);
}

// Numbers for people, written as the commands write them.

const TIME_UNITS = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

/** "12.34 ms": four digits, in the unit that fits. */
export function duration(ns) {
  if (ns === null || ns === undefined || Number.isNaN(ns)) return "–";
  if (ns === 0) return "0";
  const size = Math.abs(ns);
  let [scale, unit] = TIME_UNITS.find(([factor]) => size >= factor) ?? TIME_UNITS[3];
  if (size / scale >= 999.95 && scale < 1e9) {
    [scale, unit] = TIME_UNITS[TIME_UNITS.findIndex(([factor]) => factor === scale) - 1];
  }
  return `${digits(ns / scale, scale === 1 ? 0 : 4)} ${unit}`;
}

/** So many significant digits, never more decimals than three. */
export function digits(value, wanted) {
  const whole = Math.max(1, Math.floor(Math.log10(Math.abs(value) || 1)) + 1);
  return value.toFixed(Math.max(0, Math.min(3, wanted - whole)));
}

/** 0.1234 -> "12.3 %". */
export function percent(share) {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  const value = share * 100;
  const text = value.toFixed(Math.abs(value) >= 99.95 ? 0 : 1);
  return `${text === "-0.0" ? "0.0" : text} %`;
}

export function count(value) {
  if (value === null || value === undefined) return "–";
  const rounded = Math.round(value * 100) / 100;
  return rounded.toLocaleString("en-US", { maximumFractionDigits: 2 });
}

export function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  let size = value;
  while (Math.abs(size) >= 1024 && at < units.length - 1) {
    size /= 1024;
    at += 1;
  }
  return `${at === 0 ? size : digits(size, 3)} ${units[at]}`;
}

/** Bytes per second, decimal as vendors count. */
export function rate(value) {
  const [scale, unit] = value >= 1e9 ? [1e9, "GB/s"] : value >= 1e6 ? [1e6, "MB/s"] : [1e3, "kB/s"];
  return `${digits(value / scale, 3)} ${unit}`;
}

/** 1.41 -> "1.41× faster", 0.8 -> "1.25× slower". */
export function speedup(factor) {
  if (Math.abs(factor - 1) < 0.005) return "the same";
  return factor >= 1 ? `${factor.toFixed(2)}× faster` : `${(1 / factor).toFixed(2)}× slower`;
}

/** "+1.2 ms", "−0.3 ms". */
export function signedDuration(ns) {
  if (ns === 0) return "0";
  return (ns > 0 ? "+" : "−") + duration(Math.abs(ns));
}

// Colours by what things are. Each has a light and a dark form; text on them is readable in both.

// By kernel class, [hue, saturation, lightness in the light theme]. What is alike is near.
const CLASS_COLORS = {
  gemm: [212, 62, 58],
  conv: [196, 60, 52],
  attention: [262, 48, 64],
  fused: [236, 52, 68],
  rnn: [226, 46, 60],
  norm: [166, 46, 48],
  softmax: [150, 40, 50],
  elementwise: [96, 40, 54],
  reduction: [74, 46, 50],
  pooling: [60, 50, 50],
  index: [48, 66, 54],
  sort: [40, 62, 58],
  optimizer: [28, 74, 60],
  loss: [16, 66, 62],
  cast: [338, 48, 68],
  layout: [322, 38, 66],
  copy: [350, 56, 66],
  fill: [4, 34, 72],
  collective: [0, 62, 60],
  random: [290, 32, 66],
  quantize: [306, 40, 66],
  fft: [182, 44, 52],
  sparse: [174, 36, 56],
  solver: [204, 36, 62],
  graph: [222, 30, 66],
  other: [220, 10, 66],
};

// By level of the tree, for what holds several classes; and by what the host does.
const LEVEL_COLORS = {
  trace: [220, 16, 84],
  rank: [220, 18, 80],
  step: [220, 20, 78],
  phase: [214, 24, 78],
  layer: [208, 26, 76],
  op: [202, 22, 76],
  library: [40, 24, 76],
  api: [36, 30, 74],
  device: [220, 10, 70],
};

const HOST_COLORS = { api: [36, 58, 66], range: [212, 26, 80], os: [280, 14, 74], mpi: [0, 40, 72] };

// By cause of idle time.
const CAUSE_COLORS = {
  host_gap: [36, 80, 55],
  off_cpu: [20, 70, 55],
  data_loading: [300, 45, 60],
  loader_wait: [310, 45, 55],
  launch_cost: [48, 80, 52],
  other_call: [60, 60, 48],
  allocation: [12, 70, 58],
  one_time: [270, 30, 62],
  submit: [190, 50, 52],
  sync_tail: [340, 60, 60],
  copy_tail: [350, 60, 64],
  stream_gap: [220, 30, 62],
  other_stream: [236, 40, 66],
  device_stall: [4, 60, 56],
};

export const theme = { isDark: false };

function css([hue, saturation, lightness]) {
  const light = theme.isDark ? lightness * 0.55 : lightness;
  return `hsl(${hue} ${saturation}% ${light}%)`;
}

// Waterfalls ask ten thousand times for each picture.
const cache = new Map();
document.addEventListener("themechange", () => cache.clear());

function cached(kind, name, make) {
  const key = kind + name;
  if (!cache.has(key)) cache.set(key, make());
  return cache.get(key);
}

export function classColor(name) {
  return cached("class ", name, () => css(CLASS_COLORS[name] ?? CLASS_COLORS.other));
}

export function levelColor(name) {
  const [hue, saturation, lightness] = LEVEL_COLORS[name] ?? LEVEL_COLORS.device;
  return theme.isDark ? `hsl(${hue} ${saturation}% ${108 - lightness}%)` : css([hue, saturation, lightness]);
}

export function hostColor(name) {
  return cached("host ", name, () => {
    const [hue, saturation, lightness] = HOST_COLORS[name];
    const light = theme.isDark ? Math.max(32, lightness - 34) : lightness;
    return `hsl(${hue} ${saturation}% ${light}%)`;
  });
}

export function causeColor(name) {
  return cached("cause ", name, () => css(CAUSE_COLORS[name] ?? [220, 8, 60]));
}

/** By how much longer something takes than in another trace; null: it is not there. */
export function changeColor(change, whole) {
  if (change === null) return theme.isDark ? "hsl(48 70% 25%)" : css([48, 80, 60]);
  const share = change / (whole || 1);
  const strength = Math.min(1, Math.sqrt(Math.abs(share)) * 2.2);
  // Strong stands out from the page: darker on a light one, brighter on a dark one.
  const light = theme.isDark ? 27 + 13 * strength : 82 - 22 * strength;
  const [hue, saturation] = strength < 0.05 ? [220, 8] : [share > 0 ? 6 : 212, 30 + 45 * strength];
  return `hsl(${hue} ${Math.round(saturation)}% ${Math.round(light)}%)`;
}

/** From quick to slow, for a heat map: `place` from -1 to 1. */
export function heatColor(place) {
  return changeColor(place === 0 ? 0 : Math.sign(place) * (place / 2.2) ** 2, 1);
}

/** From nothing (0) to all (1): the background at one end, a strong red at the other. */
export function shadeColor(share) {
  const strength = Math.max(0, Math.min(1, share));
  const light = theme.isDark ? 20 + 26 * strength : 94 - 42 * strength;
  return `hsl(${Math.round(36 - 30 * strength)} ${Math.round(30 + 45 * strength)}% ${light.toFixed(1)}%)`;
}

/** A colour of the style sheet, for a canvas. */
export function pageColor(name) {
  return cached("page ", name, () =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim(),
  );
}

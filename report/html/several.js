// Comparisons: two sides, with what differs.

import { section } from "./dom.js";

export function severalSection(data) {
  return data.diff ? section("several", "What changed", data.diff.verdict) : null;
}

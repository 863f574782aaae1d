// Chromium as all of these tests start it.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { chromium } = createRequire(join(ROOT, ".deps/browser/package.json"))("playwright-core");

export function launch() {
  const found = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (!found) throw new Error("no Chromium here: apt-get install chromium");
  return chromium.launch({ executablePath: found, args: ["--no-sandbox", "--disable-gpu"] });
}

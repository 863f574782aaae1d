// How smoothly a large waterfall moves: smooth.mjs XSP XSP_SAMPLE [KERNELS]. Makes a trace of so many kernels, its page,
// and zooms and moves in it by the mouse as Chromium's DevTools protocol sends it. Prints a table for docs/report.md;
// it judges nothing, as machines differ.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const [xsp, sample, kernels = "30000"] = process.argv.slice(2);
const ROUNDS = 60; // Movements in each row of the table.
const CENTER = [700, 300];

/** Counts frames in the page, each with the milliseconds since the one before. */
const watchFrames = () => {
  window.frameTimes = [];
  let before = performance.now();
  const next = (now) => {
    window.frameTimes.push(now - before);
    before = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
};

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** One kind of movement: how long frames took, and how busy the page's thread was for each. */
async function measure(page, devtools, name, move) {
  const busy = async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return metrics.find((metric) => metric.name === "TaskDuration").value * 1000;
  };
  await page.evaluate(() => (window.frameTimes = []));
  const before = await busy();
  for (let round = 0; round < ROUNDS; round++) await move(round);
  const used = (await busy()) - before;
  const frames = (await page.evaluate(() => window.frameTimes)).sort((a, b) => a - b);
  const ms = (value) => value.toFixed(1);
  return `| ${name} | ${frames.length} | ${ms(at(frames, 0.5))} | ${ms(at(frames, 0.95))} | ${ms(used / frames.length)} |`;
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "xsp_smooth_"));
  const [trace, file] = [join(folder, "large.sqlite"), join(folder, "large.html")];
  const browser = await launch();
  try {
    execFileSync(sample, ["train", "--kernels", kernels, "-o", trace]);
    execFileSync(xsp, ["report", trace, "-o", file, "--quiet"]);
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Performance.enable");
    const begin = Date.now();
    await page.goto(pathToFileURL(file).href);
    await page.waitForSelector("#when canvas");
    const opened = Date.now() - begin;
    const bars = (await page.locator("#when .lead").innerText()).split(" bars")[0];
    await page.locator("#when").scrollIntoViewIfNeeded();
    await page.locator("#when .chooser button", { hasText: "All" }).click();
    const box = await page.locator("#when canvas").boundingBox();
    const [x, y] = [box.x + CENTER[0], box.y + CENTER[1]];
    await page.mouse.move(x, y);
    await page.evaluate(watchFrames);
    const wheel = async (by) => {
      await page.keyboard.down("Control");
      await page.mouse.wheel(0, by);
      await page.keyboard.up("Control");
    };
    const drag = (round) => page.mouse.move(x + 200 * Math.sin(round / 6), y);
    console.log(
      `${bars} bars in ${(statSync(file).size / 1e6).toFixed(2)} MB, opened and drawn after ${opened} ms.\n`,
    );
    console.log("| movement | frames | median ms | 95 % below | of it at work |\n|---|--:|--:|--:|--:|");
    await page.mouse.down();
    console.log(await measure(page, devtools, "drag, all bars in view", drag));
    await page.mouse.up();
    await page.mouse.move(x, y);
    console.log(await measure(page, devtools, "zoom in to a few bars", () => wheel(-24)));
    await page.mouse.down();
    console.log(await measure(page, devtools, "drag, few bars in view", drag));
    await page.mouse.up();
    await page.mouse.move(x, y);
    console.log(await measure(page, devtools, "zoom out to all", () => wheel(24)));
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

await main();

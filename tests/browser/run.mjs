// Opens pages of `xsp report` in Chromium, uses them as people do, and holds what is shown against the
// JSON of the commands: run.mjs XSP [TRACE...]. Exit code 1 if anything differs.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as checks from "./checks.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { chromium } = createRequire(join(ROOT, ".deps/browser/package.json"))("playwright-core");
const [xsp, ...given] = process.argv.slice(2);
const SAMPLES = ["train_fp32", "train_hostbound", "two_gpu", "infer"].map((name) =>
  join(ROOT, "sample_traces", `${name}.sqlite`),
);

const json = (...args) =>
  JSON.parse(execFileSync(xsp, [...args, "--format", "json"], { maxBuffer: 1 << 28 }).toString());

/** One page in a window of its own; whatever the browser complains of is a fault. */
async function withPage(browser, file, size, use) {
  const faults = [];
  const context = await browser.newContext({ viewport: size, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) faults.push(`request: ${request.url()}`);
  });
  try {
    await page.goto(pathToFileURL(file).href);
    await page.waitForSelector("section");
    await use(page, (what, isFine) => {
      if (!isFine) faults.push(what);
    });
  } finally {
    await context.close();
  }
  return faults;
}

async function lookAtTrace(browser, trace, folder) {
  const file = join(folder, `${basename(trace)}.html`);
  execFileSync(xsp, ["report", trace, "-o", file, "--quiet"]);
  const documents = {
    summary: json("summary", trace),
    tree: json("tree", trace, "--min-share", "0"),
    path: json("critical-path", trace),
    idle: json("idle", trace),
    advise: json("advise", trace),
    leverage: json("leverage", trace),
  };
  const explain = (task) => json("graph", trace, "--explain", String(task));
  return [
    ...(await withPage(browser, file, { width: 1440, height: 900 }, async (page, check) => {
      await checks.texts(page, check, documents);
      await checks.icicle(page, check, documents);
      await checks.waterfall(page, check, explain);
      await checks.why(page, check, documents);
      await checks.labels(page, check);
      await checks.contrast(page, check);
      await checks.keyboard(page, check);
      await checks.themes(page, check);
    })),
    ...(await withPage(browser, file, { width: 390, height: 844 }, async (page, check) => {
      await checks.narrow(page, check);
      await checks.texts(page, check, documents);
    })),
  ];
}

async function lookAtDiff(browser, folder) {
  const [base, now] = ["train_fp32", "train_amp"].map((name) =>
    join(ROOT, "sample_traces", `${name}.sqlite`),
  );
  const file = join(folder, "diff.html");
  execFileSync(xsp, ["report", "--diff", base, now, "--fail-on", "step > 3%", "-o", file, "--quiet"]);
  const document = json("diff", base, now, "--fail-on", "step > 3%");
  return withPage(browser, file, { width: 1440, height: 900 }, async (page, check) => {
    await checks.diff(page, check, document);
    await checks.labels(page, check);
    await checks.contrast(page, check);
  });
}

async function main() {
  const found = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (!found) throw new Error("no Chromium here: apt-get install chromium");
  const folder = mkdtempSync(join(tmpdir(), "xsp_browser_"));
  const browser = await chromium.launch({ executablePath: found, args: ["--no-sandbox", "--disable-gpu"] });
  let faults = 0;
  const tell = (name, list) => {
    for (const fault of list) console.log(`${name}: ${fault}`);
    faults += list.length;
  };
  try {
    const traces = given.length > 0 ? given : SAMPLES;
    for (const trace of traces) tell(basename(trace), await lookAtTrace(browser, trace, folder));
    tell("diff", await lookAtDiff(browser, folder));
    console.log(`${traces.length + 1} pages, ${faults} faults`);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
  process.exit(faults > 0 ? 1 : 0);
}

await main();

// Opens pages of `xsp report` in Chromium, uses them as people do, and holds what is shown against the
// JSON of the commands: run.mjs XSP [TRACE...]. Exit code 1 if anything differs.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { constants, deflateSync } from "node:zlib";
import { inflate } from "../../report/html/inflate.js";
import { launch, ROOT } from "./browser.mjs";
import * as checks from "./checks.mjs";

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
      await checks.printed(page, check);
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
    await checks.themes(page, check);
  });
}

/** A job of many ranks: a table of operations of eight, one of them slow. */
async function lookAtJob(browser, folder) {
  const table = join(ROOT, "tests/data/job_operations.parquet");
  const file = join(folder, "job.html");
  execFileSync(xsp, ["report", table, "-o", file, "--quiet"]);
  const document = json("ranks", table);
  const faults = await withPage(browser, file, { width: 1440, height: 900 }, async (page, check) => {
    await checks.job(page, check, document);
    await checks.labels(page, check);
    await checks.contrast(page, check);
    await checks.themes(page, check);
  });
  const narrow = await withPage(browser, file, { width: 390, height: 844 }, checks.narrow);
  return [...faults, ...narrow];
}

/** A run of a dataset with two ranks to choose from, and runs over time. */
async function lookAtDataset(browser, folder) {
  const dataset = join(folder, "jobs");
  const make =
    "import sys, pathlib; from make_ranks import make_ranks; make_ranks(pathlib.Path(sys.argv[1]), 3)";
  const python = { env: { ...process.env, PYTHONPATH: join(ROOT, "tests/datasets") } };
  execFileSync("python3", ["-c", make, join(folder, "files")], python);
  const files = [0, 1, 2].map((rank) => join(folder, "files", `job_000${rank}.sqlite`));
  const names = ["monday", "tuesday", "wednesday"];
  for (const name of names)
    execFileSync(xsp, ["import", ...files, "--dataset", dataset, "--run", name, "--quiet"]);
  const run = join(dataset, "run=monday");
  const pages = { run: join(folder, "run.html"), trend: join(folder, "trend.html") };
  execFileSync(xsp, ["report", run, "-o", pages.run, "--quiet"]);
  const trend = join(folder, "trend.json");
  execFileSync(xsp, ["trend", dataset, "--format", "json", "--output", trend]);
  execFileSync(xsp, ["report", trend, "-o", pages.trend, "--quiet"]);
  const size = { width: 1440, height: 900 };
  return [
    ...(await withPage(browser, pages.run, size, async (page, check) => {
      const { verdict } = json("ranks", run);
      check("the run's verdict", (await page.locator("#ranks .verdict").innerText()) === verdict);
      check(
        "two ranks to look at",
        (await page.locator("#several tbody").first().locator("tr").count()) === 2,
      );
      const before = await page.locator("h2.chosen").innerText();
      await page.locator("#several tbody button.name").nth(1).click();
      check("the other rank is not shown", before !== (await page.locator("h2.chosen").innerText()));
      check("no host is named", !(await page.locator("body").innerText()).includes("node-0"));
    })),
    ...(await withPage(browser, pages.trend, size, async (page, check) => {
      await checks.trend(page, check, json("trend", dataset));
      await checks.labels(page, check);
    })),
  ];
}

/** What the page inflates is what zlib deflated, in whichever way. */
function lookAtInflate() {
  const faults = [];
  for (const size of [0, 1, 1000, 70000]) {
    const noise = randomBytes(size);
    const few = Buffer.from(noise.map((byte) => byte % 5));
    for (const bytes of [noise, few, Buffer.alloc(size, 7)]) {
      for (const how of [{}, { level: 0 }, { level: 1 }, { strategy: constants.Z_FIXED }]) {
        const inflated = inflate(new Uint8Array(deflateSync(bytes, how)));
        if (!bytes.equals(inflated)) faults.push(`${size} bytes deflated by ${JSON.stringify(how)}`);
      }
    }
  }
  return faults;
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "xsp_browser_"));
  const browser = await launch();
  let faults = 0;
  const tell = (name, list) => {
    for (const fault of list) console.log(`${name}: ${fault}`);
    faults += list.length;
  };
  try {
    const traces = given.length > 0 ? given : SAMPLES;
    for (const trace of traces) tell(basename(trace), await lookAtTrace(browser, trace, folder));
    tell("inflate", lookAtInflate());
    tell("diff", await lookAtDiff(browser, folder));
    tell("job", await lookAtJob(browser, folder));
    tell("dataset", await lookAtDataset(browser, folder));
    console.log(`${traces.length + 4} pages, ${faults} faults`);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
  process.exit(faults > 0 ? 1 : 0);
}

await main();

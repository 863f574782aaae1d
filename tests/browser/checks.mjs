// What is looked at in a page, one function for each kind of thing. `check(what, isFine)` notes a fault.

import { duration, percent } from "../../report/html/format.js";

const shown = (page, selector) => page.locator(selector).innerText();

/** The words of the first screen are those of the summary, the fixes those of advise. */
export async function texts(page, check, { summary, advise }) {
  check("the verdict is not shown as it is", (await shown(page, "#top .verdict")) === summary.verdict);
  if (summary.trust) {
    const trust = await shown(page, "#top .trust");
    check(
      "trust is not shown",
      trust.includes(summary.trust.level) && trust.includes(summary.trust.reasons[0]),
    );
  }
  const fixes = summary.fixes?.length > 0 ? summary.fixes : advise.items;
  const items = await page.locator("#top .fixes ol > li").allInnerTexts();
  check("not as many fixes as there are", items.length === Math.min(5, fixes.length));
  items.forEach((text, i) => {
    check(`fix ${i}: ${text}`, text.includes(fixes[i].name ?? fixes[i].whatif));
    check(`fix ${i} does not say what to change`, text.includes(fixes[i].change ?? ""));
    check(`fix ${i} has no forecast`, text.includes(duration(fixes[i].forecast_ns)));
  });
}

/** The root and its children have the times of the tree; zoom, search and sums. */
export async function icicle(page, check, { tree }) {
  const root = tree.root;
  const total = root.device_sum_ns;
  check("the root's time", (await shown(page, "#where .crumbs")).includes(duration(total)));
  // Down the widest branch, two levels.
  let node = root;
  for (let depth = 0; depth < 2 && node.children.length > 0; depth++) {
    node = [...node.children].sort((a, b) => b.device_sum_ns - a.device_sum_ns)[0];
    const cell = page.locator(
      `#where .cell[aria-label^="${cssText(`${node.name}: ${duration(node.device_sum_ns)}`)}"]`,
    );
    check(`no cell for ${node.name} of ${duration(node.device_sum_ns)}`, (await cell.count()) > 0);
    if ((await cell.count()) === 0) return;
    await cell.first().click();
    check(
      "zooming shows another time",
      (await shown(page, "#where .crumbs")).includes(duration(node.device_sum_ns)),
    );
  }
  await page.keyboard.press("Escape");
  await page.locator("#where .cell").first().click();
  const leaf = leafOf(root);
  await page.fill("#where-search", leaf.name);
  const found = await shown(page, "#where .search-result");
  const sum = sumOf(root, leaf.name.toLowerCase());
  check(`search of ${leaf.name}: ${found}, not ${duration(sum)}`, found.includes(duration(sum)));
  check("nothing is marked", (await page.locator("#where .cell.marked").count()) > 0);
  await page.fill("#where-search", "");
  await page.getByRole("button", { name: "Host", exact: true }).first().click();
  check("the width has no host time", (await shown(page, "#where .crumbs")).includes("host time"));
  await page.getByRole("button", { name: "Device", exact: true }).first().click();
  const heading = page.locator("#where th button", { hasText: "Name" });
  await heading.click();
  check("the table is not sorted", (await page.locator('#where th[aria-sort="ascending"]').count()) === 1);
}

const cssText = (text) => text.replace(/["\\]/g, "\\$&");

function leafOf(root) {
  let node = root;
  while (node.children.length > 0)
    node = [...node.children].sort((a, b) => b.device_sum_ns - a.device_sum_ns)[0];
  return node;
}

/** What all nodes take whose name has the text; nothing counts twice. */
function sumOf(node, text) {
  if (node.name.toLowerCase().includes(text)) return node.device_sum_ns;
  return node.children.reduce((sum, child) => sum + sumOf(child, text), 0);
}

/** A bar is selected by keys, its sentences are those of --explain, and an arrow is followed. */
export async function waterfall(page, check, explain) {
  const canvas = page.locator("#when canvas");
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const panel = await shown(page, "#when-panel");
  const task = /task (\d+)/.exec(panel);
  check(`no task is selected: ${panel.slice(0, 80)}`, task !== null);
  if (!task) return;
  const { edges } = explain(task[1]);
  for (const edge of edges) {
    check(`not shown: ${edge.why}`, panel.includes(`${edge.point}, ${edge.rule}: ${edge.why}`));
  }
  const decided = edges.find(
    (edge) => edge.decides && edge.source !== null && edge.source !== Number(task[1]),
  );
  check("what decided is not marked", panel.includes("decided"));
  await page.keyboard.press("Enter");
  const next = await shown(page, "#when-panel");
  if (decided && decided.rule !== "own_time") {
    const tasks = edges.filter((edge) => edge.decides).map((edge) => `task ${edge.source}`);
    check(
      `Enter did not follow: ${next.slice(0, 100)}`,
      tasks.some((text) => next.includes(text)),
    );
  }
  const before = await canvas.evaluate((node) => node.toDataURL().length);
  await page.keyboard.press("Home");
  await page.waitForTimeout(100);
  const after = await canvas.evaluate((node) => node.toDataURL().length);
  check("the picture did not change", before !== after);
  const box = await canvas.boundingBox();
  const blank = await canvas.evaluate((node) => {
    const { data } = node.getContext("2d").getImageData(0, 0, node.width, node.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4 * 97) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
    return seen.size < 4;
  });
  check("the waterfall is blank", box.width > 100 && !blank);
}

/** The critical path, idle causes, leverage and what-ifs have the figures of their commands. */
export async function why(page, check, { path, idle, leverage, advise }) {
  const text = await shown(page, "#why");
  for (const row of path.breakdown.slice(0, 5)) {
    if (row.ns > 0) check(`path: ${row.kind} ${duration(row.ns)}`, text.includes(duration(row.ns)));
  }
  for (const device of idle.devices.slice(0, 2)) {
    check(
      `idle of GPU ${device.device}`,
      text.includes(`GPU ${device.device}: ${duration(device.idle_ns)} idle`),
    );
    for (const cause of device.causes.slice(0, 3)) {
      check(`idle: ${cause.meaning}`, text.includes(cause.meaning) && text.includes(duration(cause.ns)));
    }
  }
  for (const item of leverage.items.slice(0, 4)) {
    const worth = `${duration(item.gain_10_ns)} / ${duration(item.gain_50_ns)} / ${duration(item.gain_free_ns)}`;
    check(`leverage of ${item.name}: ${worth}`, text.includes(worth));
  }
  for (const item of advise.items.slice(0, 3)) {
    check(`what-if ${item.whatif}`, text.includes(duration(item.forecast_ns)));
  }
  const choice = page.locator("#why .field select").last();
  if (advise.items.length === 0 || (await choice.locator("option").count()) < 2) return;
  await choice.selectOption({ index: 1 });
  check("no waterfalls of before and after", (await page.locator("#why .after canvas").count()) === 2);
}

/** Whatever can be used has a name; headings and landmarks are there. */
export async function labels(page, check) {
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input, canvas, [role=region], [role=group]")]
      .filter((node) => {
        const label = node.id ? document.querySelector(`label[for="${node.id}"]`) : null;
        return !(
          node.getAttribute("aria-label") ||
          node.textContent.trim() ||
          label ||
          node.closest("label")
        );
      })
      .map((node) => `${node.tagName}.${node.className}#${node.id}`),
  );
  check(`without a name: ${nameless.join(" ")}`, nameless.length === 0);
  check("the page has no language", (await page.getAttribute("html", "lang")) === "en");
  check("one h1", (await page.locator("h1").count()) === 1);
  const sections = await page.locator("section").count();
  const bare = await page.locator("section:not(:has(> h2))").count();
  check(`${bare} of ${sections} sections have no heading`, sections > 0 && bare === 0);
}

/** Text has at least 4.5 times the light of what is behind it, or the other way round. */
export async function contrast(page, check) {
  const bad = await page.evaluate(() => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const over = (color, below) => {
      context.fillStyle = below;
      context.fillRect(0, 0, 1, 1);
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const rgb = ([r, g, b]) => `rgb(${r} ${g} ${b})`;
    const backgroundOf = (node) => {
      const chain = [];
      for (let at = node; at; at = at.parentElement) chain.unshift(getComputedStyle(at).backgroundColor);
      return chain.reduce((below, color) => rgb(over(color, below)), "rgb(255 255 255)");
    };
    const light = (channels) => {
      const [r, g, b] = channels.map((c) =>
        c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const faults = [];
    for (const node of document.querySelectorAll(
      "p, td, th button, dt, dd, li, button, a, label, small, caption, h1, h2, h3, code",
    )) {
      if (!node.checkVisibility() || node.textContent.trim() === "") continue;
      const below = backgroundOf(node);
      const [a, b] = [light(over(getComputedStyle(node).color, below)), light(over(below, below))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5)
        faults.push(
          `${node.tagName}.${node.className} "${node.textContent.slice(0, 30)}" ${ratio.toFixed(2)}`,
        );
    }
    return faults;
  });
  check(`contrast: ${bad.slice(0, 4).join("; ")}`, bad.length === 0);
}

/** Tab reaches the sections' links, the icicle and the waterfall; arrows move in the icicle. */
export async function keyboard(page, check) {
  await page.locator("a.skip").focus();
  const seen = new Set();
  for (let i = 0; i < 90; i++) {
    await page.keyboard.press("Tab");
    seen.add(
      await page.evaluate(() => `${document.activeElement.tagName}.${document.activeElement.className}`),
    );
    if ([...seen].some((name) => name.startsWith("CANVAS"))) break;
  }
  const has = (part) => [...seen].some((name) => name.startsWith(part));
  check("Tab does not reach links", has("A."));
  check("Tab does not reach the icicle", has("BUTTON.cell"));
  check("Tab does not reach the waterfall", has("CANVAS"));
  await page.locator('#where .cell[tabindex="0"]').focus();
  const from = await page.evaluate(() => document.activeElement.dataset.row);
  await page.keyboard.press("ArrowDown");
  const to = await page.evaluate(() => document.activeElement.dataset.row);
  check("arrows do not move in the icicle", to !== undefined && from !== to);
}

/** The other theme: everything is drawn anew, and can be read. */
export async function themes(page, check) {
  const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const swatches = () =>
    page.evaluate(() =>
      [...document.querySelectorAll(".legend i[style]")].map(
        (node) => getComputedStyle(node).backgroundColor,
      ),
    );
  const before = await color();
  const light = await swatches();
  await page.locator("button.theme").click();
  const dark = await swatches();
  check(
    "legends keep the colours of the other theme",
    light.every((one, i) => one !== dark[i]),
  );
  check("the theme did not change", before !== (await color()));
  await page.waitForTimeout(150);
  await contrast(page, (what, isFine) => check(`dark ${what}`, isFine));
  await page.locator("button.theme").click();
}

/** On paper: in light, without what is there to be clicked, and dark again afterwards. */
export async function printed(page, check) {
  await page.locator("button.theme").click();
  await page.evaluate(() => {
    window.addEventListener("beforeprint", () => {
      window.printedIn = document.documentElement.dataset.theme;
    });
  });
  const pdf = await page.pdf();
  check("nothing was printed", pdf.subarray(0, 5).toString() === "%PDF-" && pdf.length > 20000);
  check("paper is not dark", (await page.evaluate(() => window.printedIn)) === "light");
  check("the screen is dark again", (await page.getAttribute("html", "data-theme")) === "dark");
  await page.emulateMedia({ media: "print" });
  check("buttons are printed", !(await page.locator("#when .controls").isVisible()));
  check("the verdict is not printed", await page.locator("#top .verdict").isVisible());
  await page.emulateMedia({ media: null });
  await page.locator("button.theme").click();
}

/** On a phone nothing is wider than the window. */
export async function narrow(page, check) {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  check(`${width} pixels wide in a window of 390`, width <= 390);
}

/** The comparison has the figures of diff, its rows add up, its limits are shown. */
export async function diff(page, check, document) {
  const text = await shown(page, "#several");
  for (const ns of [document.base_ns, document.new_ns])
    check(`no ${duration(ns)}`, text.includes(duration(ns)));
  check("no ratio", text.includes(percent(Math.abs(document.ratio - 1))));
  const [all, difference] = (await shown(page, "#contributions-sum")).match(/[+−][\d.]+ \S+/g);
  check(
    `rows do not add up: ${all}, ${difference}`,
    all.replace(/[;.]$/, "") === difference.replace(/[;.]$/, ""),
  );
  const gates = await shown(page, "#gates");
  for (const gate of document.gates)
    check(`limit ${gate.expression}`, gates.includes(gate.expression) && gates.includes(gate.state));
  check("two icicles", (await page.locator("#where .icicle").count()) === 2);
  check("two waterfalls", (await page.locator("#when canvas").count()) === 2);
}

const UNITS = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };

/** "12.3 ms" at the begin of a text, in nanoseconds. */
function readDuration(text) {
  const [, value, unit] = /^([\d.]+)(?: (ns|µs|ms|s)\b)?/.exec(text);
  return Number(value) * (UNITS[unit] ?? 1);
}

/** All that is told of one row of a matrix, cell by cell, by the keys. */
async function tellRow(page, figure, rowNumber) {
  await page.locator(`${figure} canvas`).focus();
  await page.keyboard.press("ArrowRight");
  for (let i = 0; i < rowNumber; i++) await page.keyboard.press("ArrowDown");
  const told = [];
  for (;;) {
    const text = await shown(page, `${figure} .told`);
    if (text === told.at(-1)) return told;
    told.push(text);
    await page.keyboard.press("ArrowRight");
  }
}

/** Ranks: the verdict, their table, rank × step and arrivals say what `xsp ranks` does. */
export async function job(page, check, document) {
  const text = await shown(page, "#ranks");
  check("the verdict of ranks", text.includes(document.verdict));
  check("the ideal step", text.includes(duration(document.peers_ideal_step_ns)));
  for (const rank of document.ranks.slice(0, 8)) {
    check(`rank ${rank.global_rank} computes`, text.includes(duration(rank.compute_ns)));
    check(`rank ${rank.global_rank} waits`, text.includes(duration(rank.waiting_ns)));
  }
  // The mean of the cells of a row is what the command says of that rank.
  const rank = document.ranks[document.ranks.length - 1];
  const cells = await tellRow(page, ".job-heat", document.ranks.length - 1);
  const values = cells.map((cell) => readDuration(cell.split("computes ")[1] ?? "0"));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  check(
    `${cells.length} steps of rank ${rank.global_rank}: ${duration(mean)}, not ${duration(rank.compute_ns)}`,
    cells[0].startsWith(`Rank ${rank.global_rank},`) && Math.abs(mean / rank.compute_ns - 1) < 0.002,
  );
  await page.locator(".job-heat").getByRole("button", { name: "Waits for others" }).click();
  const [waits] = await tellRow(page, ".job-heat", 0);
  check(`waiting is not told: ${waits}`, waits.includes("waits for others") && waits.includes("of its step"));
  const culprit = document.culprit_ranks[0];
  if (culprit === undefined) return;
  const last = await shown(page, ".job-arrivals tbody tr:first-child");
  check(`most was waited for another than rank ${culprit}: ${last}`, last.includes(`rank ${culprit}\t`));
  const row = document.ranks.findIndex((one) => one.global_rank === culprit);
  const arrivals = await tellRow(page, ".job-arrivals", row);
  check(
    "the culprit is never last",
    arrivals.some((cell) => cell.includes(", last of ")),
  );
}

/** Runs over time: every value, and where it changed. */
export async function trend(page, check, document) {
  const text = await shown(page, "#trend");
  if (document.verdict) check("the verdict of trend", text.includes(document.verdict));
  for (const point of document.points.slice(-5)) {
    check(`run ${point.run}`, text.includes(point.run) && text.includes(duration(point.value)));
  }
  for (const change of document.changes) check(`change at ${change.run}`, text.includes("begins here"));
  check("no chart", (await page.locator("#trend svg.trend circle").count()) === document.points.length);
}

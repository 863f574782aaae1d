// Makes the picture of the README from a sample: picture.mjs XSP TRACE PICTURE.png

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const [xsp, trace, picture] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "xsp_picture_"));
const file = join(folder, "report.html");
execFileSync(xsp, ["report", trace, "-o", file, "--quiet"]);
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1180, height: 1880 } });
await page.goto(pathToFileURL(file).href);
// A kernel in the midst of the step, with the arrows to what it waited for.
await page.locator("#when canvas").focus();
for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowRight");
for (let i = 0; i < 3; i++) await page.keyboard.press("-");
await page.evaluate(() => {
  window.scrollTo(0, 0);
  document.activeElement.blur();
});
await page.waitForTimeout(200);
await page.screenshot({ path: picture });
await browser.close();
rmSync(folder, { recursive: true });

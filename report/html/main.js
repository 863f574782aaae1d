// Puts the page together.

import { theme } from "./colors.js";
import { pageData } from "./data.js";
import { append, el, replace } from "./dom.js";
import { whereSection } from "./icicle.js";
import { severalSection } from "./several.js";
import { titleOf, topSection } from "./top.js";
import { whenSection } from "./waterfall.js";
import { whySection } from "./why.js";

const MEDIA = window.matchMedia("(prefers-color-scheme: dark)");

function setTheme(isDark) {
  theme.isDark = isDark;
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  document.dispatchEvent(new CustomEvent("themechange"));
}

function header(trace, sections) {
  const switcher = el(
    "button",
    { type: "button", class: "theme", "aria-pressed": String(theme.isDark), onclick: () => {
      setTheme(!theme.isDark);
      switcher.setAttribute("aria-pressed", String(theme.isDark));
    } },
    "Dark",
  );
  return [
    el("div", { class: "title" }, el("h1", {}, trace.name), el("p", {}, titleOf(trace))),
    el(
      "nav",
      { "aria-label": "Sections" },
      sections.map((one) => el("a", { href: `#${one.id}` }, one.querySelector("h2").textContent)),
      switcher,
    ),
  ];
}

function start() {
  setTheme(MEDIA.matches);
  MEDIA.addEventListener("change", (event) => setTheme(event.matches));
  const [trace] = pageData.traces;
  const sections = [topSection(trace), severalSection(pageData), whereSection(trace), whenSection(trace), whySection(trace)].filter(Boolean);
  replace(document.getElementById("head"), header(trace, sections));
  append(document.getElementById("main"), sections);
  replace(document.getElementById("foot"), el("p", {}, `xsp ${pageData.xsp}. This page holds all that it shows and fetches nothing.`));
}

start();

// Puts the page together.

import { theme } from "./colors.js";
import { pageData } from "./data.js";
import { diffSections } from "./diff.js";
import { append, el, replace } from "./dom.js";
import { whereSection } from "./icicle.js";
import { ranksSection, trendSection } from "./ranks.js";
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

function themeSwitch() {
  const button = el(
    "button",
    {
      type: "button",
      class: "theme",
      "aria-pressed": String(theme.isDark),
      onclick: () => setTheme(!theme.isDark),
    },
    "Dark",
  );
  document.addEventListener("themechange", () => button.setAttribute("aria-pressed", String(theme.isDark)));
  return button;
}

function header(title, about, sections) {
  return [
    el("div", { class: "title" }, el("h1", {}, title), el("p", {}, about)),
    el(
      "nav",
      { "aria-label": "Sections" },
      sections.map((one) => el("a", { href: `#${one.id}` }, one.querySelector("h2").textContent)),
      themeSwitch(),
    ),
  ];
}

function sectionsOf(trace) {
  return [topSection(trace), whereSection(trace), whenSection(trace), whySection(trace)].filter(Boolean);
}

/** What `xsp ranks` and `xsp trend` say, where it was given. */
function documentSections(data) {
  return [data.ranks ? ranksSection(data.ranks) : null, data.trend ? trendSection(data.trend) : null].filter(
    Boolean,
  );
}

/** Shows sections; what was there before goes. */
function show(title, about, sections) {
  replace(document.getElementById("head"), header(title, about, sections));
  replace(document.getElementById("main"), sections);
}

function showDiff({ traces: [base, now] }) {
  show(
    `${base.name} → ${now.name}`,
    titleOf(now),
    [...diffSections(pageData), whySection(now)].filter(Boolean),
  );
}

function showOneOf(data, trace) {
  const chosen = el("h2", { class: "chosen" }, trace.name);
  const several = severalSection(data, (other) => showOneOf(data, other));
  const [first, ...rest] = sectionsOf(trace);
  first.prepend(chosen);
  show(`${data.traces.length} traces`, titleOf(trace), [...documentSections(data), several, first, ...rest]);
}

/** Paper is white. */
function printInLight() {
  let wasDark = false;
  window.addEventListener("beforeprint", () => {
    wasDark = theme.isDark;
    if (wasDark) setTheme(false);
  });
  window.addEventListener("afterprint", () => {
    if (wasDark) setTheme(true);
  });
}

function start() {
  setTheme(MEDIA.matches);
  MEDIA.addEventListener("change", (event) => setTheme(event.matches));
  printInLight();
  const [trace] = pageData.traces;
  if (!trace) show("Runs", "", documentSections(pageData));
  else if (pageData.diff) showDiff(pageData);
  else if (pageData.traces.length > 1) showOneOf(pageData, trace);
  else show(trace.name, titleOf(trace), [...documentSections(pageData), ...sectionsOf(trace)]);
  append(document.getElementById("foot"), [
    el("p", {}, `xsp ${pageData.xsp}. This page holds all that it shows and fetches nothing.`),
  ]);
}

start();

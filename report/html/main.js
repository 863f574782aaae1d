// Puts the page together.

import { theme } from "./colors.js";
import { pageData } from "./data.js";
import { diffSections } from "./diff.js";
import { append, el, replace } from "./dom.js";
import { whereSection } from "./icicle.js";
import { ranksSection } from "./ranks.js";
import { severalSection } from "./several.js";
import { titleOf, topSection } from "./top.js";
import { trendSection } from "./trend.js";
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
      sections.map((one) =>
        el("a", { href: `#${one.id}` }, one.querySelector("h2:not(.chosen)").textContent),
      ),
      themeSwitch(),
    ),
  ];
}

function sectionsOf(trace) {
  return [topSection(trace), whereSection(trace), whenSection(trace), whySection(trace)].filter(Boolean);
}

/** What `xsp ranks` and `xsp trend` say, where it was given; `onChoose(rank)` shows one of the traces. */
function documentSections(data, onChoose) {
  return [
    data.ranks ? ranksSection(data.ranks, data.job, onChoose) : null,
    data.trend ? trendSection(data.trend) : null,
  ].filter(Boolean);
}

/** What a page of several is about. */
function titleOfAll({ ranks, trend, traces }) {
  if (ranks?.run) return [`Run ${ranks.run}`, ranks.window?.text ?? ""];
  if (trend) return ["Trend", trend.window?.text ?? ""];
  return [`${traces.length} traces`, ""];
}

/** Shows sections; what was there before goes. */
function show(title, about, sections) {
  replace(document.getElementById("head"), header(title, about, sections));
  replace(document.getElementById("main"), sections);
  document.dispatchEvent(new CustomEvent("placed"));
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
  const [title, about] = titleOfAll(data);
  const chooseRank = (rank) => {
    const of = data.traces.find((one) => one.name.split(",")[0] === `rank ${rank}`);
    if (of) showOneOf(data, of);
  };
  show(title, about || titleOf(trace), [...documentSections(data, chooseRank), several, first, ...rest]);
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
  if (!trace) show(...titleOfAll(pageData), documentSections(pageData));
  else if (pageData.diff) showDiff(pageData);
  else if (pageData.traces.length > 1) showOneOf(pageData, trace);
  else show(trace.name, titleOf(trace), [...documentSections(pageData), ...sectionsOf(trace)]);
  append(document.getElementById("foot"), [
    el("p", {}, `xsp ${pageData.xsp}. This page holds all that it shows and fetches nothing.`),
  ]);
}

start();

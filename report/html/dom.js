// Elements without markup: texts of a trace only ever become text nodes.

/**
 * Makes an element. Attributes: "on…" are listeners, "style" an object of texts and functions, "class" and the rest as in
 * HTML; null and false leave one out. Children: elements, texts, lists of them.
 */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) {
      node.addEventListener(name.slice(2), value);
    } else if (name === "style") {
      for (const [property, of] of Object.entries(value)) putStyle(node, property, of);
    } else {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  append(node, children);
  return node;
}

/** What is a function is asked again for each theme: colours are. */
function putStyle(node, property, of) {
  const put = () => node.style.setProperty(property, typeof of === "function" ? of() : of);
  put();
  if (typeof of === "function") document.addEventListener("themechange", put);
}

export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function replace(node, ...children) {
  node.replaceChildren();
  append(node, children);
}

/** A section of the page with its heading. */
export function section(id, title, lead, ...children) {
  return el(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    el("h2", { id: `${id}-title` }, title),
    lead ? el("p", { class: "lead" }, lead) : null,
    children,
  );
}

/** Figures in boxes. `list`: [[label, value, note or null]]. */
export function tiles(list) {
  return el(
    "dl",
    { class: "tiles" },
    list.map(([label, value, note]) =>
      el(
        "div",
        { class: "tile" },
        el("dt", {}, label),
        el("dd", {}, value, note ? el("small", {}, note) : null),
      ),
    ),
  );
}

/** A group of buttons of which one is pressed. `choices`: [[value, text]]. */
export function chooser(label, choices, chosen, onChange) {
  const group = el("div", { class: "chooser", role: "group", "aria-label": label });
  const buttons = choices.map(([value, text]) =>
    el(
      "button",
      { type: "button", "aria-pressed": String(value === chosen), onclick: () => choose(value) },
      text,
    ),
  );
  function choose(value) {
    choices.forEach(([of], i) => buttons[i].setAttribute("aria-pressed", String(of === value)));
    onChange(value);
  }
  append(group, [el("span", { class: "chooser-label", "aria-hidden": "true" }, label), buttons]);
  return group;
}

/** A long text, of which the first lines are seen; a click shows all of it. */
export function clamped(text) {
  return el(
    "span",
    { class: "clamped", title: text, onclick: (event) => event.currentTarget.classList.toggle("whole") },
    text,
  );
}

/** Draws at once where the page is put together (whoever prints does not wait), and for each new theme. */
export function drawWhenPlaced(draw) {
  document.addEventListener("placed", draw);
  document.addEventListener("themechange", draw);
}

let lastId = 0;

/** A labelled drop-down list. `choices`: [[value, text]]. */
export function dropDown(label, choices, chosen, onChange) {
  lastId += 1;
  const id = `choice-${lastId}`;
  return el(
    "span",
    { class: "field" },
    el("label", { for: id }, label),
    el(
      "select",
      { id, onchange: (event) => onChange(choices[event.target.selectedIndex][0]) },
      choices.map(([value, text]) => el("option", { selected: value === chosen }, text)),
    ),
  );
}

// Charts that answer: what the server drew is replaced, in its place and size, by the same chart with Vega behind
// it. A pointer that rests on a mark is told its number at once, and a click goes to the records. Without this
// file, or where it fails, the drawing stays as it is: its marks are links with titles.

const tip = document.createElement("div");
tip.className = "chart-tip";
tip.hidden = true;
document.body.append(tip);

function tell(_handler, event, _item, value) {
  if (value === null || value === undefined || value === "") {
    tip.hidden = true;
    return;
  }
  tip.textContent = String(value);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, window.innerWidth - width - 8);
  const top = event.clientY + 18 + height > window.innerHeight ? event.clientY - height - 12 : event.clientY + 18;
  tip.style.left = `${Math.max(left, 8)}px`;
  tip.style.top = `${Math.max(top, 8)}px`;
}

// On a phone a chart is drawn as wide as there is room, where the server's can only be moved to and fro.
const NARROW = 600;

// Of names in a legend as many stand side by side as there is room for, which begins where the bars do.
function fitLegend(color, room, share) {
  const { legend, scale } = color;
  const longest = Math.max(...scale.domain.map((name) => name.length));
  legend.labelLimit = room - 60;
  if (legend.columns === 1) return;
  legend.columns = Math.max(1, Math.floor((room * share) / (44 + 9 * longest)));
  legend.direction = "horizontal"; // in rows, one after the other
}

function fit(spec, room) {
  if (room >= NARROW || typeof spec.width !== "number") return false;
  const { x, y, color } = spec.encoding;
  if (y.type === "nominal") {
    y.axis.labelLimit = Math.round(room * 0.38); // also where the names need no limit on a wide page
    if (!x.axis.values) Object.assign(x.axis, { tickCount: 3, labelOverlap: "parity" });
  }
  if (color?.legend) fitLegend(color, room, y.type === "nominal" ? 0.6 : 0.85);
  spec.width = room;
  spec.autosize = { type: "fit-x", contains: "padding" };
  spec.config.padding = { left: 4, right: spec.layer && y.type === "nominal" ? 44 : 16, top: 6, bottom: 6 };
  return true;
}

// One that keeps its size has short names beside its cells there, so that some of the cells are seen, too.
function shorten(spec, room) {
  if (room >= NARROW) return false;
  spec.encoding.y.axis.labelLimit = Math.round(room * 0.38);
  Object.assign(spec.padding, { left: 4, right: 16, top: 6 });
  return true;
}

// Where a drawing has its first cell or bar, behind its labels.
function origin(svg) {
  const [, x, y] = /translate\(([-\d.]+),([-\d.]+)\)/.exec(svg.querySelector("g").getAttribute("transform"));
  return [Number(x), Number(y)];
}

// Labels that the browser finds longer push cells away: they are shown where they were, and labels reach further.
function hold(lively, drawn) {
  const [[x, y], [oldX, oldY]] = [origin(lively), origin(drawn)];
  const { width, height } = drawn.viewBox.baseVal;
  lively.setAttribute("viewBox", `${x - oldX} ${y - oldY} ${width} ${height}`);
}

// A drawing that is wider than its place can be moved with the keyboard; any other is no stop on its way.
function settle(drawing) {
  if (drawing.scrollWidth > drawing.clientWidth) drawing.tabIndex = 0;
  else drawing.removeAttribute("tabindex");
}

const sizes = new ResizeObserver((entries) => entries.forEach((entry) => settle(entry.target)));

let vega;

async function wake(figure) {
  const drawing = figure.querySelector(".drawing");
  const drawn = drawing.querySelector("svg");
  vega ??= import(new URL(figure.dataset.bundle, location.href).href);
  const [{ vegaEmbed }, answer] = await Promise.all([vega, fetch(figure.dataset.spec)]);
  if (!answer.ok) return;
  const { usermeta, ...spec } = await answer.json();
  const room = drawing.clientWidth - 4; // without its padding
  const isFitted = figure.classList.contains("unscaled") ? shorten(spec, room) : fit(spec, room);
  const height = drawing.getBoundingClientRect().height;
  const place = document.createElement("div");
  const made = await vegaEmbed(place, spec, {
    ast: true, // the page forbids making code out of text
    renderer: "svg",
    actions: false,
    defaultStyle: false,
    mode: "vega-lite",
    tooltip: tell,
    logLevel: 1, // errors alone
    formatLocale: usermeta.numbers,
  });
  const lively = place.querySelector("svg");
  // Vega's own words for its parts are English in every language.
  for (const part of [place, ...place.querySelectorAll("*")]) part.removeAttribute("aria-roledescription");
  // The browser measures words a little differently: the old size is kept, so that the page does not move.
  if (isFitted) drawing.style.minHeight = `${height}px`;
  else for (const name of ["width", "height", "viewBox"]) lively.setAttribute(name, drawn.getAttribute(name));
  if (!isFitted && typeof spec.width !== "number") hold(lively, drawn);
  drawing.replaceChildren(place);
  figure.dataset.lively = "";
  settle(drawing);
  window.addEventListener("pagehide", () => made.finalize(), { once: true });
}

const watch = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    watch.unobserve(entry.target);
    wake(entry.target).catch(() => {});
  }
});
for (const drawing of document.querySelectorAll(".drawing")) sizes.observe(drawing);
for (const figure of document.querySelectorAll("figure.chart[data-spec][data-bundle]")) {
  // Who asked for less data gets the chart that is there already.
  if (!navigator.connection?.saveData) watch.observe(figure);
}
window.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

"use strict";
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/* Charts: the colours of axes and text follow the page. */
function themed(layout) {
  const axis = { gridcolor: color("--grid"), linecolor: color("--line"), zerolinecolor: color("--line") };
  return {
    ...layout,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: color("--ink"), family: getComputedStyle(document.body).fontFamily, size: 13 },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: color("--line"), activecolor: color("--ink") },
    hoverlabel: { bgcolor: color("--sheet"), bordercolor: color("--line"), font: { color: color("--ink") } },
    xaxis: { ...layout.xaxis, ...axis },
    yaxis: { ...layout.yaxis, ...axis },
  };
}
const options = {
  responsive: true,
  displaylogo: false,
  // On a phone it would cover the legend, and fingers zoom without it.
  displayModeBar: window.matchMedia("(min-width: 40rem)").matches ? "hover" : false,
  modeBarButtonsToRemove: ["select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"],
};
function drawCharts() {
  for (const [key, figure] of Object.entries(page.figures)) {
    Plotly.react("chart-" + key, figure.data, themed(figure.layout), options);
  }
  drawClasses();
}
function drawClasses() {
  const choice = document.getElementById("class-kind");
  if (!choice) return;
  const figure = page.classes[choice.value];
  Plotly.react("chart-classes", figure.data, themed(figure.layout), options);
}
document.getElementById("class-kind")?.addEventListener("change", drawClasses);

/* Tables: sorted by a click on a head, narrowed by a word. */
function valueOf(row, column) {
  const cell = row.cells[column];
  const value = cell.dataset.value;
  return value === undefined ? cell.textContent.trim() : Number(value);
}
function sortBy(table, column) {
  const heads = table.tHead.rows[0].cells;
  const descending = heads[column].getAttribute("aria-sort") !== "descending";
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].setAttribute("aria-sort", descending ? "descending" : "ascending");
  const sign = descending ? -1 : 1;
  const rows = [...table.tBodies[0].rows];
  rows.sort((one, other) => {
    const a = valueOf(one, column), b = valueOf(other, column);
    return sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  });
  table.tBodies[0].append(...rows);
}
for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    head.querySelector(".sort")?.addEventListener("click", () => sortBy(table, column));
  });
}
for (const input of document.querySelectorAll("input[data-filters]")) {
  input.addEventListener("input", () => {
    const word = input.value.trim().toLowerCase();
    const rows = document.getElementById(input.dataset.filters).tBodies[0].rows;
    let shown = 0;
    for (const row of rows) {
      row.hidden = word !== "" && !row.textContent.toLowerCase().includes(word);
      shown += row.hidden ? 0 : 1;
    }
    document.getElementById(input.dataset.count).textContent = `${shown} of ${rows.length}`;
  });
}

/* Stories: a link to one opens it, and the list that it stands in. */
function openTarget() {
  const id = decodeURIComponent(location.hash.slice(1));
  let found = id ? document.getElementById(id) : null;
  const target = found;
  for (; found; found = found.parentElement) if (found.tagName === "DETAILS") found.open = true;
  target?.scrollIntoView({ block: "center" });
}
window.addEventListener("hashchange", openTarget);

dark.addEventListener("change", drawCharts);
window.matchMedia("print").addEventListener("change", drawCharts); // paper is light
drawCharts();
openTarget();

"use strict";
/* The map of nodes and time: every node a row, every pod a box on the chips that it held.
   Several runs are drawn one below the other and move together. */
(() => {
  const BECAME = ["in time", "late", "no deadline", "cut short", "failed", "still running"];
  const LIGHT = ["#009E73", "#D55E00", "#0072B2", "#CC79A7", "#E69F00", "#7f8790"];
  const DARK = ["#00b386", "#e8702a", "#56B4E9", "#dc9fc0", "#f0b429", "#9aa4ae"];
  const HATCHED = [1, 3, 4];
  const AXIS = 22, LEAST_LABEL = 11, LEAST_HATCH = 5, ZOOM = 1.3, LEAST_MS = 1000;
  const STEPS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000, 7776000];
  const hosts = [...document.querySelectorAll(".map")];
  if (!hosts.length) return;

  const bounds = {
    x0: Math.min(...page.maps.map((map) => map.start)),
    x1: Math.max(...page.maps.map((map) => map.end)),
  };
  if (bounds.x1 - bounds.x0 < LEAST_MS) bounds.x1 = bounds.x0 + LEAST_MS;
  const view = { x0: bounds.x0, x1: bounds.x1, y0: 0, y1: 1 };
  const maps = hosts.map((host, index) => prepare(host, page.maps[index]));
  let marked = null, queued = false;
  choose(false);

  function prepare(host, data) {
    let since = 0;
    const start = data.since.map((step) => (since += step));
    const ofNode = data.nodes.map(() => []);
    data.node.forEach((node, span) => ofNode[node].push(span));
    const down = data.nodes.map(() => []);
    for (const [node, from, length, chips] of data.failures) down[node].push([from, length, chips]);
    const byFate = BECAME.map(() => []);
    data.became.forEach((fate, span) => byFate[fate].push(span));
    const canvas = host.querySelector("canvas");
    return { host, data, start, ofNode, down, byFate, canvas, tip: host.querySelector(".tip") };
  }

  /* Which nodes have a row: all, or those that any run used or that failed in any. */
  function choose(usedOnly) {
    const used = new Set();
    for (const { data } of maps) {
      for (const node of data.node) used.add(data.nodes[node]);
      for (const [node] of data.failures) used.add(data.nodes[node]);
    }
    for (const map of maps) {
      map.order = [...map.data.nodes.keys()].filter((node) => !usedOnly || used.has(map.data.nodes[node]));
      map.rowOf = map.data.nodes.map(() => -1);
      map.order.forEach((node, row) => (map.rowOf[node] = row));
    }
  }

  function frame(map) {
    const width = map.canvas.clientWidth, height = map.canvas.clientHeight;
    const left = width < 600 ? 64 : 116;
    const rows = Math.max(1, map.order.length);
    return {
      width, height, left, rows,
      bodyHeight: height - AXIS,
      x: (ms) => left + ((ms - view.x0) / (view.x1 - view.x0)) * (width - left),
      row: (height - AXIS) / Math.max(1e-9, (view.y1 - view.y0) * rows),
      y: (row) => ((row / rows - view.y0) / (view.y1 - view.y0)) * (height - AXIS),
      toMs: (x) => view.x0 + ((x - left) / (width - left)) * (view.x1 - view.x0),
      toRow: (y) => (view.y0 + (y / (height - AXIS)) * (view.y1 - view.y0)) * rows,
    };
  }

  function box(map, at, span) {
    const { data } = map, node = data.node[span], chips = Math.max(1, data.chips[node]);
    const x0 = at.x(map.start[span]), x1 = at.x(map.start[span] + data.length[span]);
    const lanes = data.width[span];
    const lane = at.row / chips;
    const y = at.y(map.rowOf[node]) + (lanes ? Math.min(data.lane[span], chips - 1) * lane : 0.85 * at.row);
    const height = lanes ? lane * Math.min(lanes, chips) : 0.15 * at.row;
    return { x: Math.max(x0, at.left), y, w: Math.max(1, x1 - Math.max(x0, at.left)), h: Math.max(1, height), x1 };
  }

  function draw() {
    queued = false;
    for (const map of maps) paint(map);
  }
  function schedule() {
    if (!queued) { queued = true; requestAnimationFrame(draw); }
  }

  function paint(map) {
    const at = frame(map), ratio = window.devicePixelRatio || 1, { canvas, data } = map;
    canvas.width = Math.round(at.width * ratio);
    canvas.height = Math.round(at.height * ratio);
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.fillStyle = color("--paper");
    pen.fillRect(0, 0, at.width, at.height);
    pen.save();
    pen.beginPath();
    pen.rect(at.left, 0, at.width - at.left, at.bodyHeight);
    pen.clip();
    rows(map, at, pen);
    spans(map, at, pen);
    failures(map, at, pen);
    highlight(map, at, pen);
    pen.restore();
    labels(map, at, pen);
    axis(at, pen);
  }

  function visible(at) {
    return [Math.max(0, Math.floor(view.y0 * at.rows)), Math.min(at.rows, Math.ceil(view.y1 * at.rows))];
  }
  function rows(map, at, pen) {
    const [first, last] = visible(at);
    pen.fillStyle = color("--empty");
    if (at.row < 3) { pen.fillRect(at.left, at.y(0), at.width, at.row * at.rows); return; }
    for (let row = first; row < last; row++) pen.fillRect(at.left, at.y(row) + 0.5, at.width, at.row - 1);
  }
  function spans(map, at, pen) {
    const palette = dark.matches ? DARK : LIGHT, [first, last] = visible(at), { data } = map;
    for (let fate = 0; fate < BECAME.length; fate++) {
      const hatch = HATCHED.includes(fate) ? hatching(pen, fate) : null;
      pen.fillStyle = palette[fate];
      for (const span of map.byFate[fate]) {
        const row = map.rowOf[data.node[span]];
        if (row < first || row >= last) continue;
        if (map.start[span] > view.x1 || map.start[span] + data.length[span] < view.x0) continue;
        const at_ = box(map, at, span), gap = at_.h > 6 ? 1 : 0;
        if (at_.w > 4) at_.w -= 1; // what follows on the same chip stands apart
        pen.fillRect(at_.x, at_.y, at_.w, at_.h - gap);
        if (hatch && at_.w > LEAST_HATCH && at_.h > LEAST_HATCH) {
          pen.fillStyle = hatch;
          pen.fillRect(at_.x, at_.y, at_.w, at_.h - gap);
          pen.fillStyle = palette[fate];
        }
        if (at_.h >= LEAST_LABEL && at_.w > 60) name(pen, data.pods[span], at_, gap);
      }
    }
  }
  function name(pen, text, at, gap) {
    const fill = pen.fillStyle;
    pen.save();
    pen.beginPath();
    pen.rect(at.x, at.y, at.w, at.h - gap);
    pen.clip();
    pen.fillStyle = dark.matches ? "#0b0d10" : "#ffffff";
    pen.font = `${Math.min(12, at.h - 2)}px system-ui, sans-serif`;
    pen.textBaseline = "middle";
    pen.fillText(text, at.x + 3, at.y + (at.h - gap) / 2);
    pen.restore();
    pen.fillStyle = fill;
  }
  function hatching(pen, fate) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const brush = tile.getContext("2d");
    brush.strokeStyle = "rgba(0,0,0,0.45)";
    brush.lineWidth = 1.5;
    brush.beginPath();
    if (fate === 4) { brush.arc(4, 4, 1.5, 0, 7); } else if (fate === 1) {
      brush.moveTo(-2, 10); brush.lineTo(10, -2);
    } else { brush.moveTo(-2, -2); brush.lineTo(10, 10); brush.moveTo(-2, 10); brush.lineTo(10, -2); }
    brush.stroke();
    return pen.createPattern(tile, "repeat");
  }
  function failures(map, at, pen) {
    const [first, last] = visible(at);
    pen.fillStyle = color("--down");
    for (let row = first; row < last; row++) {
      const node = map.order[row];
      for (const [from, length, chips] of map.down[node]) {
        const x0 = at.x(from), share = chips < 0 ? 1 : Math.min(1, chips / Math.max(1, map.data.chips[node]));
        const height = Math.max(1.5, at.row * share);
        pen.globalAlpha = 0.55;
        pen.fillRect(x0, at.y(row) + at.row - height, Math.max(1.5, at.x(from + length) - x0), height);
        pen.globalAlpha = 1;
        pen.fillRect(x0, at.y(row), 1.5, Math.max(2, at.row));
      }
    }
  }
  function highlight(map, at, pen) {
    if (!marked) return;
    pen.strokeStyle = color("--ink");
    pen.lineWidth = 2;
    map.data.pods.forEach((pod, span) => {
      if (!pod.includes(marked) || map.rowOf[map.data.node[span]] < 0) return;
      const at_ = box(map, at, span);
      if (at_.x1 < at.left || at_.x > at.width) return;
      pen.strokeRect(at_.x - 1, at_.y - 1, Math.max(4, at_.w + 2), Math.max(4, at_.h + 2));
    });
  }
  function labels(map, at, pen) {
    const [first, last] = visible(at);
    pen.fillStyle = color("--faint");
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const every = Math.max(1, Math.ceil(14 / at.row));
    for (let row = Math.ceil(first / every) * every; row < last; row += every) {
      const y = at.y(row) + (every === 1 ? at.row / 2 : 6);
      if (y < 4 || y > at.bodyHeight - 4) continue;
      pen.fillText(fitted(pen, map.data.nodes[map.order[row]], at.left - 8), 2, y);
    }
  }
  function fitted(pen, text, width) {
    if (pen.measureText(text).width <= width) return text;
    let length = text.length - 1;
    while (length > 1 && pen.measureText("…" + text.slice(-length)).width > width) length--;
    return "…" + text.slice(-length);
  }
  function axis(at, pen) {
    const room = (at.width - at.left) / 90, span = (view.x1 - view.x0) / 1000;
    const step = (STEPS.find((seconds) => span / seconds <= room) || STEPS[STEPS.length - 1]) * 1000;
    pen.fillStyle = color("--faint");
    pen.strokeStyle = color("--line");
    pen.lineWidth = 1;
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.textAlign = "center";
    const origin = page.origin;
    for (let ms = Math.ceil((view.x0 + origin) / step) * step - origin; ms <= view.x1; ms += step) {
      const x = at.x(ms);
      pen.beginPath();
      pen.moveTo(x + 0.5, 0);
      pen.lineTo(x + 0.5, at.bodyHeight + 3);
      pen.stroke();
      if (x > at.left + 20 && x < at.width - 26) pen.fillText(moment(ms, step), x, at.height - AXIS / 2 + 1);
    }
    pen.textAlign = "left";
  }
  function moment(ms, step) {
    const date = new Date(page.origin + ms), iso = date.toISOString();
    if (step >= 86400000) return iso.slice(5, 10);
    if (iso.slice(11, 16) === "00:00" && step >= 60000) return iso.slice(5, 10);
    return step >= 60000 ? iso.slice(11, 16) : iso.slice(11, 19);
  }
  function duration(ms) {
    const seconds = Math.round(ms / 1000), units = [["d", 86400], ["h", 3600], ["m", 60], ["s", 1]];
    const first = units.findIndex(([, size]) => seconds >= size);
    if (first < 0) return `${ms} ms`;
    const [unit, size] = units[first], whole = Math.floor(seconds / size);
    if (first === 3) return `${whole}${unit}`;
    const rest = Math.floor((seconds % size) / units[first + 1][1]);
    return rest ? `${whole}${unit} ${rest}${units[first + 1][0]}` : `${whole}${unit}`;
  }

  /* What is under the pointer. */
  function hit(map, x, y) {
    const at = frame(map), reach = Math.max(1, 2 / at.row);
    if (x < at.left || y > at.bodyHeight) return null;
    const near = Math.floor(at.toRow(y)), around = at.row < 2 ? Math.ceil(reach) : 0;
    let best = null;
    for (let row = near - around; row <= near + around; row++) {
      for (const span of map.ofNode[map.order[row]] || []) {
        const at_ = box(map, at, span);
        if (x < at_.x - 1 || x > at_.x + at_.w + 1 || y < at_.y - 1 || y > at_.y + at_.h + 1) continue;
        if (best === null || map.data.length[span] < map.data.length[best]) best = span;
      }
    }
    return best;
  }
  function describe(map, span) {
    const { data } = map, start = map.start[span], chips = data.width[span];
    const from = new Date(page.origin + start).toISOString().slice(0, 19).replace("T", " ");
    return [
      data.pods[span],
      `${data.nodes[data.node[span]]} · ${chips === 1 ? "1 chip" : chips + " chips"}`,
      `${from} · ${duration(data.length[span])} · ${BECAME[data.became[span]]}`,
    ].join("\n");
  }
  function tell(map, x, y) {
    const span = hit(map, x, y);
    if (span !== null) return show(map, x, y, describe(map, span));
    const at = frame(map), node = map.order[Math.floor(at.toRow(y))], ms = at.toMs(x);
    const failed = (map.down[node] || []).find(([from, length]) => from <= ms && ms <= from + length);
    if (x < at.left || y > at.bodyHeight || node === undefined) return hide(map);
    const what = failed ? (failed[2] < 0 ? "the node is down" : `${failed[2]} chips are down`) : `${map.data.chips[node]} chips`;
    show(map, x, y, `${map.data.nodes[node]}\n${what}`);
  }
  function show(map, x, y, text) {
    map.tip.textContent = text;
    map.tip.hidden = false;
    const width = map.tip.offsetWidth;
    map.tip.style.left = `${Math.max(0, Math.min(x + 12, map.canvas.clientWidth - width - 4))}px`;
    map.tip.style.top = `${y + 14 + map.tip.offsetHeight > map.canvas.clientHeight ? y - map.tip.offsetHeight - 8 : y + 14}px`;
  }
  function hide(map) { map.tip.hidden = true; }

  /* Moving about. */
  function limit() {
    const width = Math.min(bounds.x1 - bounds.x0, Math.max(LEAST_MS, view.x1 - view.x0));
    view.x0 = Math.max(bounds.x0, Math.min(view.x0, bounds.x1 - width));
    view.x1 = view.x0 + width;
    const most = Math.max(1, ...maps.map((map) => map.order.length));
    const height = Math.min(1, Math.max(1 / most, view.y1 - view.y0));
    view.y0 = Math.max(0, Math.min(view.y0, 1 - height));
    view.y1 = view.y0 + height;
    schedule();
  }
  function zoom(factor, shareX, shareY, timeOnly) {
    const x = view.x0 + shareX * (view.x1 - view.x0), y = view.y0 + shareY * (view.y1 - view.y0);
    view.x0 = x - (x - view.x0) / factor;
    view.x1 = x + (view.x1 - x) / factor;
    if (!timeOnly) {
      view.y0 = y - (y - view.y0) / factor;
      view.y1 = y + (view.y1 - y) / factor;
    }
    limit();
  }
  function move(shareX, shareY) {
    const x = shareX * (view.x1 - view.x0), y = shareY * (view.y1 - view.y0);
    Object.assign(view, { x0: view.x0 + x, x1: view.x1 + x, y0: view.y0 + y, y1: view.y1 + y });
    limit();
  }
  function all() {
    Object.assign(view, { x0: bounds.x0, x1: bounds.x1, y0: 0, y1: 1 });
    marked = null;
    limit();
  }
  function shares(map, event) {
    const at = frame(map), edge = map.canvas.getBoundingClientRect();
    const x = event.clientX - edge.left, y = event.clientY - edge.top;
    return { x, y, shareX: (x - at.left) / (at.width - at.left), shareY: y / at.bodyHeight, at };
  }
  const KEYS = {
    ArrowLeft: () => move(-0.2, 0), ArrowRight: () => move(0.2, 0),
    ArrowUp: () => move(0, -0.2), ArrowDown: () => move(0, 0.2),
    "+": () => zoom(ZOOM, 0.5, 0.5), "=": () => zoom(ZOOM, 0.5, 0.5), "-": () => zoom(1 / ZOOM, 0.5, 0.5),
    "0": all, Home: all,
  };
  for (const map of maps) {
    const fingers = new Map();
    map.canvas.addEventListener("wheel", (event) => {
      const focused = document.activeElement === map.canvas;
      if (!event.ctrlKey && !event.metaKey && !focused) return; // the page scrolls
      event.preventDefault();
      const { shareX, shareY } = shares(map, event);
      zoom(event.deltaY < 0 ? ZOOM : 1 / ZOOM, shareX, shareY, event.shiftKey);
    }, { passive: false });
    map.canvas.addEventListener("dblclick", (event) => {
      const { shareX, shareY } = shares(map, event);
      zoom(3, shareX, shareY);
    });
    map.canvas.addEventListener("pointerdown", (event) => {
      fingers.set(event.pointerId, event);
      map.canvas.setPointerCapture(event.pointerId);
    });
    map.canvas.addEventListener("pointermove", (event) => {
      const { x, y, at } = shares(map, event), before = fingers.get(event.pointerId);
      if (before && fingers.size === 2) pinch(map, fingers, event);
      else if (before) move((before.clientX - event.clientX) / (at.width - at.left), (before.clientY - event.clientY) / at.bodyHeight);
      if (before) fingers.set(event.pointerId, event);
      tell(map, x, y);
    });
    for (const kind of ["pointerup", "pointercancel"]) {
      map.canvas.addEventListener(kind, (event) => fingers.delete(event.pointerId));
    }
    map.canvas.addEventListener("pointerleave", () => hide(map));
    map.canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
      event.preventDefault();
      KEYS[event.key]();
    });
    new ResizeObserver(schedule).observe(map.canvas);
  }
  function pinch(map, fingers, event) {
    const [one, other] = [...fingers.values()].map((each) => (each.pointerId === event.pointerId ? event : each));
    const old = fingers.get(event.pointerId), fixed = one === event ? other : one;
    const distance = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1;
    const { shareX, shareY } = shares(map, fixed);
    zoom(distance(event, fixed) / distance(old, fixed), shareX, shareY);
  }

  /* Finding a job by a part of its name; again for the next. */
  let found = -1;
  function find(word) {
    const spans = maps.flatMap((map) => map.data.pods.map((pod, span) => [map, pod, span])).filter(([, pod]) => pod.includes(word));
    const status = document.getElementById("map-found");
    if (!word || !spans.length) {
      marked = null;
      status.textContent = word ? "no such job" : "";
      schedule();
      return;
    }
    found = word === marked ? (found + 1) % spans.length : 0;
    marked = word;
    const [map, pod, span] = spans[found], { data } = map, rows = map.order.length;
    const length = Math.max(data.length[span], LEAST_MS) * 3, middle = map.start[span] + data.length[span] / 2;
    const y = (map.rowOf[data.node[span]] + 0.5) / rows, height = Math.min(1, 12 / rows);
    Object.assign(view, { x0: middle - length / 2, x1: middle + length / 2, y0: y - height / 2, y1: y + height / 2 });
    status.textContent = `${pod} on ${data.nodes[data.node[span]]}, ${found + 1} of ${spans.length}`;
    limit();
  }
  document.getElementById("map-find").addEventListener("submit", (event) => {
    event.preventDefault();
    find(document.getElementById("map-word").value.trim());
  });
  document.getElementById("map-in").addEventListener("click", () => zoom(ZOOM * ZOOM, 0.5, 0.5));
  document.getElementById("map-out").addEventListener("click", () => zoom(1 / ZOOM / ZOOM, 0.5, 0.5));
  document.getElementById("map-all").addEventListener("click", all);
  document.getElementById("map-used").addEventListener("change", (event) => {
    choose(event.target.checked);
    Object.assign(view, { y0: 0, y1: 1 });
    limit();
  });
  for (const button of document.querySelectorAll("[data-locate]")) {
    button.addEventListener("click", () => {
      document.getElementById("map").scrollIntoView({ block: "start" });
      find(button.dataset.locate);
    });
  }
  for (const swatch of document.querySelectorAll("[data-fate]")) {
    swatch.style.background = (dark.matches ? DARK : LIGHT)[Number(swatch.dataset.fate)];
  }
  dark.addEventListener("change", schedule);
  window.matchMedia("print").addEventListener("change", draw);
  draw();
})();

// The picture: marks and lines, zoom, names. The first part of the script of the page.
const data = JSON.parse(document.getElementById("data").textContent);
const { names, communities, colours, home, pairs, picture } = data;
const byId = (id) => document.getElementById(id);
const CLEAR = 0.75; // share of one direction from which an arrowhead is drawn
const PAGE = 25;
const hasTruth = pairs.t !== undefined;
const m = pairs.a.length;
const total = pairs.f.map((f, k) => f + pairs.r[k]);
const belongs = names.map(() => []);
communities.forEach((group, k) => group.forEach((v) => belongs[v].push(k)));
const incident = names.map(() => []);
for (let k = 0; k < m; k++) {
  incident[pairs.a[k]].push(k);
  incident[pairs.b[k]].push(k);
}
const state = { threshold: data.threshold, chosen: null, community: null, pair: null, blanket: false, hover: null };

// -- small helpers: text is always set as text -------------------------------------------------
const SVG = "http://www.w3.org/2000/svg";
function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "text") node.textContent = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  for (const child of children || []) node.append(child);
  return node;
}
const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const format = (p) => (p > 0 && p < 0.0005 ? "<0.001" : p.toFixed(3));
const count = (k, thing) => `${k.toLocaleString("en")} ${thing}${k === 1 ? "" : thing.endsWith("s") ? "es" : "s"}`;
const shortened = (name, most) => {
  const letters = Array.from(name);
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : name;
};
const colourClass = (k) => (k >= 0 && colours[k] >= 0 ? `c${colours[k]}` : "");
const directed = (k) => pairs.f[k] >= CLEAR * total[k] && total[k] > 0;
const visible = (k) => total[k] > state.threshold;
const isTrue = (k) => hasTruth && pairs.t[k] > 0;
const status = (k) => (visible(k) ? (isTrue(k) ? "hit" : "error") : isTrue(k) ? "miss" : "");
const nameButton = (v) =>
  html("button", { type: "button", class: "plain", text: names[v], onclick: () => choose(v, true) });

// -- the picture -------------------------------------------------------------------------------
const stage = byId("network");
const view = svg("g", {});
const linkLayer = svg("g", {});
const markLayer = svg("g", {});
view.append(linkLayer, markLayer);
stage.append(view);
const asCommunities = picture.kind === "communities";
const place = new Map(picture.marks.map((id, k) => [id, k]));
const opened = new Set(); // communities whose areas are open
const inside = new Map(); // variable of an area that was opened -> its mark
const markOf = (v) => (opened.has(home[v]) ? inside.get(v) : place.get(asCommunities ? home[v] : v));
const degree = names.map((_, v) => incident[v].reduce((sum, k) => sum + total[k], 0));
const members = communities.map(() => []);
home.forEach((k, v) => k >= 0 && members[k].push(v));
const largest = members.reduce((most, own) => Math.max(most, own.length), 1);
const ruler = document.createElement("canvas").getContext("2d");
ruler.font = `11px ${getComputedStyle(document.body).fontFamily}`;
const marks = [];
// A mark is a variable, or the area of a community. The scale is less than 1 inside an area.
function addMark(id, area, x, y, r, scale) {
  const weight = area ? members[id].length : degree[id];
  const circle = svg("circle", { r });
  const text = svg("text", { text: shortened(area ? `Community ${id + 1}` : names[id], 24) });
  const node = svg(
    "g",
    { class: `node ${colourClass(area ? id : home[id])}`, transform: `translate(${x} ${y})` },
    circle, text, svg("title", { text: described(id, area) })
  );
  node.dataset.mark = marks.length;
  markLayer.append(node);
  marks.push({ id, area, x, y, r, scale, node, circle, text, weight, hidden: false, width: 5 + ruler.measureText(text.textContent).width });
  return marks.length - 1;
}
picture.marks.forEach((id, k) => {
  const size = asCommunities ? members[id].length : 1;
  const variable = asCommunities && size === 1 ? members[id][0] : id;
  const r = asCommunities ? 3 + 8 * Math.sqrt(size / largest) : 5 + 1.1 * Math.sqrt(Math.min(degree[id], 30));
  addMark(size > 1 ? id : variable, size > 1, picture.x[k], picture.y[k], r, 1);
});
function openArea(k) {
  const area = marks[place.get(k)];
  if (!asCommunities || !area || !area.area || opened.has(k)) return;
  opened.add(k);
  area.node.classList.add("open");
  const r = area.r * Math.min(0.06, 0.2 / Math.sqrt(members[k].length));
  for (const v of members[k]) {
    if (!inside.has(v)) inside.set(v, addMark(v, false, 0, 0, r, r / 6));
    const mark = marks[inside.get(v)];
    mark.hidden = false;
    mark.node.style.display = "";
    move(mark, area.x + area.r * picture.inner.x[v] - mark.x, area.y + area.r * picture.inner.y[v] - mark.y);
  }
  drawBundles();
}
function closeArea(k) {
  opened.delete(k);
  marks[place.get(k)].node.classList.remove("open");
  for (const v of members[k]) {
    const mark = marks[inside.get(v)];
    mark.hidden = true;
    mark.node.style.display = "none";
  }
  drawBundles();
}
function move(mark, dx, dy) {
  mark.x += dx;
  mark.y += dy;
  mark.node.setAttribute("transform", `translate(${mark.x} ${mark.y})`);
  if (mark.area && opened.has(mark.id)) for (const v of members[mark.id]) move(marks[inside.get(v)], dx, dy);
  for (const [link, { from, to }] of ends) if (from === mark || to === mark) route(link);
}

function described(id, area) {
  if (area) return `Community ${id + 1}: ${count(communities[id].length, "variable")}`;
  const others = belongs[id].filter((k) => k !== home[id]).map((k) => k + 1);
  const lines = [names[id]];
  if (home[id] >= 0) lines.push(`community ${home[id] + 1}` + (others.length ? `, also ${others.join(", ")}` : ""));
  return lines.join("\n");
}

const calm = marks.length > 150 ? 0.75 : 1; // thinner lines where there are many
const drawn = new Map(); // pair, or "mark-mark" between communities -> its element

const ends = new Map(); // element of an edge -> the marks it joins, its width, and whether it has an arrowhead
function line(from, to, width, strength, arrow) {
  const outer = from.scale === 1 && to.scale === 1;
  const group = svg("g", { class: outer ? "link outer" : "link", "stroke-width": (calm * width * Math.min(from.scale, to.scale)).toFixed(4), opacity: (calm * strength).toFixed(2) },
    svg("line", {}), svg("line", { class: "grip" }));
  if (arrow) group.append(svg("path", { class: "tip" }));
  ends.set(group, { from, to, width, arrow });
  route(group);
  linkLayer.append(group);
  return group;
}
function route(group) {
  const { from, to, width, arrow } = ends.get(group);
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const scale = Math.min(from.scale, to.scale);
  const tip = arrow ? scale * (4.5 + 1.6 * width) : 0;
  const start = [from.x + ux * from.r, from.y + uy * from.r];
  const end = [to.x - ux * (to.r + 1.5 * scale), to.y - uy * (to.r + 1.5 * scale)];
  const stop = [end[0] - ux * tip * 0.8, end[1] - uy * tip * 0.8];
  const along = { x1: start[0], y1: start[1], x2: stop[0], y2: stop[1] };
  fill(group.children[0], along);
  fill(group.children[1], along);
  if (arrow) {
    const base = [end[0] - ux * tip, end[1] - uy * tip];
    const side = [-uy * tip * 0.42, ux * tip * 0.42];
    const d = `M${end[0]} ${end[1]}L${base[0] + side[0]} ${base[1] + side[1]}L${base[0] - side[0]} ${base[1] - side[1]}Z`;
    group.children[2].setAttribute("d", d);
  }
}

function drawPairs() {
  for (let k = 0; k < m; k++) {
    const shown = visible(k) || (isTrue(k) && byId("truth").checked);
    let link = drawn.get(k);
    if (shown && !link) {
      link = drawPair(k);
      if (!link) continue;
      drawn.set(k, link);
    }
    if (!link) continue;
    link.style.display = shown ? "" : "none";
    paintStatus(link, k);
  }
}
function paintStatus(link, k) {
  if (hasTruth) for (const word of ["hit", "miss", "error"]) link.classList.toggle(word, status(k) === word);
}
function drawPair(k) {
  const [from, to] = [markOf(pairs.a[k]), markOf(pairs.b[k])];
  if (from === undefined || to === undefined) return null;
  const missed = total[k] <= data.floor;
  const way = isTrue(k) && missed ? pairs.t[k] : 1;
  const both = way === 2 ? [marks[to], marks[from]] : [marks[from], marks[to]];
  const arrow = missed ? way !== 3 : directed(k);
  const link = line(...both, missed ? 1.2 : 0.6 + 1.6 * total[k], missed ? 0.8 : 0.2 + 0.7 * total[k], arrow);
  link.append(svg("title", { text: pairText(k) }));
  link.dataset.pair = k;
  return link;
}

function drawBundles() {
  linkLayer.replaceChildren();
  drawn.clear();
  ends.clear();
  const bundles = new Map();
  for (let k = 0; k < m; k++) {
    const [from, to] = [markOf(pairs.a[k]), markOf(pairs.b[k])];
    if (from === undefined || to === undefined || from === to) continue;
    const key = from < to ? `${from}-${to}` : `${to}-${from}`;
    if (!marks[from].area && !marks[to].area) {
      if (!visible(k) && !(isTrue(k) && byId("truth").checked)) continue;
      const link = drawPair(k);
      paintStatus(link, k);
      drawn.set(key, link);
    } else if (visible(k)) bundles.set(key, (bundles.get(key) || 0) + 1);
  }
  for (const [key, edges] of bundles) {
    const [from, to] = key.split("-").map(Number);
    const link = line(marks[from], marks[to], 0.6 + 0.7 * Math.sqrt(edges), Math.min(0.25 + 0.1 * edges, 0.8), false);
    link.append(svg("title", { text: count(edges, "edge") }));
    drawn.set(key, link);
  }
}

function pairText(k) {
  const [a, b] = [names[pairs.a[k]], names[pairs.b[k]]];
  const lines = [`${a} → ${b}: ${format(pairs.f[k])}`, `${b} → ${a}: ${format(pairs.r[k])}`];
  if (strengthText(k)) lines.push(strengthText(k));
  if (isTrue(k)) lines.push(`truth: ${truthText(k)}`);
  return lines.join("\n");
}
const truthText = (k) => {
  const [a, b] = [names[pairs.a[k]], names[pairs.b[k]]];
  return [null, `${a} → ${b}`, `${b} → ${a}`, `${a} – ${b}`][pairs.t[k]];
};

// -- zoom, pan, labels -------------------------------------------------------------------------
const camera = { k: 1, x: 0, y: 0, w: 1, h: 1, moved: false };
function bounds(some) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const mark of some) {
    left = Math.min(left, mark.x - mark.r); right = Math.max(right, mark.x + mark.r);
    top = Math.min(top, mark.y - mark.r); bottom = Math.max(bottom, mark.y + mark.r);
  }
  return [left, top, right, bottom];
}
const PAD = 34;
function frame(some, most = 2.2) {
  if (!some.length) return;
  const [left, top, right, bottom] = bounds(some);
  const foot = camera.w < 600 ? 24 : 0; // room for the buttons
  camera.k = Math.min((camera.w - 2 * PAD) / Math.max(right - left, 1e-3), (camera.h - foot - 2 * PAD) / Math.max(bottom - top, 1e-3), most);
  camera.x = camera.w / 2 - (camera.k * (left + right)) / 2;
  camera.y = (camera.h - foot) / 2 - (camera.k * (top + bottom)) / 2;
  camera.moved = true;
  look();
}
function fit() {
  frame(marks);
  camera.moved = false;
}
const selected = () => marks[state.community !== null && asCommunities ? place.get(state.community) : state.chosen !== null ? markOf(state.chosen) : -1];
const spot = (mark) => [camera.x + camera.k * mark.x, camera.y + camera.k * mark.y];
const inView = ([x, y]) => x >= 30 && y >= 30 && x <= camera.w - 30 && y <= camera.h - 30;
function centre(mark) {
  const [x, y] = spot(mark);
  camera.x += camera.w / 2 - x;
  camera.y += camera.h / 2 - y;
  camera.moved = true;
}
// Zoom by a key or button: about the selected node, so that it stays in view.
function zoomHere(factor) {
  const mark = selected();
  if (mark && factor && !inView(spot(mark))) centre(mark);
  zoom(factor, ...(mark ? spot(mark) : [camera.w / 2, camera.h / 2]));
}
function zoom(factor, cx, cy) {
  if (!factor) return fit();
  const k = Math.min(Math.max(camera.k * factor, 0.02), 400);
  camera.x = cx - ((cx - camera.x) * k) / camera.k;
  camera.y = cy - ((cy - camera.y) * k) / camera.k;
  camera.k = k;
  camera.moved = true;
  look();
}
// The picture ends where the first screen ends, or before; the script knows what is above it.
function stretch() {
  const above = stage.getBoundingClientRect().top + scrollY;
  let tall = Math.min(Math.max(innerHeight - above - 16, 300), 900);
  if (stage.clientWidth < 600 && marks.length) { // on a phone no higher than a wide picture needs
    const [left, top, right, bottom] = bounds(marks);
    const scale = Math.min((stage.clientWidth - 2 * PAD) / Math.max(right - left, 1e-3), 2.2);
    tall = Math.min(tall, Math.max(scale * (bottom - top) + 2 * PAD + 40, 300));
  }
  document.documentElement.style.setProperty("--tall", `${Math.floor(tall)}px`);
}
function resize() {
  const box = stage.getBoundingClientRect();
  if (!box.width) return;
  [camera.w, camera.h] = [box.width, box.height];
  stage.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
  if (camera.moved) look(); else fit();
  label();
}
let waiting = false;
function look() {
  view.setAttribute("transform", `translate(${camera.x} ${camera.y}) scale(${camera.k})`);
  if (!waiting) {
    waiting = true;
    requestAnimationFrame(() => { waiting = false; label(); });
  }
}

// A name is placed below, above, right or left of its node, where it hides no other name or node.
// Nodes with the most edges come first. A name without room is hidden until the user zooms in.
function label() {
  const size = 11;
  const cell = 48;
  const taken = new Map();
  const cells = (box, act) => {
    for (let i = Math.floor(box[0] / cell); i <= Math.floor(box[2] / cell); i++)
      for (let j = Math.floor(box[1] / cell); j <= Math.floor(box[3] / cell); j++) if (act(i + "," + j)) return true;
    return false;
  };
  const put = (box) => cells(box, (key) => { (taken.get(key) || taken.set(key, []).get(key)).push(box); });
  const blocked = (box, own) => box[0] < 0 || box[2] > camera.w || box[1] < 0 || box[3] > camera.h || cells(box, (key) => (taken.get(key) || []).some(
    (b) => b[4] !== own && b[0] < box[2] && box[0] < b[2] && b[1] < box[3] && box[1] < b[3]));
  const near = nearMarks();
  const spots = marks.map((mark, k) => ({ k, mark, open: mark.area && opened.has(mark.id), x: camera.x + camera.k * mark.x, y: camera.y + camera.k * mark.y, r: camera.k * mark.r })).filter(({ mark }) => !mark.hidden);
  for (const s of spots) { // never smaller than a dot
    s.r = Math.max(s.r, 1.8);
    s.mark.circle.setAttribute("r", s.r / camera.k);
  }
  linkLayer.setAttribute("class", camera.k < 0.2 ? "thin" : camera.k > 4 ? "close" : "");
  for (const s of spots) if (!s.open && (!near || near.has(s.k))) put([s.x - s.r, s.y - s.r, s.x + s.r, s.y + s.r, s.k]);
  const first = (s) => (s.k === focusMark() ? 2 : near && near.has(s.k) ? 1 : 0);
  spots.sort((s, o) => first(o) - first(s) || o.mark.weight - s.mark.weight || s.k - o.k);
  for (const s of spots) {
    const w = s.mark.width;
    const outside = s.x < -w || s.x > camera.w + w || s.y < -20 || s.y > camera.h + 20;
    const options = [[0, s.r + size], [0, -s.r - 3], [s.r + w / 2 + 1, 4], [-s.r - w / 2 - 1, 4]];
    const box = ([dx, dy]) => [s.x + dx - w / 2, s.y + dy - size + 1, s.x + dx + w / 2, s.y + dy + 3, s.k];
    let spot = null;
    if (!outside && !s.open && !(near && !near.has(s.k))) {
      spot = options.find((o) => !blocked(box(o), s.k));
      if (!spot && first(s) === 2) spot = options[0];
    }
    s.mark.text.style.display = spot ? "" : "none";
    if (!spot) continue;
    put(box(spot));
    s.mark.text.setAttribute("font-size", size / camera.k);
    s.mark.text.setAttribute("x", spot[0] / camera.k);
    s.mark.text.setAttribute("y", spot[1] / camera.k);
  }
}
